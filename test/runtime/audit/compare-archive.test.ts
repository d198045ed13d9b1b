/** Which turns and tasks of the archive must have a line, and where a kill may have kept it from being written. */
import { LoggedWork } from "@mimikit/runtime/audit/compare-archive";
import { expect, test } from "vitest";

const turn = (n: number, ...reports: string[]) => ({ id: `t-00000${n}`, reports });

/** The log of a supervisor: a number for the end of a turn, else the event, with a task after a space. */
function logOf(words: readonly (number | string)[], { from = 1, isKeyed = true } = {}): LoggedWork {
  const work = new LoggedWork();
  for (const [at, word] of words.entries()) {
    const [event = "", taskId] = typeof word === "number" ? ["turn_settled", `t-00000${word}`] : word.split(" ");
    const line = { timestamp: "", seq: from + at, actor: "supervisor", event, previousHash: "" } as const;
    work.note({ ...line, ...(taskId !== undefined && { taskId }) }, isKeyed);
  }
  return work;
}

const START = "supervisor_started";
const STOP = "supervisor_stopped";
const [A, B, C] = [turn(1), turn(2), turn(3)];

test.each([
  ["every turn has its line", logOf([START, 1, 2, STOP]), [A, B], []],
  ["one in the middle has none", logOf([START, 1, 3, STOP]), [A, B, C], ["t-000002"]],
  ["one in the middle has none, and a kill was there", logOf([START, 1, START, 3, STOP]), [A, B, C], []],
  ["one in the middle has none, and a kill was elsewhere", logOf([START, 1, 3, START, STOP]), [A, B, C], ["t-000002"]],
  [
    "one in the middle has none, and a clean stop was there",
    logOf([START, 1, STOP, START, 3]),
    [A, B, C],
    ["t-000002"],
  ],
  ["one in the middle has none, and lines were lost there", logOf([START, 1, "audit_lost", 3]), [A, B, C], []],
  ["the last has none, and it runs or was killed", logOf([START, 1]), [A, B], []],
  ["the last has none, and it was stopped in order", logOf([START, 1, STOP]), [A, B], ["t-000002"]],
  ["the same, and was witnessing then", logOf([START, 1, STOP, "audit_witnessed"]), [A, B], ["t-000002"]],
  ["the first has none, and the log begins with its first line", logOf([START, 2, STOP]), [A, B], ["t-000001"]],
  ["the first has none, and the log begins later", logOf([2, STOP], { from: 40 }), [A, B], []],
  ["none has one, and the lines are of a version before 0.3", logOf([START, STOP], { isKeyed: false }), [A, B], []],
])("%s", (_what, work, turns, missing) => {
  expect(work.missing(turns).map((told) => told.split(" ")[0])).toEqual(missing);
});

test("a log without a line is noticed where the archive has turns, and only there", () => {
  expect(logOf([]).missing([A])).toEqual([expect.stringMatching(/the log of the supervisor has no line/)]);
  expect(logOf([]).missing([])).toEqual([]);
});

test("a task that a turn reported has a line of any process, unless a kill was between its order and its report", () => {
  const reported = [A, turn(2, "t-000001.0")];
  expect(logOf([START, 1, "task_queued t-000001.0", 2, STOP]).missing(reported)).toEqual([]);
  expect(logOf([START, 1, 2, STOP]).missing(reported)).toEqual([
    expect.stringMatching(/^t-000001\.0 was reported by t-000002/),
  ]);
  expect(logOf([START, 1, START, 2, STOP]).missing(reported)).toEqual([]);
});
