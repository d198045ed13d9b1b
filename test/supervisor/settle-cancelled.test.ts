/** A plan that is cancelled between the decision about its result and its execution says so, with what it was told. */
import { cancelMark } from "@mimikit/protocol/base/id";
import { CancelMark } from "@mimikit/protocol/records/archive";
import { Event } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, inboxPath, queuePath, resultPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { settle } from "../../apps/supervisor/src/execute/settle.ts";
import { settlementOf } from "../../packages/core/src/rules/settle.ts";
import { done, NOON, NOON_MS, snapshot, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

test("a plan that is cancelled after it was decided on, and before its tasks are queued, is reported with what it was told", async () => {
  const { fs } = temporaryState();
  const plan = task("t-000001.0");
  const steers = [{ id: "s-1", at: NOON, text: "only the red ones" }];
  const result = done(plan, { effects: [{ type: "delegate", prompt: "paint it" }], steers });
  await createRecord(fs, Task, queuePath("planner", plan.id), plan);
  await createRecord(fs, Result, resultPath("planner", plan.id), result);
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  const context = {
    fs,
    archiveIndex,
    token: "a token",
    nowMs: () => NOON_MS,
    lock: <T>(_path: string, work: () => Promise<T>) => work(),
    audit: () => undefined,
    restart: async () => undefined,
  };
  const decided = () =>
    settlementOf(result, snapshot({ results: [result], archive: [...archiveIndex.names()] }), NOON_MS);
  const before = decided();
  expect(before.tasks).toHaveLength(1);
  const mark = { kind: "mark" as const, id: cancelMark(plan.id), at: NOON, taskId: plan.id };
  await createRecord(fs, CancelMark, archivePath(mark.id), mark);
  await settle(before, context);
  expect(await archiveIndex.confirm(plan.id)).toBe(false);
  await settle(decided(), context);
  expect(await archiveIndex.confirm(plan.id)).toBe(true);
  expect(await readRecord(fs, Event, inboxPath(`${plan.id}.report`))).toMatchObject({
    text: 'The plan "title of t-000001.0" was cancelled.',
    data: { steers },
  });
});
