/** The attempts of each task by running/, kept up as claims and failures come and go, and as their owners die. */
import { type AttemptFacts, isUnaccounted } from "@mimikit/core/base/snapshot";
import type { Role } from "@mimikit/protocol/base/role";
import { PoolOwner } from "@mimikit/protocol/pools/pool";
import {
  type Claim,
  type Owner as ClaimOwner,
  type FailedAttempt,
  type Identity,
  isOfThisMachine,
  type Joined,
} from "@mimikit/protocol/records/claim";

export type RunningEntry = { role: Role } & ({ claim: Claim } | { failed: FailedAttempt } | { joined: Joined });

/** One attempt of a task as it stands in running/. */
export interface AttemptRecord {
  role: Role;
  attempt: number;
  claim?: Claim;
  failed?: FailedAttempt;
  joined?: Joined;
}

interface Owner {
  identity: ClaimOwner;
  isDead: boolean;
  claims: Set<Claim>;
}

export class AttemptCache {
  /** Every attempt in running/, by task, oldest first. */
  readonly records = new Map<string, AttemptRecord[]>();
  /** The same as facts. */
  readonly facts = new Map<string, AttemptFacts[]>();
  /** Those tasks of which an attempt has not said what it cost: they run, were cut off, or have just handed in. */
  readonly unaccounted = new Map<string, AttemptFacts[]>();
  private readonly owners = new Map<string, Owner>();

  /** @param entry what came, or else what went. @returns the task. */
  change(entry: RunningEntry, isThere: boolean): string {
    const { role, ...parts } = entry;
    const [key, part] = Object.entries(parts)[0] as ["claim" | "failed" | "joined", Claim | FailedAttempt | Joined];
    const { id, attempt } = part;
    if ("claim" in entry) this.note(entry.claim, isThere);
    const all = this.records.get(id) ?? [];
    const { [key]: _, ...rest } = all.find((each) => each.attempt === attempt) ?? { role, attempt };
    const record: AttemptRecord = isThere ? { ...rest, [key]: part } : rest;
    const others = all.filter((each) => each.attempt !== attempt);
    const isLeft = record.claim !== undefined || record.failed !== undefined || record.joined !== undefined;
    const records = isLeft ? [...others, record].sort((a, b) => a.attempt - b.attempt) : others;
    if (records.length > 0) this.records.set(id, records);
    else this.records.delete(id);
    this.state(id);
    return id;
  }

  /** Asks once for each owner of this machine whether it lives; others are never dead by themselves (docs/pools.md). @returns the tasks of which that has become another answer. */
  judge(isAlive: (owner: Identity) => boolean): Set<string> {
    const ids = new Set<string>();
    for (const owner of this.owners.values()) {
      const isDead = isOfThisMachine(owner.identity) && !isAlive(owner.identity);
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
    if (facts?.some(isUnaccounted)) this.unaccounted.set(id, facts);
    else this.unaccounted.delete(id);
  }

  private factOf({ role, attempt, claim, failed, joined }: AttemptRecord): AttemptFacts {
    return {
      role,
      attempt,
      ownerAlive: claim !== undefined && this.owners.get(keyOf(claim.owner))?.isDead === false,
      ...(claim !== undefined && { at: claim.at }),
      ...(claim?.reserved !== undefined && { reserved: claim.reserved }),
      ...(failed !== undefined && { failed }),
      ...(claim !== undefined && !isOfThisMachine(claim.owner) && poolOf(claim.owner)),
      ...(joined !== undefined && { isJoined: true }),
    };
  }
}

/** An owner that this version does not know is no machine of which it can say anything. */
function poolOf(owner: ClaimOwner): { pool?: string } {
  const { data } = PoolOwner.safeParse(owner);
  return data === undefined ? {} : { pool: data.pool };
}

function keyOf(owner: ClaimOwner): string {
  if (!isOfThisMachine(owner)) return `engine ${JSON.stringify(owner)}`;
  const { pid, startTime, bootId } = owner;
  return `${bootId} ${pid} ${startTime}`;
}
