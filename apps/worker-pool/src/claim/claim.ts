/**
 * Claiming an attempt is creating its file: of two pools one succeeds. What memory says is confirmed by name before and
 * after, because a name in a queue may be the ghost of a task that has long been settled
 * (docs/file-protocol.md#the-life-of-a-message step 3, docs/file-protocol.md R4). The claim is also what the attempt
 * reserves in the budgets: it lasts until the attempt has said what it cost, whatever dies (SPEC N2).
 */

import { ancestorsOf, cancelMark } from "@mimikit/protocol/base/id";
import type { Role } from "@mimikit/protocol/base/role";
import { Claim, type Identity } from "@mimikit/protocol/records/claim";
import type { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { takeBack } from "@mimikit/store/disk/own-names";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, queuePath, resultPath, runningOf } from "@mimikit/store/disk/state";
import type { Ledger } from "@mimikit/store/mirror/ledger";
import type { Allotted } from "./allot.ts";

export interface Claiming {
  fs: FileSystem;
  ledger: Ledger;
  identity: Identity;
  nowMs(): number;
}

/** @returns the claim, or null when the attempt is somebody else's or the task needs no run any more. */
export async function claimAttempt({ task, attempt, reserved }: Allotted, claiming: Claiming): Promise<Claim | null> {
  const { fs, identity, nowMs } = claiming;
  if (!(await isWanted(task.id, task.role, claiming))) return null;
  const path = claimPath(task.role, task.id, attempt);
  const claim: Claim = {
    id: task.id,
    attempt,
    owner: identity,
    at: new Date(nowMs()).toISOString(),
    ...(reserved !== undefined && { reserved }),
  };
  if (!(await createRecord(fs, Claim, path, claim))) return null;
  const isOurs = !(await isOvertaken(task, attempt, fs)) && (await isWanted(task.id, task.role, claiming));
  if (isOurs) return claim;
  await takeBack(fs, path);
  return null;
}

/** Is there a later attempt? Of an outage those in between are removed: to a pool that has slept their names look free. */
async function isOvertaken({ id, role }: Task, attempt: number, fs: FileSystem): Promise<boolean> {
  // The first attempt always keeps its name.
  if (attempt === 1) return false;
  const attempts = (await fs.list(runningOf(role))).flatMap((name) => {
    const number = name.startsWith(`${id}.a`) ? /^\d+/.exec(name.slice(`${id}.a`.length))?.[0] : undefined;
    return number === undefined ? [] : [Number(number)];
  });
  return attempts.some((each) => each > attempt);
}

async function isWanted(id: string, role: Role, { fs, ledger }: Claiming): Promise<boolean> {
  if (!(await fs.exists(queuePath(role, id)))) return false;
  if (await fs.exists(resultPath(role, id))) return false;
  for (const name of [id, cancelMark(id), ...ancestorsOf(id).map(cancelMark)])
    if (await ledger.confirm(name)) return false;
  return true;
}
