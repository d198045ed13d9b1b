/** What running/ says of each task, kept up as claims and failures come and go, and as their owners die. */
import type { Attempt } from "@mimikit/core/base/snapshot";
import type { Role } from "@mimikit/protocol/base/role";
import type { Claim, FailedAttempt, Identity } from "@mimikit/protocol/records/claim";

export type RunningEntry = { role: Role } & ({ claim: Claim } | { failed: FailedAttempt });

/** One attempt of a task as it stands in running/. */
export interface AttemptRecord {
  role: Role;
  attempt: number;
  claim?: Claim;
  failed?: FailedAttempt;
}

interface Owner {
  identity: Identity;
  isDead: boolean;
  claims: Set<Claim>;
}

export class Attempts {
  /** Every attempt in running/, by task, oldest first. */
  readonly records = new Map<string, AttemptRecord[]>();
  /** The same as facts. */
  readonly facts = new Map<string, Attempt[]>();
  /** Those tasks of which an attempt has not said how it ended: they run, were cut off, or have just handed in. */
  readonly unended = new Map<string, Attempt[]>();
  private readonly owners = new Map<string, Owner>();

  /** @param entry what came, or else what went. @returns the task. */
  change(entry: RunningEntry, isThere: boolean): string {
    const part = "claim" in entry ? entry.claim : entry.failed;
    const { id, attempt } = part;
    if ("claim" in entry) this.note(entry.claim, isThere);
    const key = "claim" in entry ? "claim" : "failed";
    const all = this.records.get(id) ?? [];
    const { [key]: _, ...rest } = all.find((each) => each.attempt === attempt) ?? { role: entry.role, attempt };
    const record: AttemptRecord = isThere ? { ...rest, [key]: part } : rest;
    const others = all.filter((each) => each.attempt !== attempt);
    const isLeft = record.claim !== undefined || record.failed !== undefined;
    const records = isLeft ? [...others, record].sort((a, b) => a.attempt - b.attempt) : others;
    if (records.length > 0) this.records.set(id, records);
    else this.records.delete(id);
    this.state(id);
    return id;
  }

  /** Asks once for each owner whether it lives. @returns the tasks of which that has become another answer. */
  judge(isAlive: (owner: Identity) => boolean): Set<string> {
    const ids = new Set<string>();
    for (const owner of this.owners.values()) {
      const isDead = !isAlive(owner.identity);
      if (isDead === owner.isDead) continue;
      owner.isDead = isDead;
      for (const { id } of owner.claims) ids.add(id);
    }
    for (const id of ids) this.state(id);
    return ids;
  }

  private note(claim: Claim, isThere: boolean): void {
    const key = keyOf(claim.owner);
    const owner = this.owners.get(key) ?? { identity: claim.owner, isDead: false, claims: new Set() };
    if (isThere) owner.claims.add(claim);
    else owner.claims.delete(claim);
    if (owner.claims.size > 0) this.owners.set(key, owner);
    else this.owners.delete(key);
  }

  private state(id: string): void {
    const facts = this.records.get(id)?.map((record) => this.factOf(record));
    if (facts === undefined) this.facts.delete(id);
    else this.facts.set(id, facts);
    if (facts?.some(({ failed }) => failed === undefined)) this.unended.set(id, facts);
    else this.unended.delete(id);
  }

  private factOf({ role, attempt, claim, failed }: AttemptRecord): Attempt {
    return {
      role,
      attempt,
      ownerAlive: claim !== undefined && this.owners.get(keyOf(claim.owner))?.isDead === false,
      ...(claim !== undefined && { at: claim.at }),
      ...(claim?.reserved !== undefined && { reserved: claim.reserved }),
      ...(failed !== undefined && { failed }),
    };
  }
}

function keyOf({ pid, startTime, bootId }: Identity): string {
  return `${bootId} ${pid} ${startTime}`;
}
