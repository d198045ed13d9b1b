/** Which pool on another machine gets which task (docs/pools.md). Pure: the home claims as many for each as it has slots. */
import {
  ENGINE,
  type HomeIdentity,
  type PoolOwner,
  PoolOwner as PoolOwnerSchema,
  type PoolRecord,
  SLOTS_MAX,
} from "@mimikit/protocol/pools/pool";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { Allotted } from "./allot.ts";

export interface Placement {
  placed: { candidate: Allotted; owner: PoolOwner }[];
  /** Those whose machine there is not. */
  nowhere: Allotted[];
}

/**
 * A task goes to the pool of its name, or to that of its label which has the most room; where none has room it waits. One that is
 * suspected to take its machine down runs there with nothing beside it; the machine gets nothing else until it has (SPEC C5).
 * @param candidates in the order in which they begin.
 * @param load how many slots of each pool are taken, by its name.
 */
export function placeAway(
  candidates: readonly Allotted[],
  pools: readonly PoolRecord[],
  load: ReadonlyMap<string, number>,
  { epoch }: Pick<HomeIdentity, "epoch">,
): Placement {
  const taken = new Map(load);
  const roomOf = ({ name, slots }: PoolRecord) => slots - (taken.get(name) ?? 0);
  const placement: Placement = { placed: [], nowhere: [] };
  for (const candidate of candidates) {
    const wanted = candidate.task.pool ?? "";
    const [first, ...others] = pools.filter(({ name, labels }) => name === wanted || labels.includes(wanted));
    if (first === undefined) {
      placement.nowhere.push(candidate);
      continue;
    }
    const pool = others.reduce((best, each) => (roomOf(each) > roomOf(best) ? each : best), first);
    const load = taken.get(pool.name) ?? 0;
    const isSuspect = candidate.company !== "all";
    const fits = isSuspect ? load === 0 : load < pool.slots;
    if (isSuspect) taken.set(pool.name, load + SLOTS_MAX);
    else if (fits) taken.set(pool.name, load + 1);
    if (fits)
      placement.placed.push({ candidate, owner: { engine: ENGINE, pool: pool.name, epoch, invitedAt: pool.at } });
  }
  return placement;
}

/** How many slots of each pool are taken, by attempts that have not ended: one that runs with nothing beside it takes them all. */
export function loadOf({ unaccounted, attempts, results, archiveIndex }: StateCache): Map<string, number> {
  const load = new Map<string, number>();
  for (const id of unaccounted.keys()) {
    if (results.has(id) || archiveIndex.has(id)) continue;
    for (const { claim, failed } of attempts.get(id) ?? []) {
      const owner = failed === undefined ? PoolOwnerSchema.safeParse(claim?.owner).data : undefined;
      const weight = claim?.alone === true ? SLOTS_MAX : 1;
      if (owner !== undefined) load.set(owner.pool, (load.get(owner.pool) ?? 0) + weight);
    }
  }
  return load;
}
