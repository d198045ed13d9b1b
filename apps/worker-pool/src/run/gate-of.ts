/** How much a run may do without asking, and what the owner has said to its task so far (docs/autonomy.md). */
import { Gate, type OwnerAnswer } from "@mimikit/agent/approval/gate";
import { isResumable } from "@mimikit/agent/roles/index";
import type { Autonomy } from "@mimikit/protocol/approvals/approval";
import { approvalPermit } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createOnce } from "@mimikit/store/disk/record";
import { RUNS, runPath, USED_YES } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { readApprovals } from "@mimikit/store/views/approvals";

export interface GateSources {
  fs: FileSystem;
  cache: StateCache;
  autonomy: Autonomy;
  /** Does no model stand between what the owner writes and a command of the offline engine? */
  isOwnersWords: boolean;
  onError(error: unknown): void;
}

/** The gate of one attempt; undefined where nothing of it asks. Throws what the disk throws. */
export async function gateOf(task: Task, cwd: string, sources: GateSources): Promise<Gate | undefined> {
  const { fs, cache, autonomy: mode, isOwnersWords, onError } = sources;
  if (mode === "full" || (await isOlderThanAutonomy(task, cache))) return undefined;
  return new Gate({
    mode,
    mayAsk: KINDS[task.kind].part === "order" && isResumable(task),
    isOwnersWords,
    cwd,
    answers: await answersTo(undefined, task, fs, cache),
    allowed: () => readApprovals(fs, onError),
    use: (attempt) => use(task, attempt, fs),
  });
}

/** Does it come from triggers alone that were there before there was this setting? They go on as they were set up, with no user near to be asked. */
export async function isOlderThanAutonomy({ triggerId, evaluation }: Task, cache: StateCache): Promise<boolean> {
  const ids = evaluation?.map((item) => item.triggerId) ?? (triggerId === undefined ? [] : [triggerId]);
  for (const id of ids) {
    const ended = cache.triggers.has(id) ? null : await cache.archiveIndex.read(id);
    const trigger = cache.triggers.get(id) ?? (ended !== null && "trigger" in ended ? ended.trigger : undefined);
    if (trigger === undefined || trigger.asks === true) return false;
  }
  return ids.length > 0;
}

/**
 * The owner's answers to the calls of earlier attempts in one place: a yes to another machine is none here.
 * @param pool the machine; undefined for this home. Throws what the disk throws.
 */
export async function answersTo(
  pool: string | undefined,
  { id }: Task,
  fs: FileSystem,
  { attempts, archiveIndex }: StateCache,
): Promise<OwnerAnswer[]> {
  const answers: OwnerAnswer[] = [];
  for (const { attempt, failed } of attempts.get(id) ?? []) {
    if (failed?.asks === undefined || failed.asks.pool !== pool) continue;
    const permit = await archiveIndex.read(approvalPermit(id, attempt));
    const verdict = permit !== null && "verdict" in permit ? permit.verdict : undefined;
    if (verdict === undefined) continue;
    const isUsed = await fs.exists(`${runPath(id, attempt)}/${USED_YES}`);
    answers.push({ attempt, asks: failed.asks, verdict, isUsed });
  }
  return answers;
}

/**
 * Uses up the yes to the call of that attempt, before the call is made. The file and its folder are durable when this resolves, so neither a
 * crash nor a power loss lets the call be made twice for one yes. Throws what the disk throws.
 * @returns false where it was used up before.
 */
export async function use({ id }: Pick<Task, "id">, attempt: number, fs: FileSystem): Promise<boolean> {
  const dir = runPath(id, attempt);
  await fs.makeDir(dir);
  const isFirst = await createOnce(fs, `${dir}/${USED_YES}`, "");
  await fs.syncDir(RUNS);
  return isFirst;
}
