/** codex keeps the whole of every thread; ours are of use only as long as their task may go on with them. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { isAbandoned } from "../agent-cli/is-abandoned.ts";

const THREADS_DIR = "sessions";

/** Removes what is kept of the thread, and of all that nobody has gone on with for long. Throws what the disk throws. */
export async function forgetThread(codexHome: string, threadId: string): Promise<void> {
  const dir = join(codexHome, THREADS_DIR);
  const names = await readdir(dir, { recursive: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  for (const name of names.filter((each) => each.endsWith(".jsonl")))
    if (name.includes(threadId) || (await isAbandoned(join(dir, name)))) await rm(join(dir, name), { force: true });
}
