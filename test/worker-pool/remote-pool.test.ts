/** The attempts that a machine has for its home, on its own disk. */

import { NO_USAGE } from "@mimikit/protocol/base/usage";
import {
  BegunAway,
  EndedAway,
  type FromPool,
  POOLS_PROTOCOL,
  type PoolJob,
  type PoolOutcome,
} from "@mimikit/protocol/pools/messages";
import { jobOf } from "@mimikit/runtime/pools/names";
import { createRecord } from "@mimikit/store/disk/record";
import { AWAY, begunAwayPath, callsAwayPath, endedAwayPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { type EndedRun, RemotePool } from "../../apps/worker-pool/src/remote/remote-pool.ts";
import { task } from "../core/facts.ts";
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

const RAN: EndedRun = {
  outcome: {
    status: "done",
    resultType: "text",
    result: { text: "out" },
    retryable: false,
    effects: [],
    steers: [],
    usage: NO_USAGE,
    provider: "offline",
  },
  isBegun: true,
  files: [],
  tools: null,
};
const JOB: PoolJob = {
  protocol: POOLS_PROTOCOL,
  task: task("t-1.0"),
  attempt: 1,
  earlier: [],
  interrupted: false,
  timeoutSec: 60,
  autonomy: "full",
  isOwnersWords: false,
  answers: [],
  taskLimit: {},
  spentBefore: { tokens: 0, costUsd: 0 },
  rules: "",
  files: [],
};

function failed(error: unknown): void {
  throw error;
}

function machine(monotonicMs = () => 0, onError = failed) {
  const { home, fs } = temporaryState();
  const said: [string, FromPool["kind"]][] = [];
  const removed: string[] = [];
  const begun: boolean[] = [];
  const nonces: string[] = [];
  const pool = new RemotePool({
    home,
    homeId: OURS.id,
    identity: OWNER,
    fs,
    leaseMs: 1_000,
    connection: {
      silentMs: 0,
      async tell(job, { kind, nonce }) {
        said.push([job, kind]);
        nonces.push(nonce);
      },
      handIn: async (job) => void said.push([job, "ended"]),
      putPiece: async () => {},
      takePiece: async () => null,
    },
    monotonicMs,
    every: () => () => {},
    wait: async () => {},
    append: () => {},
    remove: async (path) => void removed.push(path),
    async run(_job, _steering, _stop, { begin }) {
      begun.push(await begin());
      return RAN;
    },
    forget: async () => {},
    audit: () => {},
    onError,
  });
  return { fs, pool, said, nonces, removed, begun };
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

test("an outcome is kept until the home has taken it: a word about another run of the same job lets go of nothing", async () => {
  const { fs, pool } = machine();
  await fs.makeDir(AWAY);
  const job = jobOf(OURS, "t-1.0", 1);
  await createRecord(fs, BegunAway, begunAwayPath(job), { job, nonce: NONCE, owner: OWNER });
  await createRecord(fs, EndedAway, endedAwayPath(job), { job, nonce: NONCE, outcome: OUTCOME });
  await pool.load();
  pool.hear(job, { kind: "taken", nonce: "0".repeat(16) });
  await pool.stop(0);
  expect(await fs.list(AWAY)).toEqual([`${job}.begun.json`, `${job}.ended.json`]);
  pool.hear(job, { kind: "taken", nonce: NONCE });
  await expect.poll(() => fs.list(AWAY)).toEqual([]);
});

test("a permit that answers a question of more than a lease ago lets nothing begin: the home may have given the attempt up", async () => {
  let atMs = 0;
  const { fs, pool, said, nonces, begun } = machine(() => atMs);
  await fs.makeDir(AWAY);
  const job = jobOf(OURS, "t-1.0", 1);
  const ended = pool.run(job, JOB);
  await expect.poll(() => said).toEqual([[job, "ask"]]);
  const [nonce = ""] = nonces;
  atMs = 1_002;
  pool.hear(job, { kind: "permit", nonce, granted: true, askedMs: 0 });
  expect(await fs.list(AWAY)).toEqual([]);
  expect(begun).toEqual([]);
  pool.hear(job, { kind: "permit", nonce, granted: true, askedMs: 2 });
  await ended;
  expect(begun).toEqual([true]);
});

test("the outcome of a run is handed in although the disk failed just after it was written, and is not run again", async () => {
  const errors: unknown[] = [];
  const { fs, pool, said, nonces, begun } = machine(undefined, (error) => errors.push(error));
  await fs.makeDir(AWAY);
  const job = jobOf(OURS, "t-1.0", 1);
  const ended = pool.run(job, JOB);
  await expect.poll(() => said).toEqual([[job, "ask"]]);
  const { unlink } = fs;
  fs.unlink = async (path) => {
    if (await fs.exists(endedAwayPath(job))) throw new Error("EIO");
    return unlink.call(fs, path);
  };
  pool.hear(job, { kind: "permit", nonce: nonces[0] ?? "", granted: true, askedMs: 0 });
  await ended;
  expect(errors.map(String)).toEqual(["Error: EIO"]);
  expect(said.slice(1)).toEqual([[job, "ended"]]);
  await pool.run(job, JOB);
  expect(begun).toEqual([true]);
  expect(await fs.list(AWAY)).toContain(`${job}.ended.json`);
});

test("an attempt whose outcome the disk did not take is lost at once: the home need not wait for two leases", async () => {
  const errors: unknown[] = [];
  const { fs, pool, said, nonces } = machine(undefined, (error) => errors.push(error));
  await fs.makeDir(AWAY);
  const job = jobOf(OURS, "t-1.0", 1);
  const ended = pool.run(job, JOB);
  await expect.poll(() => said).toEqual([[job, "ask"]]);
  const { writeUnsynced } = fs;
  fs.writeUnsynced = async (path, text) => {
    if (text.includes('"outcome"')) throw new Error("ENOSPC");
    return writeUnsynced.call(fs, path, text);
  };
  pool.hear(job, { kind: "permit", nonce: nonces[0] ?? "", granted: true, askedMs: 0 });
  await ended;
  expect(errors.map(String)).toEqual(["Error: ENOSPC"]);
  expect(said.slice(1)).toEqual([[job, "lost"]]);
});
