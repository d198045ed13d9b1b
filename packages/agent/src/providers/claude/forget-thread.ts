/** Removes what claude keeps of a thread that nobody will go on with. */
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/error-code";

/** One folder for each directory that claude was started in. */
const PROJECTS_DIR = "projects";

/** Throws what the disk throws. */
export async function forgetThread(configDir: string, threadId: string): Promise<void> {
  const projects = join(configDir, PROJECTS_DIR);
  for (const project of await namesIn(projects)) {
    const names = (await namesIn(join(projects, project))).filter((name) => isOf(threadId, name));
    for (const name of names) await rm(join(projects, project, name), { recursive: true, force: true });
    if (names.length > 0) await removeEmpty(join(projects, project));
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
    if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
  }
}
