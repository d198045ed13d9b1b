import type { AuditLine } from "@mimikit/protocol/records/audit";
import { expect, test } from "vitest";
import { replay } from "../../../apps/cli/src/backup/replay.ts";

type Said = Partial<AuditLine> & { event: string };

/** One line a second, from 09:00:00 on. */
function linesOf(...said: Said[]): AuditLine[] {
  return said.map((line, at) => ({
    timestamp: second(at),
    seq: at + 1,
    actor: "supervisor",
    previousHash: "",
    ...line,
  }));
}

const second = (at: number) => new Date(Date.UTC(2026, 10, 22, 9, 0, at)).toISOString();
const planner = { taskId: "t-000001.0", detail: { role: "planner", title: "buy milk" } };

const LINES = linesOf(
  { event: "supervisor_started" },
  { event: "message_accepted", actor: "gateway", detail: { id: "m-1" } },
  { event: "teller_woken", taskId: "t-000001" },
  { event: "task_started", actor: "workers", taskId: "t-000001", attempts: 1 },
  { event: "task_done", actor: "workers", taskId: "t-000001", attempts: 1 },
  { event: "task_queued", ...planner },
  { event: "turn_settled", taskId: "t-000001" },
  { event: "task_started", actor: "workers", taskId: "t-000001.0", attempts: 1 },
  { event: "task_retry", actor: "workers", taskId: "t-000001.0", attempts: 1, failureReason: "timeout" },
  { event: "task_started", actor: "workers", taskId: "t-000001.0", attempts: 2 },
  { event: "question_asked", taskId: "t-000001.1" },
  { event: "question_answered", taskId: "t-000001.1" },
  { event: "trigger_created", taskId: "trg-1" },
  { event: "trigger_advanced", taskId: "trg-1" },
  { event: "task_cancelled", taskId: "t-000001.0" },
  { event: "task_failed", taskId: "t-000001.0", failureReason: "cancelled" },
  { event: "trigger_deleted", taskId: "trg-1" },
  { event: "supervisor_stopped" },
);

const at = (moment: number) => replay(LINES, second(moment));

test("a task is queued, running, queued again and gone, as the log says it", () => {
  expect(at(2).tasks).toMatchObject([{ id: "t-000001", state: "queued", role: "teller" }]);
  expect(at(3).tasks).toMatchObject([{ id: "t-000001", state: "running", attempts: 1, since: second(3) }]);
  expect(at(4).tasks).toMatchObject([{ id: "t-000001", state: "ended", outcome: "task_done" }]);
  expect(at(6).tasks).toMatchObject([{ id: "t-000001.0", state: "queued", role: "planner", title: "buy milk" }]);
  expect(at(8).tasks).toMatchObject([{ id: "t-000001.0", state: "queued" }]);
  expect(at(9).tasks).toMatchObject([{ id: "t-000001.0", state: "running", attempts: 2, title: "buy milk" }]);
  expect(at(15).tasks).toEqual([]);
});

test("what was said, asked and standing is what it was at the moment, and not after it", () => {
  expect(at(0)).toMatchObject({
    lines: 1,
    accepted: [],
    turns: [],
    processes: { supervisor: "up", workers: "unknown" },
  });
  expect(at(1).accepted).toEqual(["m-1"]);
  expect([at(5).turns, at(6).turns]).toEqual([[], ["t-000001"]]);
  expect([at(10).questions, at(11).questions]).toEqual([["t-000001.1"], []]);
  expect([at(13).triggers, at(16).triggers]).toEqual([["trg-1"], []]);
  expect(at(17)).toMatchObject({ processes: { supervisor: "down" }, last: { event: "supervisor_stopped" } });
});

test.each([
  ["a roll-up", "sum-20261117-1", "roll_up_queued", "roll_up_settled"],
  ["a batch of conditions", "eval-000001", "evaluation_queued", "evaluation_settled"],
  ["a look for something to improve", "imp-000001", "improvement_begun", "improvement_look_settled"],
  ["a review", "imp-000001.review", "task_queued", "improvement_review_settled"],
])("%s is queued, runs and is over, too", (_, taskId, queued, settled) => {
  const lines = linesOf(
    { event: queued, taskId, detail: { role: "worker", title: "a title" } },
    { event: "task_started", actor: "workers", taskId, attempts: 1 },
    { event: "task_done", actor: "workers", taskId, attempts: 1 },
    { event: settled, taskId },
  );
  const states = [0, 1, 2, 3].map((moment) => replay(lines, second(moment)).tasks[0]?.state);
  expect(states).toEqual(["queued", "running", "ended", undefined]);
});
