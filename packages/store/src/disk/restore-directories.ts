/** Directories of the state that are removed while it is in use are made again. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "./error-code.ts";
import { DIRECTORIES } from "./state.ts";

/**
 * Makes each directory of the state that is not there, empty and private (0700). Of several processes that do it at
 * once, each directory is made by one. Throws what the disk throws: ENOENT if the state directory itself is gone, which
 * is not made again.
 * @returns those that were made by this call.
 */
export function restoreDirectories(home: string): string[] {
  return DIRECTORIES.filter((dir) => makeDirectory(join(home, dir)));
}

/** @returns false where there is one already. Throws what the disk throws, also where the directory above it is missing. */
export function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}
