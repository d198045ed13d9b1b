/** How people call the command line here, for hints. */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Environment } from "./home.ts";
import { ROOT } from "./programs.ts";

const NAME = "mimikit";
const BIN = join(ROOT, "apps/cli/bin/mimikit.mjs");
/** A clone has a program for the shell; a package has what npm links, beside the packages. */
const CALLABLE = [join(ROOT, NAME), resolve(ROOT, "../.bin", NAME), BIN];
/** npm puts such folders into the PATH of what it runs; the shell that it was called from knows none of them. */
const OF_NPM = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/** `mimikit` where a shell with this PATH finds this one, else its path, quoted where the shell needs it. */
export function commandName(env: Environment): string {
  const programs = new Set(CALLABLE.filter((path) => existsSync(path)).map((path) => realpathSync(path)));
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "" && !OF_NPM.test(folder));
  const found = folders.map((folder) => join(folder, NAME)).find((path) => existsSync(path));
  if (found !== undefined && programs.has(realpathSync(found))) return NAME;
  return shellWord(CALLABLE.find((callable) => existsSync(callable)) ?? BIN);
}

/** `word` as one word of a shell, quoted where it needs that. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
