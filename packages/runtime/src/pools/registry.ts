/** The pools of a home, as records in `pools/` (docs/pools.md). The directory is there only where the owner has invited one. */
import { randomBytes } from "node:crypto";
import { BadJson } from "@mimikit/protocol/base/json";
import { HomeIdentity, PoolOwner, PoolRecord } from "@mimikit/protocol/pools/pool";
import type { PoolSummary } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurableDir, readRecord } from "@mimikit/store/disk/record";
import { PERMITS, POOLS, POOLS_HOME_PATH, poolPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { readPoolsSeen } from "@mimikit/store/views/pools-seen";

const ID_BYTES = 8;
const KEY_BYTES = 32;
/** A pool that says nothing for so long is told as away: it says that it is there every few seconds, and that is noted every ten. */
export const AWAY_MS = 30_000;
/** Tasks of one machine that are named. */
const TASKS_MAX = 64;
const POOL_FILE = /^([a-z0-9-]+)\.pool\.json$/;

type OnDamaged = (error: BadJson) => void;

/** Every pool, by its name. A damaged record is no pool, and costs no other one. Throws what the disk throws. */
export async function readPools(fs: FileSystem, onDamaged?: OnDamaged): Promise<PoolRecord[]> {
  const pools: PoolRecord[] = [];
  for (const file of (await listIfThere(fs)).sort()) {
    const name = POOL_FILE.exec(file)?.[1];
    if (name === undefined) continue;
    try {
      const pool = await readRecord(fs, PoolRecord, poolPath(name));
      if (pool !== null) pools.push(pool);
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      onDamaged?.(error);
    }
  }
  return pools;
}

/** The files in `pools/`; none where there is no such directory. */
async function listIfThere(fs: FileSystem): Promise<string[]> {
  return (await fs.exists(POOLS)) ? fs.list(POOLS) : [];
}

/** Every pool, with when it was heard of. Throws what the disk throws. */
export async function describePools(fs: FileSystem, nowMs: number, onDamaged?: OnDamaged): Promise<PoolSummary[]> {
  const [pools, words] = [await readPools(fs, onDamaged), await readPoolsSeen(fs)];
  return pools.map(({ name, labels, slots, at: invitedAt }) => {
    const seen = words[name];
    if (seen?.invitedAt !== invitedAt) return { name, labels, slots, invitedAt, state: "invited" };
    const { at: seenAt, since, version, running } = seen;
    const isThere = nowMs - Date.parse(seenAt) < AWAY_MS;
    const common = { name, labels, slots, invitedAt, seenAt, version };
    // Its load when it was heard of last says nothing of now.
    return isThere ? { ...common, state: "there", running, ...(since && { since }) } : { ...common, state: "away" };
  });
}

/** The same with the work that each has. Throws what the disk throws. */
export async function describeMachines(
  fs: FileSystem,
  cache: StateCache,
  nowMs: number,
  onDamaged?: OnDamaged,
): Promise<PoolSummary[]> {
  const tasks = tasksAway(cache);
  return (await describePools(fs, nowMs, onDamaged)).map((pool) => ({
    ...pool,
    tasks: (tasks.get(pool.name) ?? []).slice(0, TASKS_MAX),
  }));
}

/** The tasks that are claimed for each machine and have not ended. */
function tasksAway({
  unaccounted,
  attempts,
  results,
  archiveIndex,
  queue,
}: StateCache): Map<string, { id: string; title: string }[]> {
  const away = new Map<string, { id: string; title: string }[]>();
  for (const id of unaccounted.keys()) {
    const task = queue.get(id);
    if (task === undefined || results.has(id) || archiveIndex.has(id)) continue;
    for (const { claim, failed } of attempts.get(id) ?? []) {
      const owner = failed === undefined ? PoolOwner.safeParse(claim?.owner).data : undefined;
      if (owner !== undefined) away.set(owner.pool, [...(away.get(owner.pool) ?? []), { id, title: task.title }]);
    }
  }
  return away;
}

/** The identity of this home towards its pools; created on first use. Throws what the disk throws. */
export async function homeIdentity(fs: FileSystem): Promise<HomeIdentity> {
  await makeDurableDir(fs, PERMITS);
  const hex = () => randomBytes(ID_BYTES).toString("hex");
  for (;;) {
    const known = await readRecord(fs, HomeIdentity, POOLS_HOME_PATH);
    if (known !== null) return known;
    await createRecord(fs, HomeIdentity, POOLS_HOME_PATH, { id: hex(), epoch: hex() });
  }
}

/** A pool with a key of its own. @returns null where there is one of that name. Throws what the disk throws. */
export async function createPool(
  fs: FileSystem,
  pool: Pick<PoolRecord, "name" | "labels" | "slots">,
  nowMs: number,
): Promise<PoolRecord | null> {
  const record: PoolRecord = {
    ...pool,
    key: randomBytes(KEY_BYTES).toString("base64"),
    at: new Date(nowMs).toISOString(),
  };
  return (await createRecord(fs, PoolRecord, poolPath(pool.name), record)) ? record : null;
}

/** Forgets a pool, its key first of all. @returns false where there is none. Throws what the disk throws. */
export async function removePool(fs: FileSystem, name: string): Promise<boolean> {
  if ((await readRecord(fs, PoolRecord, poolPath(name))) === null) return false;
  await fs.unlink(poolPath(name));
  await fs.syncDir(POOLS);
  return true;
}
