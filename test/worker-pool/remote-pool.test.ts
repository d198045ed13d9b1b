/** The attempts that a machine has for its home, on its own disk. */

import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { BegunAway, EndedAway, type FromPool, type PoolOutcome } from "@mimikit/protocol/pools/messages";
import { jobOf } from "@mimikit/runtime/pools/names";
import { createRecord } from "@mimikit/store/disk/record";
import { AWAY, begunAwayPath, callsAwayPath, endedAwayPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { RemotePool } from "../../apps/worker-pool/src/remote/remote-pool.ts";
import { temporaryState } from "../store/home.ts";

const OURS = { id: "a".repeat(16), epoch: "b".repeat(16) };
const FORMER = { id: "c".repeat(16), epoch: "d".repeat(16) };
const OWNER = { pid: 1, startTime: "1", bootId: "b" };
const NONCE = "e".repeat(16);
const OUTCOME: PoolOutcome = {
  status: "done",
  resultType: "text",
  result: { text: "out" },
  retryable: false,
  steers: [],
  usage: NO_USAGE,
  tools: null,
  files: [],
  isBegun: true,
  provider: "offline",
};

function machine() {
  const { home, fs } = temporaryState();
  const said: [string, FromPool["kind"]][] = [];
  const removed: string[] = [];
  const pool = new RemotePool({
    home,
    homeId: OURS.id,
    identity: OWNER,
    fs,
    leaseMs: 1_000,
    link: {
      silentMs: 0,
      tell: async (job, { kind }) => void said.push([job, kind]),
      putOutcome: async () => {},
      putPiece: async () => {},
      takePiece: async () => null,
    },
    every: () => () => {},
    wait: async () => {},
    append: () => {},
    remove: async (path) => void removed.push(path),
    run: () => Promise.reject(new Error("nothing is run")),
    forget: async () => {},
    audit: () => {},
    onError: (error) => {
      throw error;
    },
  });
  return { fs, pool, said, removed };
}

test("an outcome whose beginning a power loss has taken is not kept", async () => {
  const { fs, pool, said, removed } = machine();
  await fs.makeDir(AWAY);
  const job = jobOf(OURS, "t-1.0", 1);
  await createRecord(fs, EndedAway, endedAwayPath(job), { job, nonce: NONCE, outcome: OUTCOME });
  await fs.writeUnsynced(callsAwayPath(job), "{}\n");
  await pool.load();
  pool.beat();
  expect(said).toEqual([]);
  expect(await fs.exists(endedAwayPath(job))).toBe(false);
  expect(removed).toContain(callsAwayPath(job));
});

test("a machine that has joined another home keeps nothing of the one before, and says nothing of it", async () => {
  const { fs, pool, said, removed } = machine();
  await fs.makeDir(AWAY);
  const [ours, former, done] = [jobOf(OURS, "t-1.0", 1), jobOf(FORMER, "t-1.0", 1), jobOf(FORMER, "t-2.0", 1)];
  for (const job of [ours, former, done])
    await createRecord(fs, BegunAway, begunAwayPath(job), { job, nonce: NONCE, owner: OWNER });
  await createRecord(fs, EndedAway, endedAwayPath(done), { job: done, nonce: NONCE, outcome: OUTCOME });
  await pool.load();
  pool.beat();
  await expect.poll(() => said).toEqual([[ours, "lost"]]);
  expect(await fs.list(AWAY)).toEqual([`${ours}.begun.json`]);
  expect(removed).toContain(`${AWAY}/${done}.calls.jsonl`);
});
