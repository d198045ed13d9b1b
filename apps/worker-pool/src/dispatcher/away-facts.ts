/** The state of attempts on other machines, as the disk has it: memory may be behind. */
import { type AttemptFacts, wasCutOff } from "@mimikit/core/base/snapshot";
import { outagesOf } from "@mimikit/core/tasks/retry";
import { ancestorsOf, cancelMark } from "@mimikit/protocol/base/id";
import { PoolOwner } from "@mimikit/protocol/pools/pool";
import { Claim } from "@mimikit/protocol/records/claim";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { makeDurable, readRecord, readUnlessTorn } from "@mimikit/store/disk/record";
import { claimPath, failedAttemptPath, queuePath, resultPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { Allotted } from "../claim/allot.ts";
import { type Away, ROLE } from "./away.ts";

export class AwayFacts {
  private readonly fs: FileSystem;
  private readonly cache: StateCache;

  constructor(fs: FileSystem, cache: StateCache) {
    this.fs = fs;
    this.cache = cache;
  }

  /** By name, because memory may be behind: no attempt begins, and no outcome counts, after there is one (docs/file-protocol.md R4). */
  async isOver(id: string, attempt: number): Promise<boolean> {
    const { fs, cache } = this;
    const [hasResult, hasFailed, isQueued] = await Promise.all([
      this.hasResult(id),
      fs.exists(failedAttemptPath(ROLE, id, attempt)),
      fs.exists(queuePath(ROLE, id)),
    ]);
    if (hasResult || hasFailed || !isQueued) return true;
    // Behind the others: their records go when there is one in the archive.
    return cache.archiveIndex.confirmAny([id, cancelMark(id), ...ancestorsOf(id).map(cancelMark)]);
  }

  /** A whole one, which is durable when this resolves: the machine forgets what is here. */
  private async hasResult(id: string): Promise<boolean> {
    const { fs } = this;
    const path = resultPath(ROLE, id);
    if (!(await fs.exists(path)) || (await readUnlessTorn(fs, Result, path)) === null) return false;
    await makeDurable(fs, [path]);
    return true;
  }

  /** By name: has the pool this attempt, as far as nothing has ended it? */
  async isClaimed({ task, attempt, epoch }: { task: string; attempt: number; epoch: string }, pool: string) {
    const claim = await readUnlessTorn(this.fs, Claim, claimPath(ROLE, task, attempt));
    const owner = PoolOwner.safeParse(claim?.owner).data;
    return owner?.pool === pool && owner.epoch === epoch && !(await this.isOver(task, attempt));
  }

  /** null where it is over. */
  async taskOf(id: string): Promise<Task | null> {
    const { fs, cache } = this;
    return cache.queue.get(id) ?? readRecord(fs, Task, queuePath(ROLE, id));
  }

  /** All that a run of the attempt begins with; null where its task is over. */
  async candidateOf({ id, attempt, claim }: Away): Promise<Allotted | null> {
    const task = await this.taskOf(id);
    if (task === null) return null;
    const before: AttemptFacts[] = (this.cache.attemptFacts.get(id) ?? []).filter((each) => each.attempt < attempt);
    const earlier = before.flatMap(({ failed }) =>
      failed === undefined ||
      failed.failureReason === "interrupted" ||
      failed.outage === true ||
      failed.asks !== undefined
        ? []
        : [failed],
    );
    return {
      task,
      attempt,
      earlier,
      outages: outagesOf(before),
      interrupted: before.some(wasCutOff),
      company: "all",
      ...(claim.reserved !== undefined && { reserved: claim.reserved }),
    };
  }
}
