/** A plan that is cancelled between the decision about its result and its execution says so, with what it was told. */
import { cancelMark } from "@mimikit/protocol/base/id";
import { CancelMark } from "@mimikit/protocol/records/archive";
import { Event } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, inboxPath, queuePath, resultPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { settle } from "../../apps/supervisor/src/execute/settle.ts";
import { settlementOf } from "../../packages/core/src/rules/settle.ts";
import { done, NOON, NOON_MS, snapshot, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { contextOf } from "./context.ts";

/** A plan that was told something, and wants one task; `mark` cancels what it names. */
async function plannedOnDisk() {
  const { fs } = temporaryState();
  const plan = task("t-000001.0");
  const steers = [{ id: "s-1", at: NOON, text: "only the red ones" }];
  const result = done(plan, { effects: [{ type: "delegate", prompt: "paint it" }], steers });
  await createRecord(fs, Task, queuePath("planner", plan.id), plan);
  await createRecord(fs, Result, resultPath("planner", plan.id), result);
  const context = await contextOf(fs);
  const { archiveIndex } = context;
  const decided = () =>
    settlementOf(result, snapshot({ results: [result], archive: [...archiveIndex.names()] }), NOON_MS);
  const mark = async (taskId: string) => {
    const record = { kind: "mark" as const, id: cancelMark(taskId), at: NOON, taskId };
    await createRecord(fs, CancelMark, archivePath(record.id), record);
  };
  return { fs, plan, steers, context, archiveIndex, decided, mark };
}

test("a plan whose task was cancelled alone, and lost in a power failure, is settled", async () => {
  const { plan, context, archiveIndex, decided, mark } = await plannedOnDisk();
  await mark(`${plan.id}.0`);
  await settle(decided(), context);
  expect(await archiveIndex.confirm(plan.id)).toBe(true);
});

test("a plan that is cancelled after it was decided on, and before its tasks are queued, is reported with what it was told", async () => {
  const { fs, plan, steers, context, archiveIndex, decided, mark } = await plannedOnDisk();
  const before = decided();
  expect(before.tasks).toHaveLength(1);
  await mark(plan.id);
  await settle(before, context);
  expect(await archiveIndex.confirm(plan.id)).toBe(false);
  await settle(decided(), context);
  expect(await archiveIndex.confirm(plan.id)).toBe(true);
  expect(await readRecord(fs, Event, inboxPath(`${plan.id}.report`))).toMatchObject({
    text: 'The plan "title of t-000001.0" was cancelled.',
    data: { steers },
  });
});
