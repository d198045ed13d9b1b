/** Whole outputs of earlier tasks that came with a job: each is put where its report may name it, and the report names it there. */
import { existsSync } from "node:fs";
import { link, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { RUNS } from "@mimikit/store/disk/state";

const FILE = "output.txt";
/** Beside the run folders of the task that printed it: of the state directory a report can name only those. */
const folderFor = (printedBy: string, task: string, attempt: number) => `${printedBy}.away-${task}.a${attempt}`;

/** @param outputs by the id of the task that printed each. @returns the task with reports that name no file of the home. */
export async function placeOutputs(
  task: Task,
  attempt: number,
  outputs: ReadonlyMap<string, string>,
  home: string,
): Promise<Task> {
  const upstream: Task["upstream"] = [];
  for (const report of task.upstream) {
    const { data } = RESULT_SCHEMAS.text.safeParse(report.result);
    if (data?.artifact === undefined) {
      upstream.push(report);
      continue;
    }
    const { artifact: _atHome, ...result } = data;
    const came = outputs.get(report.id);
    const path = join(home, RUNS, folderFor(report.id, task.id, attempt), FILE);
    if (came !== undefined && existsSync(came) && !existsSync(path)) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Two tasks may have printed the same: their file is one.
      await link(came, path);
    }
    upstream.push({ ...report, result: existsSync(path) ? { ...result, artifact: path } : result });
  }
  return { ...task, upstream };
}

/** Removes those of a task that needs them no more. */
export async function removeOutputs(task: string, home: string): Promise<void> {
  const runs = join(home, RUNS);
  for (const name of existsSync(runs) ? await readdir(runs) : [])
    if (name.includes(`.away-${task}.a`)) await rm(join(runs, name), { recursive: true, force: true });
}
