/** Removes the CLI's files of threads that are not continued: their task is done, or has failed in the end. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

const THREAD_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** The names in a folder, or anywhere below it; nothing if there is none. Throws what the disk throws. */
export async function namesIn(dir: string, recursive = false): Promise<string[]> {
  try {
    return await readdir(dir, { recursive });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** Removes those of `names` that are over, and those to which nothing was written for 30 days. Throws what the disk throws. */
export async function clearOut(
  dir: string,
  names: readonly string[],
  isOver: (name: string) => boolean,
): Promise<void> {
  for (const name of names) {
    const path = join(dir, name);
    if (isOver(name) || (await isAbandoned(path))) await rm(path, { recursive: true, force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > THREAD_DAYS_MAX * DAY_MS;
  } catch (error) {
    // Another run has removed it meanwhile.
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}
