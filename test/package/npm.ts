/** Runs npm as its users do, and makes the package of a clone. */
import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";

export const ROOT = join(import.meta.dirname, "../..");
export const NOBODY = 65_534;

/** Tests of root's run as somebody else: what is installed and run needs no rights. */
export const user: SpawnOptions = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const ofNpm = /[\\/]node_modules[\\/]\.bin$/;
export const PATH = (process.env.PATH ?? "").split(delimiter).filter((path) => !ofNpm.test(path));
const inPath = (name: string) => PATH.map((path) => join(path, name)).find((path) => existsSync(path));
export const ownNode = inPath("node") ?? process.execPath;
export const npm = realpathSync(inPath("npm") ?? "npm");

export interface Ran {
  code: number | null;
  out: string;
  error: string;
}

export async function run(command: string, args: readonly string[], options: SpawnOptions): Promise<Ran> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, error };
}

export interface Packed {
  tarball: string;
  files: string[];
}

/** Calls `npm pack` in a clone. @returns the package, and the files in it. */
export async function pack(clone: string, destination: string): Promise<Packed> {
  const args = [npm, "pack", "--json", "--pack-destination", destination];
  const { code, out, error } = await run(ownNode, args, { cwd: clone });
  if (code !== 0) throw new Error(`npm pack: ${error}`);
  const [packed] = JSON.parse(out.slice(out.indexOf("[\n"))) as { filename: string; files: { path: string }[] }[];
  return { tarball: join(destination, packed?.filename ?? ""), files: packed?.files.map(({ path }) => path) ?? [] };
}
