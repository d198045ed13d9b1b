/** The temporary files of a run: its commands see no others, and they go with it. An attempt that goes on with the session of the one before has them too. */
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

const TEMPORARY_DIR = "tmp";

/** Makes the directory in the folder of the run, for this user alone. Throws what the disk throws. @returns its path. */
export async function makeTemporary(runDir: string): Promise<string> {
  const path = join(runDir, TEMPORARY_DIR);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Moves those of an earlier attempt, if there are any, to the folder of the next one. Throws what the disk throws. */
export async function inheritTemporary(earlierRunDir: string, runDir: string): Promise<void> {
  try {
    await rename(join(earlierRunDir, TEMPORARY_DIR), join(runDir, TEMPORARY_DIR));
  } catch (error) {
    // Something is there already: the attempt had begun before.
    if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
  }
}

/** Removes it with all that is in it, if it is there. Throws what the disk throws. */
export async function removeTemporary(runDir: string): Promise<void> {
  await rm(join(runDir, TEMPORARY_DIR), { recursive: true, force: true });
}
