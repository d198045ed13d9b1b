/** claude keeps the whole of every thread; ours are of use only as long as their task may go on with them. */
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { isAbandoned } from "../agent-cli/is-abandoned.ts";
import { THREADS_DIR } from "./task-dir.ts";

/** Removes what is kept of the thread, and of all that nobody has gone on with for long. Throws what the disk throws. */
export async function forgetThread(configDir: string, threadId: string): Promise<void> {
  const projects = join(configDir, THREADS_DIR);
  for (const project of await namesIn(projects)) {
    const dir = join(projects, project);
    for (const name of await namesIn(dir))
      if (isOf(threadId, name) || (await isAbandoned(join(dir, name))))
        await rm(join(dir, name), { recursive: true, force: true });
    await removeEmpty(dir);
  }
}

const isOf = (threadId: string, name: string) => name === threadId || name === `${threadId}.jsonl`;

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

async function removeEmpty(dir: string): Promise<void> {
  try {
    await rmdir(dir);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST")) throw error;
  }
}
