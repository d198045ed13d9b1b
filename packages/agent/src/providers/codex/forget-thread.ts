/** codex keeps the whole of every thread; ours are of use only as long as their task may go on with them. */
import { join } from "node:path";
import { clearOut, namesIn } from "../agent-cli/clear-out.ts";

const THREADS_DIR = "sessions";

/** Removes the files of the thread, and of all that were not continued for long. Throws what the disk throws. */
export async function forgetThread(codexHome: string, threadId: string): Promise<void> {
  const dir = join(codexHome, THREADS_DIR);
  const files = (await namesIn(dir, true)).filter((name) => name.endsWith(".jsonl"));
  await clearOut(dir, files, (name) => name.includes(threadId));
}
