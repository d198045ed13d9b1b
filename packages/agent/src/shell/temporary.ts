/** The temporary files of a run: its commands see no others, and they go with it. An attempt that goes on with the session of the one before has them too. */
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
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
    // The folder of an attempt that has waited held nothing else.
    await rmdir(earlierRunDir);
  } catch (error) {
    // Something is there already: the attempt had begun before.
    if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
  }
}

/** Removes it with all that is in it, if it is there. Throws what the disk throws. */
export async function removeTemporary(runDir: string): Promise<void> {
  await rm(join(runDir, TEMPORARY_DIR), { recursive: true, force: true });
}

/** Removes the folder of a run that has done nothing, but what it has inherited for the next one. Throws what the disk throws. */
export async function removeAllButInherited(runDir: string): Promise<void> {
  const inherited = await readdir(join(runDir, TEMPORARY_DIR)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  if (inherited.length === 0) return rm(runDir, { recursive: true, force: true });
  for (const name of await readdir(runDir))
    if (name !== TEMPORARY_DIR) await rm(join(runDir, name), { recursive: true, force: true });
}
