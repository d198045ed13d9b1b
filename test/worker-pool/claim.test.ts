import { Claim } from "@mimikit/protocol/records/claim";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, queuePath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { claimAttempt, keepClaim } from "../../apps/worker-pool/src/claim/claim.ts";
import { NOON, NOON_MS, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const identity = { pid: 1, startTime: "1", bootId: "b" };

test("an attempt whose name is free again is not claimed while there is a later one", async () => {
  const { fs } = temporaryState();
  const work = task("t-000001.0.0");
  await createRecord(fs, Task, queuePath("worker", work.id), work);
  await createRecord(fs, Claim, claimPath("worker", work.id, 8), {
    id: work.id,
    attempt: 8,
    owner: identity,
    at: NOON,
  });
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  const heard: string[] = [];
  const claiming = {
    fs,
    archiveIndex,
    identity,
    attempts: new Map(),
    nowMs: () => NOON_MS,
    hear: (dir: string, name: string) => heard.push(`${dir}/${name}`),
  };
  const candidate = { task: work, attempt: 5, company: "all" as const, earlier: [], outages: [], interrupted: false };
  expect(await claimAttempt(candidate, claiming)).toBeNull();
  expect(await fs.list("worker/running")).toEqual([`${work.id}.a8.json`]);
  expect(heard).toEqual([`worker/running/${work.id}.a8.json`]);
  expect(await claimAttempt({ ...candidate, attempt: 9 }, claiming)).toMatchObject({ attempt: 9 });
});

/** A task in its queue, and how often the disk was waited for since. */
async function claimable(more: Partial<Task> = {}) {
  const { fs } = temporaryState();
  const work = task("t-000001.0.0", more);
  await createRecord(fs, Task, queuePath("worker", work.id), work);
  const waits: string[] = [];
  const waiting = <A extends unknown[], R>(name: string, call: (...args: A) => R) => {
    return (...args: A): R => {
      waits.push(name);
      return call(...args);
    };
  };
  const counting = {
    ...fs,
    write: waiting("content", fs.write),
    syncContent: waiting("content", fs.syncContent),
    syncDir: waiting("names", fs.syncDir),
  };
  const claiming = {
    fs: counting,
    archiveIndex: new ArchiveIndex(fs, () => undefined),
    identity,
    attempts: new Map(),
    nowMs: () => NOON_MS,
    hear: () => {},
  };
  const candidate = { task: work, attempt: 1, company: "all" as const, earlier: [], outages: [], interrupted: false };
  return { claiming, candidate, waits };
}

test("a claim whose attempt may begin anew does not wait for the disk, until something is known by its number", async () => {
  const { claiming, candidate, waits } = await claimable();
  expect(await claimAttempt(candidate, claiming)).toMatchObject({ attempt: 1 });
  expect(waits).toEqual([]);
  await keepClaim(candidate, claiming.fs);
  expect(waits).toEqual(["content", "names"]);
});

const LASTING: [string, Partial<Task>, object][] = [
  ["of a task that must not run twice", { onInterrupt: "ask" }, {}],
  ["that counts in a budget", {}, { reserved: { tokens: 1, costUsd: 0 } }],
  ["of a later attempt", {}, { attempt: 2 }],
];

test.each(LASTING)("a claim %s is durable before its run begins, and its task before it", async (_what, more, of) => {
  const { claiming, candidate, waits } = await claimable(more);
  expect(await claimAttempt({ ...candidate, ...of }, claiming)).not.toBeNull();
  expect(waits).toEqual(["content", "names", "content", "names"]);
});
