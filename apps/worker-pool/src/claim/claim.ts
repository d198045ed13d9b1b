/**
 * Claiming an attempt is creating its file: of two pools one succeeds. The state cache's answer is confirmed by name
 * before and after, because a name in a queue may be the ghost of a task that has long been applied
 * (docs/file-protocol.md#the-life-of-a-message step 3, docs/file-protocol.md R4). The claim is also what the attempt
 * reserves in the budgets: it lasts until the attempt has said what it cost, whatever dies (SPEC N2).
 *
 * A claim whose attempt may simply start over is not synced, so that it costs no wait for the disk: a power loss ends
 * every run, and the attempt that it takes is the first again. It is made durable before anything is written that is
 * known by its number. A claim for another machine is not synced either: the dispatcher makes it durable before it
 * permits the attempt to begin, while the job is on its way.
 */

import { ancestorsOf, cancelMark } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { Role } from "@mimikit/protocol/base/role";
import { Claim, type Identity, type Owner } from "@mimikit/protocol/records/claim";
import { isForPool, type Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, createUnsynced, makeDurable } from "@mimikit/store/disk/record";
import { claimPath, queuePath, resultPath, runningOf } from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { Allotted } from "./allot.ts";

export interface Claiming {
  fs: FileSystem;
  archiveIndex: ArchiveIndex;
  /** The attempts that this pool has read in running/. */
  attempts: StateCache["attempts"];
  identity: Identity;
  nowMs(): number;
  /** A name was seen of which this pool had not heard: it looks there next. */
  hear(dir: string, name: string): void;
}

/** A file in running/: of which task, which attempt, and what it says beside the claim. */
const ATTEMPT_NAME = /^(.+)\.a([1-9]\d*)(\.failed|\.joined)?\.json$/;

/**
 * @param owner who runs it, where that is not this pool.
 * @returns the claim, or null when another process has the attempt or the task needs no run any more.
 */
export async function claimAttempt(
  candidate: Allotted,
  claiming: Claiming,
  owner: Owner = claiming.identity,
): Promise<Claim | null> {
  const { task, attempt, reserved, company } = candidate;
  const { fs, nowMs } = claiming;
  if (!(await isWanted(task.id, task.role, claiming))) return null;
  const path = claimPath(task.role, task.id, attempt);
  const claim: Claim = {
    id: task.id,
    attempt,
    owner,
    at: new Date(nowMs()).toISOString(),
    ...(reserved !== undefined && { reserved }),
    ...(company !== "all" && { alone: true as const }),
  };
  const mayBeLost = isFleeting(candidate) || isForPool(task);
  // A claim that outlives its task would be taken for one that is not needed any more.
  if (!mayBeLost) await makeDurable(fs, [queuePath(task.role, task.id)]);
  const create = mayBeLost ? createUnsynced : createRecord;
  if (!(await create(fs, Claim, path, claim))) return null;
  const isOurs = !(await isBehind(task, attempt, claiming)) && (await isWanted(task.id, task.role, claiming));
  if (isOurs) return claim;
  await fs.unlink(path);
  return null;
}

/**
 * May a power loss take the claim while the attempt runs? Only the first of a task, which counts for nothing in the budgets and may run
 * again, and not on another machine, which no power loss here ends.
 */
export function isFleeting({ task, attempt, reserved }: Allotted): boolean {
  if (isForPool(task)) return false;
  return (
    attempt === 1 && reserved === undefined && task.onInterrupt === "rerun" && KINDS[task.kind].runner === "provider"
  );
}

/** Resolves when no power loss takes the claim any more: before something durable is known by its number, as a line of usage is. */
export async function keepClaim(candidate: Allotted, fs: FileSystem): Promise<void> {
  const { task, attempt } = candidate;
  if (isFleeting(candidate)) await makeDurable(fs, [claimPath(task.role, task.id, attempt)]);
}

/** Resolves when no power loss takes the claim of an attempt for another machine, or its task: before it is permitted to begin. */
export async function keepClaimAway({ role, id }: Pick<Task, "role" | "id">, attempt: number, fs: FileSystem) {
  await makeDurable(fs, [queuePath(role, id), claimPath(role, id, attempt)]);
}

/**
 * Is there a later attempt, or the end of an earlier one that this pool has not seen? A pool that has slept may not know
 * either: of an outage the attempts in between are removed, so that their names look free, and without its first attempt
 * its beginning would be unknown.
 */
async function isBehind({ id, role }: Task, attempt: number, { fs, attempts, hear }: Claiming): Promise<boolean> {
  // The first attempt always keeps its name.
  if (attempt === 1) return false;
  const dir = runningOf(role);
  const known = attempts.get(id) ?? [];
  let isBehind = false;
  for (const name of await fs.list(dir)) {
    const [, of, number, end] = ATTEMPT_NAME.exec(name) ?? [];
    if (of !== id) continue;
    const nth = Number(number);
    const isUnseen = end === ".failed" && !known.some((each) => each.attempt === nth && each.failed !== undefined);
    if (nth <= attempt && !isUnseen) continue;
    isBehind = true;
    hear(dir, name);
  }
  return isBehind;
}

async function isWanted(id: string, role: Role, { fs, archiveIndex }: Claiming): Promise<boolean> {
  if (!(await fs.exists(queuePath(role, id)))) return false;
  if (await fs.exists(resultPath(role, id))) return false;
  return !(await archiveIndex.confirmAny([id, cancelMark(id), ...ancestorsOf(id).map(cancelMark)]));
}
