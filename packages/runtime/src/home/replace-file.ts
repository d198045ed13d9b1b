/**
 * A small file that is complete at any instant, old or new. For views and notes, never for records
 * (docs/file-protocol.md R1).
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

let replacements = 0;

/** Is this the name of a text that a killed process did not get to rename? */
export const isUnfinished = (path: string) => /\.[0-9a-f-]+\.tmp$/.test(path);

/**
 * Writes `text` beside `path` and renames it over it (mode 0600). The directory must exist; after a power loss it may hold the old text.
 * Throws what the file system throws (ENOSPC, EACCES, …); `path` is then what it was.
 * @param mayReplace is asked last, when only the rename is left to do; where it says no, everything stays as it is.
 * @returns whether it was replaced.
 */
export function replaceFile(path: string, text: string, mayReplace: () => boolean = () => true): boolean {
  const beside = `${path}.${process.pid}-${++replacements}.tmp`;
  try {
    const file = openSync(beside, "wx", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!mayReplace()) {
      rmSync(beside);
      return false;
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  return true;
}
