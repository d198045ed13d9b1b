/**
 * The folder that claude has for the Worker of one task. The Worker's shell can write there, and claude takes orders from
 * there: the `env` of its `.claude.json` would send the key of the next process to another address. So no other task has
 * that folder, and of what was left in it each process finds the threads and nothing else.
 */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { clearOut, namesIn } from "../agent-cli/clear-out.ts";

/** In every folder of claude: one folder for each directory that it was started in. */
export const THREADS_DIR = "projects";

/** Makes the folder as the next process may find it. Throws what the disk throws. */
export async function prepareTaskDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir))
    if (name !== THREADS_DIR) await rm(join(dir, name), { recursive: true, force: true });
}

/** Removes the folder of a task that is done, and those in `dirs` of tasks that failed long ago. Throws what the disk throws. */
export async function forgetTaskDir(dirs: string, id: string): Promise<void> {
  await clearOut(dirs, await namesIn(dirs), (name) => name === id);
}
