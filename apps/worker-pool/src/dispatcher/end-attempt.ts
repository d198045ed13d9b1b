/** How an attempt on another machine ends here: by its outcome, or without one. */
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { type Death, FailedAttempt } from "@mimikit/protocol/records/claim";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { failedAttemptPath } from "@mimikit/store/disk/state";
import type { Allotted } from "../claim/allot.ts";
import { publish } from "../claim/publish.ts";
import { type Away, ROLE } from "./away.ts";

export interface Ending {
  fs: FileSystem;
  nowMs(): number;
  retryDelaySec(): number;
  audit(event: AuditEvent): void;
}

/** With an outcome, which is its result, or is tried again. Throws what the disk throws. */
export async function conclude(
  { id, attempt, claim, owner }: Away,
  candidate: Allotted,
  outcome: RunOutcome,
  { fs, nowMs, retryDelaySec, audit }: Ending,
): Promise<void> {
  const written = await publish(candidate, claim, outcome, { fs, nowMs, retryDelaySec: retryDelaySec() });
  const { traceId, parentId } = candidate.task;
  const about = { taskId: id, traceId, ...(parentId && { parentId }), attempts: attempt };
  if (written === null) audit({ event: "outcome_discarded", ...about });
  else if ("retryAt" in written)
    audit({
      event: written.asks === undefined ? "task_retry" : "task_asks",
      ...about,
      failureReason: written.failureReason,
      detail: { error: written.error },
    });
  else
    audit({
      event: `task_${written.status}`,
      ...about,
      ...(written.failureReason && { failureReason: written.failureReason }),
      detail: { pool: owner.pool, ...(written.error && { error: written.error }) },
    });
}

/** Without an outcome; `onInterrupt` says what follows. Throws what the disk throws. */
export async function cutOff(
  { id, attempt, owner }: Away,
  error: string,
  death: Death,
  { fs, nowMs, audit }: Ending,
): Promise<void> {
  const at = new Date(nowMs()).toISOString();
  // With a death, what was reserved for it counts as spent until its usage is known.
  const record: FailedAttempt = {
    id,
    attempt,
    failureReason: "interrupted",
    error,
    at,
    retryAt: at,
    death,
  };
  if (await createRecord(fs, FailedAttempt, failedAttemptPath(ROLE, id, attempt), record))
    audit({ event: "task_cut_off", taskId: id, attempts: attempt, detail: { error, pool: owner.pool } });
}
