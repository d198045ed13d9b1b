/** codex keeps the whole of every thread; ours are of use only as long as their task may go on with them. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/error-code";

const THREADS_DIR = "sessions";
/** Threads of tasks that failed in the end are only removed by their age. */
const THREAD_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** Removes what is kept of the thread, and of all that nobody has gone on with for long. Throws what the disk throws. */
export async function forgetThread(codexHome: string, threadId: string): Promise<void> {
  const dir = join(codexHome, THREADS_DIR);
  const names = await readdir(dir, { recursive: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  for (const name of names.filter((each) => each.endsWith(".jsonl")))
    if (name.includes(threadId) || (await isOld(join(dir, name)))) await rm(join(dir, name), { force: true });
}

async function isOld(path: string): Promise<boolean> {
  const age = await stat(path).catch((error: unknown) => {
    // Another run has removed it meanwhile.
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
  return age !== null && Date.now() - age.mtimeMs > THREAD_DAYS_MAX * DAY_MS;
}
