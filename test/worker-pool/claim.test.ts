import { Claim } from "@mimikit/protocol/records/claim";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, queuePath } from "@mimikit/store/disk/state";
import { Ledger } from "@mimikit/store/mirror/ledger";
import { expect, test } from "vitest";
import { claimAttempt } from "../../apps/worker-pool/src/claim/claim.ts";
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
  const ledger = new Ledger(fs, () => undefined);
  const claiming = { fs, ledger, identity, nowMs: () => NOON_MS };
  const candidate = { task: work, attempt: 5, earlier: [], outages: [], interrupted: false };
  expect(await claimAttempt(candidate, claiming)).toBeNull();
  expect(await fs.list("worker/running")).toEqual([`${work.id}.a8.json`]);
  expect(await claimAttempt({ ...candidate, attempt: 9 }, claiming)).toMatchObject({ attempt: 9 });
});
