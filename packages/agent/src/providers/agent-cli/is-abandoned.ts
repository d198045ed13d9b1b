/** A thread that was not forgotten when its task was done: its task failed in the end, and nobody goes on with it. */
import { stat } from "node:fs/promises";
import { hasCode } from "@mimikit/store/disk/error-code";

const THREAD_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** Has nothing been written to `path` for 30 days? Throws what the disk throws. */
export async function isAbandoned(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > THREAD_DAYS_MAX * DAY_MS;
  } catch (error) {
    // Another run has removed it meanwhile.
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}
