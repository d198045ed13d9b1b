/** A sync of a directory by programs that wait for nothing else meanwhile. */
import { closeSync, constants, fsyncSync, openSync } from "node:fs";

/** Makes the names in the directory at `path` durable. Throws what the disk throws. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
