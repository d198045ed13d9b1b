/** The programs as they are installed: bundles, which are built before the first test of a project where a source has changed. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const launch: { makeFresh(): boolean; bundleOf(name: string): string } = createRequire(import.meta.url)(
  "../../scripts/launch.cjs",
);

/** The path of a program: `cli`, `supervisor`, `remote-pool` … */
export const { bundleOf } = launch;
export const CLI = bundleOf("cli");

const ROOT = join(import.meta.dirname, "../..");
/** In a bundle, the path of each module stands above it, on a line of its own. */
const PATHS = /(?<=^\/\/ )\S+\.[cm]?[jt]s$/gm;

/** The modules in files of bundles. @param files and modules are relative to the root. */
export function modulesIn(files: readonly string[]): string[] {
  return files.flatMap((file) => readFileSync(join(ROOT, file), "utf8").match(PATHS) ?? []);
}

/** For vitest. @throws Error where the programs cannot be built; the reason has been said on stderr. */
export default function setup(): void {
  if (!launch.makeFresh()) throw new Error("the programs could not be built");
}
