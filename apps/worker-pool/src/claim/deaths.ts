/** How the attempts of a dead pool ended, recorded by the next pool before it claims anything (SPEC C5). */
import { deathOf } from "@mimikit/core/tasks/poison";
import type { Role } from "@mimikit/protocol/base/role";
import { type Claim, type Death, EXCUSES, type Excuse, FailedAttempt, Joined } from "@mimikit/protocol/records/claim";
import type { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, failedAttemptPath, joinedPath } from "@mimikit/store/disk/state";

interface Recording {
  fs: FileSystem;
  nowMs(): number;
}

/** @returns how the pool of the attempt died; null where the attempt has ended, or was judged before. */
export async function recordDeath(
  role: Role,
  { id, attempt, alone }: Claim,
  excuse: Excuse | null,
  { fs, nowMs }: Recording,
): Promise<Death | null> {
  // An attempt between two others may have ended long ago, and the supervisor removes it, the claim before the end: the look at the end
  // comes first here.
  if (attempt > 1) {
    if (await fs.exists(failedAttemptPath(role, id, attempt))) return null;
    if (!(await fs.exists(claimPath(role, id, attempt)))) return null;
  }
  // By its name: a notification of it may have been missed.
  const death = deathOf(excuse, alone === true && !(await fs.exists(joinedPath(role, id, attempt))));
  const at = new Date(nowMs()).toISOString();
  const error = excuse === null ? "the worker pool died or hung" : EXCUSES[excuse];
  const record: FailedAttempt = { id, attempt, failureReason: "interrupted", error, at, retryAt: at, death };
  return (await createRecord(fs, FailedAttempt, failedAttemptPath(role, id, attempt), record)) ? death : null;
}

/** Records that something begins beside an attempt that has run alone until now. */
export async function noteJoined(
  { id, role }: Pick<Task, "id" | "role">,
  attempt: number,
  { fs, nowMs }: Recording,
): Promise<void> {
  const at = new Date(nowMs()).toISOString();
  await createRecord(fs, Joined, joinedPath(role, id, attempt), { id, attempt, at });
}
