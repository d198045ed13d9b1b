/** Directories of the state that are removed while it is in use are made again. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode } from "./error-code.ts";
import { DIRECTORIES } from "./state.ts";
import { syncDirectory } from "./sync-directory.ts";

/**
 * Makes each directory of the state that is not there, empty, private (0700) and durable. Of several processes that do it at
 * once, each directory is made by one. Throws what the disk throws: ENOENT if the state directory itself is gone, which
 * is not made again.
 * @returns those that were made by this call.
 */
export function restoreDirectories(home: string): string[] {
  const made = DIRECTORIES.filter((dir) => makeDirectory(join(home, dir)));
  // A record would be lost with its directory.
  for (const parent of new Set(made.map((dir) => dirname(join(home, dir))))) syncDirectory(parent);
  return made;
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
