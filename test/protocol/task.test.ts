/** The kind of a task, in records of today and in those that were written before tasks had one. */
import { KINDS, type TaskKind } from "@mimikit/protocol/base/kind";
import { Archived } from "@mimikit/protocol/records/archive";
import { blankTask, Task } from "@mimikit/protocol/records/task";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { describe, expect, test } from "vitest";
import { dependentOn, done, NOON, task } from "../core/facts.ts";

const NOTHING = { messages: [], events: [], results: [] };
const WARNING = { kind: "event", id: "e-1", at: NOON, name: "budget", text: "It is used up.", data: {} };
const CLEAR = { kind: "clear", id: "clear-1", at: NOON, mac: "0" };
const IMPROVE = { number: 1 };

/** The fields that tell the kind of a task without a `kind`, for the kinds that there were then. */
const TOLD_BY: Partial<Record<TaskKind, object[]>> = {
  turn: [{ turn: NOTHING }, { turn: { ...NOTHING, events: [{ ...WARNING, name: "restarted" }, WARNING] } }],
  announcement: [{ turn: { ...NOTHING, clear: CLEAR } }, { turn: { ...NOTHING, events: [WARNING] } }],
  plan: [{}],
  work: [{}],
  evaluation: [{ evaluation: [{ id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Is it late?" }] }],
  "roll-up": [{ rollUp: { period: "2026-11", sources: [{ path: "memory/2026-11-17.md", sha256: "aa" }] } }],
  "improve-look": [{ improve: { ...IMPROVE, step: "look" } }],
  "improve-work": [{ improve: { ...IMPROVE, step: "work" } }],
  "improve-review": [{ improve: { ...IMPROVE, step: "review" } }],
  "improve-land": [{ improve: { ...IMPROVE, step: "land" } }],
  "improve-undo": [{ improve: { ...IMPROVE, step: "undo" } }],
};
const CASES = (Object.keys(TOLD_BY) as TaskKind[]).flatMap((kind) =>
  (TOLD_BY[kind] ?? []).map((held) => ({ kind, held })),
);

const recordOf = (kind: TaskKind, held: object) => {
  const { kind: _, ...rest } = { ...task("t-000001.0.0"), ...blankTask(kind), ...held };
  return rest;
};

describe.each(CASES)("a task of the kind $kind", ({ kind, held }) => {
  test("is told by what it holds where its record is older than kinds, and so it is in results, archive and dependent tasks", () => {
    const record = recordOf(kind, held);
    expect(Task.parse(record)).toEqual({ ...record, kind });
    const result = { ...done(task(record.id), { status: "failed", result: null }), task: record };
    expect(Archived.parse(result)).toMatchObject({ task: { kind } });
    const dependent = { ...dependentOn(task(record.id), { type: "time", params: { after: NOON } }), task: record };
    expect(TriggerRecord.parse(dependent)).toMatchObject({ task: { kind } });
  });

  test("holds in its record all that it held before there were kinds, for whoever reads it with older code", () => {
    const record = recordOf(kind, held);
    expect(Task.parse({ ...record, kind })).toEqual({ ...record, kind });
    expect(record).toMatchObject(held);
  });

  test("is of one role only", () => {
    const role = KINDS[kind].role === "worker" ? "planner" : "worker";
    expect(Task.safeParse({ ...recordOf(kind, held), kind, role }).success).toBe(false);
  });
});

test("what is no task is none, with or without a kind", () => {
  for (const record of [null, "work", {}, { kind: "work" }, { ...task("t-000001.0.0"), kind: "dream" }])
    expect(Task.safeParse(record).success).toBe(false);
});
