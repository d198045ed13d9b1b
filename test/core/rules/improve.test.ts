/** When a look for something to improve begins, what follows from each step, and what the Teller is told (SPEC J). */

import { decide } from "@mimikit/core/decide";
import { failedResult } from "@mimikit/core/tasks/finish";
import { IMPROVE_WAIT_SEC_MAX, improveWaitSec, nextStep, unmergeTask } from "@mimikit/core/tasks/improvement";
import { cancelMark } from "@mimikit/protocol/base/id";
import type { MergeChange } from "@mimikit/protocol/records/change";
import type { CommittedChange, Improve, ImproveStep, Unmerging } from "@mimikit/protocol/records/improvement";
import { stepId } from "@mimikit/protocol/records/improvement";
import type { CommandOf, UndoCommand } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import { improve } from "../../../packages/core/src/rules/improve.ts";
import { settle } from "../../../packages/core/src/rules/settle.ts";
import { undo } from "../../../packages/core/src/rules/undo.ts";
import { done, message, NOON, NOON_MS, recurring, snapshot, task } from "../facts.ts";

type Facts = Parameters<typeof snapshot>[0];

const IDLE_MS = 300_000;
const quiet = (more: Partial<Facts["improving"]> = {}) => ({ isEnabled: true, activeMs: NOON_MS - IDLE_MS, ...more });
const command: CommandOf<"improve"> = { kind: "improve", id: "improve-1", at: NOON, mac: "" };

const FOUND = { found: true, kind: "docs", title: "a typo", prompt: "Correct it.", why: "It is wrong." } as const;
const CHANGE: CommittedChange = { base: "b", commit: "c", files: [], diff: "+x", checks: [], said: "done" };

function stepOf(step: ImproveStep, more: Partial<Improve> = {}): Task {
  const role = step === "review" ? "reviewer" : "worker";
  const improve = { number: 7, step, ...more };
  return task(stepId(7, step), { role, traceId: "imp-000007", consumer: "supervisor", improve });
}

/** The ids of what begins now. */
function begins(facts: Facts, nowMs = NOON_MS): string[] {
  return improve(snapshot(facts), nowMs).flatMap((action) => (action.type === "improve" ? [action.task.id] : []));
}

describe("a look begins", () => {
  test("when it has been quiet for five minutes, under the next number", () => {
    expect(begins({ improving: quiet() })).toEqual(["imp-000001"]);
    expect(begins({ improving: quiet({ number: 11 }) })).toEqual(["imp-000012"]);
    expect(begins({ improving: quiet({ activeMs: NOON_MS - IDLE_MS + 1 }) })).toEqual([]);
  });

  test("not where it is off, no model answers, or a budget is used up", () => {
    const ceiling = {
      scope: "day",
      period: "",
      limit: {},
      spent: { tokens: 0, costUsd: 0 },
      reserved: { tokens: 0, costUsd: 0 },
      resumesAt: NOON,
    } as const;
    expect(begins({ improving: quiet({ isEnabled: false }) })).toEqual([]);
    expect(begins({ improving: quiet({ lacks: "no model answers for the worker" }) })).toEqual([]);
    expect(begins({ improving: quiet(), ceiling })).toEqual([]);
    expect(begins({ improving: quiet({ limit: { tokens: 10 }, spent: { tokens: 10, costUsd: 0 } }) })).toEqual([]);
  });

  test("not while anything waits or runs; triggers that stand do not count", () => {
    expect(begins({ improving: quiet(), inbox: [message("m-1")] })).toEqual([]);
    expect(begins({ improving: quiet(), queue: [task("t-000001.0.0")] })).toEqual([]);
    expect(begins({ improving: quiet(), results: [done(task("t-000001.0.0"))] })).toEqual([]);
    expect(begins({ improving: quiet(), queue: [stepOf("look")] })).toEqual([]);
    expect(
      begins({ improving: quiet(), triggers: [recurring("trg-1")], inbox: [message("m-1")], archive: ["m-1"] }),
    ).toEqual(["imp-000001"]);
  });

  test("after old notes are summed up, which nobody waits for either: one of the two at a time", () => {
    const rollUp = { period: "2026-11-17", number: 1, sources: [] };
    const types = decide(snapshot({ improving: quiet(), memory: { rollUp } }), NOON_MS).map(({ type }) => type);
    expect(types).toEqual(["roll-up"]);
  });

  test("later and later while nothing comes of it, at least once a day", () => {
    expect([0, 1, 2, 3].map((failures) => improveWaitSec(300, failures))).toEqual([300, 600, 1_200, 2_400]);
    expect(improveWaitSec(300, 10)).toBe(IMPROVE_WAIT_SEC_MAX);
    const failedOnce = quiet({ failures: 1, activeMs: NOON_MS - IDLE_MS });
    expect(begins({ improving: failedOnce })).toEqual([]);
    expect(begins({ improving: failedOnce }, NOON_MS + IDLE_MS)).toEqual(["imp-000001"]);
  });

  test("is below the priority of everything else, and read-only work of the supervisor's own", () => {
    const [action] = improve(snapshot({ improving: quiet() }), NOON_MS);
    expect(action).toMatchObject({
      type: "improve",
      task: { role: "worker", priority: 0, consumer: "supervisor", triggerId: "self-improve", onInterrupt: "rerun" },
    });
  });
});

describe("the command to improve something now", () => {
  const answers = (facts: Facts) =>
    improve(snapshot({ inbox: [command], ...facts }), NOON_MS).map((action) =>
      action.type === "answer-command" ? action.outcome : action.type,
    );

  test("is granted at once, also where it does not begin by itself", () => {
    expect(answers({})).toEqual(["improve", "imp-000001"]);
  });

  test("is answered with what it began where the answer was cut off", () => {
    expect(answers({ queue: [stepOf("look", { wishId: command.id })] })).toEqual(["imp-000007"]);
  });

  test("is refused while another is under way, and without a model", () => {
    expect(answers({ queue: [stepOf("work")] })).toEqual(["refused: imp-000007 is under way"]);
    expect(answers({ improving: { lacks: "no model" } })).toEqual(["refused: no model"]);
  });
});

describe("what follows from a step", () => {
  const result = (of: Task, value: unknown, more: Partial<Result> = {}) => done(of, { result: value, ...more });

  test("look, work, review, land: each is told what came before", () => {
    const work = nextStep(result(stepOf("look"), FOUND));
    expect(work).toMatchObject({ id: "imp-000007.work", role: "worker", title: "a typo", parentId: "imp-000007" });
    expect(work?.prompt).toMatch(/^Correct it\.\n\n.*git worktree/s);
    const review = nextStep(result(stepOf("work", { found: FOUND }), CHANGE));
    expect(review).toMatchObject({
      id: "imp-000007.review",
      role: "reviewer",
      improve: { found: FOUND, change: CHANGE },
    });
    const verdict = { pass: true, reasons: ["good"] };
    const land = nextStep(result(stepOf("review", { found: FOUND, change: CHANGE }), verdict));
    expect(land).toMatchObject({ id: "imp-000007.land", role: "worker", improve: { review: verdict, change: CHANGE } });
    expect(
      nextStep(result(stepOf("land", { found: FOUND }), { outcome: "branch", branch: "b", commit: "c" })),
    ).toBeNull();
  });

  test("nothing, where nothing was found, nothing was changed, or it failed", () => {
    expect(nextStep(result(stepOf("look"), { found: false }))).toBeNull();
    expect(nextStep(result(stepOf("work", { found: FOUND }), { ...CHANGE, commit: null }))).toBeNull();
    expect(nextStep(failedResult(stepOf("work", { found: FOUND }), "poison", "died", NOON_MS, 3))).toBeNull();
  });

  test("a failed step is settled at once, and nobody is told", () => {
    const bad = failedResult(stepOf("review", { found: FOUND }), "timeout", "too long", NOON_MS, 2);
    const actions = decide(snapshot({ results: [bad] }), NOON_MS);
    expect(actions.map(({ type }) => type)).toEqual(["settle"]);
    expect(actions[0]).toMatchObject({ settlement: { tasks: [], events: [] } });
  });

  test("a cancelled improvement goes no further", () => {
    const found = done(stepOf("look"), { result: FOUND });
    const [action] = settle(snapshot({ results: [found], archive: [cancelMark("imp-000007")] }), NOON_MS);
    expect(action).toMatchObject({ settlement: { tasks: [] } });
  });

  test("the Teller is told in one line of what landed, and of nothing else", () => {
    const told = (outcome: string) => {
      const landing = { outcome, branch: "self-improve/imp-000007", commit: "c" };
      const [action] = settle(
        snapshot({ results: [done(stepOf("land", { found: FOUND }), { result: landing })] }),
        NOON_MS,
      );
      return action?.type === "settle" ? action.settlement.events.map(({ id, text }) => [id, text]) : [];
    };
    expect(told("branch")).toEqual([
      ["imp-000007.land.report", 'The self-improvement "a typo" waits on the branch self-improve/imp-000007.'],
    ]);
    expect(told("merged")).toEqual([
      ["imp-000007.land.report", 'The self-improvement "a typo" was merged into your branch.'],
    ]);
    expect(told("removed")).toEqual([]);
  });
});

describe("a merge can be taken back", () => {
  const land = stepOf("land", { found: FOUND, change: CHANGE });
  const landed = (outcome: string) =>
    done(land, {
      resultType: "landing",
      result: { outcome, branch: "self-improve/imp-000007", commit: "c", into: "main" },
    });
  const changesOf = (result: Result, archive: string[] = []) => {
    const [action] = settle(snapshot({ results: [result], archive }), NOON_MS);
    return action?.type === "settle" ? action.settlement.changes : undefined;
  };
  const merge: MergeChange = {
    ...{ kind: "change", id: "imp-000007", at: NOON, by: "self-improve", title: "a typo" },
    ...{ what: "improvement", op: "merge", number: 7, merged: { base: "b", commit: "c", into: "main" } },
  };
  const undoCommand = (id: string): UndoCommand => ({
    kind: "undo",
    id,
    at: NOON,
    changeId: "imp-000007",
    mac: "seal",
  });
  const now = (facts: Facts) => undo(snapshot({ changes: [merge], ...facts }), NOON_MS);
  const tryOf = (n: number) => unmergeTask(merge, n, NOON_MS);
  const came = (outcome: Unmerging["outcome"], note: string) =>
    done(tryOf(1), { resultType: "unmerging", result: { outcome, commit: null, note } });

  test("what it needs is recorded when the merge is settled, also where the improvement was cancelled meanwhile", () => {
    expect(changesOf(landed("merged"))).toEqual([merge]);
    expect(changesOf(landed("merged"), [cancelMark("imp-000007")])).toEqual([merge]);
    expect(changesOf(landed("branch"))).toEqual([]);
    expect(changesOf(failedResult(land, "error", "no", NOON_MS, 1))).toEqual([]);
  });

  test("by one task at a time, which is nobody's child, and is the user's order", () => {
    const [action] = now({ inbox: [undoCommand("undo-1"), undoCommand("undo-2")] });
    if (action?.type !== "unmerge") throw new Error(`it is ${JSON.stringify(action)}`);
    const { task: ordered } = action;
    expect(ordered).toMatchObject({ id: "imp-000007-undo-1", role: "worker", consumer: "supervisor", priority: 5 });
    expect(ordered.improve).toEqual({ number: 7, step: "undo", merged: merge.merged });
    expect(ordered).not.toHaveProperty("parentId");
    expect(now({ inbox: [undoCommand("undo-1")], queue: [ordered] })).toEqual([]);
    expect(begins({ inbox: [command], queue: [ordered] })).toEqual([]);
  });

  test("whoever waits is answered first, and the result is settled when nobody waits any more", () => {
    const inbox = [undoCommand("undo-1")];
    const undone = came("undone", "undone by the commit d");
    expect(now({ inbox, results: [undone] })).toEqual([
      { type: "conclude-undo", command: inbox[0], outcome: "undone by the commit d" },
    ]);
    expect(settle(snapshot({ inbox, results: [undone] }), NOON_MS)).toEqual([]);
    expect(settle(snapshot({ inbox, results: [undone], archive: ["undo-1"] }), NOON_MS)).toMatchObject([
      { type: "settle", settlement: { tasks: [], events: [], changes: [] } },
    ]);
    const second = now({ inbox: [undoCommand("undo-2")], results: [undone], archive: ["imp-000007.undone"] });
    expect(second).toMatchObject([{ type: "conclude-undo", outcome: "it was undone before" }]);
  });

  test("who is refused is told why, and asks for the next try", () => {
    const inbox = [undoCommand("undo-1")];
    expect(now({ inbox, results: [came("refused", "not undone: there are newer commits")] })).toEqual([
      { type: "answer-command", command: inbox[0], outcome: "refused: not undone: there are newer commits" },
    ]);
    const dead = failedResult(tryOf(1), "cancelled", "cancelled by the user", NOON_MS, 1);
    expect(now({ inbox, results: [dead] })).toMatchObject([
      { type: "answer-command", outcome: "refused: cancelled by the user" },
    ]);
    expect(now({ inbox, archive: ["imp-000007-undo-1"] })).toMatchObject([
      { type: "unmerge", task: { id: "imp-000007-undo-2" } },
    ]);
  });
});
