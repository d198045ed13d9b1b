/** The tool calls of runs on other machines, in the audit log of this home: each once (docs/pools.md). */
import { CALLS_NOTED_MAX, type FromPool } from "@mimikit/protocol/pools/messages";
import { BeginPermit, NotedCalls } from "@mimikit/protocol/pools/pool";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { readRecord, readUnlessTorn, replaceView } from "@mimikit/store/disk/record";
import { notedCallsPath, permitPath } from "@mimikit/store/disk/state";
import type { Away } from "./away.ts";
import type { PoolConnection } from "./pool-connection.ts";

export interface CallNotesOptions {
  fs: FileSystem;
  taskOf(id: string): Promise<Task | null>;
  audit(event: AuditEvent): void;
}

export class CallNotes {
  private readonly options: CallNotesOptions;

  constructor(options: CallNotesOptions) {
    this.options = options;
  }

  /**
   * Notes each tool call once, up to CALLS_NOTED_MAX, also of what is over meanwhile: the permit says whose they are. Throws what the disk throws.
   * @returns false where nothing of it was believed.
   */
  async note(
    connection: PoolConnection,
    { pool, job, task: taskId, attempt }: { pool: string; job: string; task: string; attempt: number },
    { nonce, first, calls }: Extract<FromPool, { kind: "calls" }>,
  ): Promise<boolean> {
    const { fs, audit, taskOf } = this.options;
    const path = notedCallsPath(taskId, attempt);
    // Before the permit, which goes before it: a count that a sweep has just removed would be none.
    const noted = (await readUnlessTorn(fs, NotedCalls, path))?.calls ?? 0;
    const permit = await readRecord(fs, BeginPermit, permitPath(taskId, attempt));
    // Never permitted, or long over: nothing waits for them.
    if (permit?.job !== job || permit.pool !== pool || permit.nonce !== nonce) {
      await connection.tell(job, { kind: "noted", calls: first + calls.length });
      return false;
    }
    const fresh = first > noted ? [] : calls.slice(noted - first);
    const traceId = (await taskOf(taskId))?.traceId;
    for (const [i, { durationMs, ...call }] of fresh.slice(0, Math.max(0, CALLS_NOTED_MAX - noted)).entries())
      audit({
        event: "tool_call",
        taskId,
        ...(traceId !== undefined && { traceId }),
        attempts: attempt,
        durationMs,
        detail: { ...call, pool, call: noted + i + 1 },
      });
    if (noted <= CALLS_NOTED_MAX && noted + fresh.length > CALLS_NOTED_MAX)
      audit({ event: "tool_calls_unlisted", taskId, attempts: attempt, detail: { pool, max: CALLS_NOTED_MAX } });
    const all: NotedCalls = { calls: noted + fresh.length };
    if (fresh.length > 0) await replaceView(fs, path, `${JSON.stringify(all)}\n`);
    await connection.tell(job, { kind: "noted", ...all });
    return true;
  }

  /** Are so many of its tool calls noted? Else the pool is told how many are, and says the others again. */
  async areNoted(
    { id, job, attempt }: Pick<Away, "id" | "job" | "attempt">,
    connection: PoolConnection,
    calls: number,
  ): Promise<boolean> {
    if (calls === 0) return true;
    const noted = (await readUnlessTorn(this.options.fs, NotedCalls, notedCallsPath(id, attempt)))?.calls ?? 0;
    if (noted < calls) await connection.tell(job, { kind: "noted", calls: noted });
    return noted >= calls;
  }
}
