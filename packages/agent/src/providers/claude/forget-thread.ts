/** claude keeps the whole of every thread; ours are of use only as long as their task may go on with them. */
import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { clearOut, namesIn } from "../agent-cli/clear-out.ts";
import { THREADS_DIR } from "./task-dir.ts";

/** Removes the files of the thread, and of all that were not continued for long. Throws what the disk throws. */
export async function forgetThread(configDir: string, threadId: string): Promise<void> {
  const projects = join(configDir, THREADS_DIR);
  for (const project of await namesIn(projects)) {
    const dir = join(projects, project);
    await clearOut(dir, await namesIn(dir), (name) => name === threadId || name === `${threadId}.jsonl`);
    await removeEmpty(dir);
  }
}

async function removeEmpty(dir: string): Promise<void> {
  try {
    await rmdir(dir);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST")) throw error;
  }
}
