/** Conditions: each atom, and trees of them in three-valued logic (SPEC D1, D3). */
import type { Facts } from "@mimikit/core/conditions/condition";
import { judge, leavesToAsk, needsOf, used, withBaselines } from "@mimikit/core/conditions/index";
import { explain } from "@mimikit/core/triggers/explain";
import type { Report } from "@mimikit/protocol/base/report";
import { reportOf } from "@mimikit/protocol/records/result";
import { type ConditionEvidence, NO_EVIDENCE } from "@mimikit/protocol/records/trigger";
import { type Condition, leavesOf, partsOf } from "@mimikit/protocol/triggers/condition";
import type { Explanation } from "@mimikit/protocol/wire/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { done, failed, NOON, NOON_MS, task } from "../facts.ts";

interface World {
  now?: string;
  timeZone?: string;
  outcomes?: Record<string, Report>;
  stamps?: Record<string, string>;
}

function factsOf({ now = NOON, timeZone = "UTC", outcomes = {}, stamps = {} }: World): Facts {
  return {
    nowMs: Date.parse(now),
    timeZone,
    outcomeOf: (taskId) => outcomes[taskId],
    isForgiven: () => false,
    stampOf: (path) => stamps[path],
    hasSettled: () => true,
  };
}

const asked = (prompt: string): Condition => ({ type: "llm_eval", params: { prompt } });
const exists = (path: string): Condition => ({ type: "file_exists", params: { path } });
const changed = (path: string, more = {}): Condition => ({ type: "file_changed", params: { path, ...more } });
const time = (params: Extract<Condition, { type: "time" }>["params"]): Condition => ({ type: "time", params });
const answers = (results: (boolean | null)[]): ConditionEvidence => ({
  baselines: {},
  evaluations: Object.fromEntries(results.map((result, leaf) => [leaf, { number: 1, result, at: NOON }])),
});

describe("a tree", () => {
  /** Leaves that are there, are not, cannot be looked at, or are a model's to judge. */
  const leaf = fc.constantFrom(exists("yes"), exists("no"), asked("?"));
  const leafOrUnseen = fc.constantFrom(exists("yes"), exists("no"), exists("unseen"), asked("?"));
  const treesOf = (leaves: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> =>
    fc.letrec<{ tree: Condition }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaves,
        fc
          .array(tie("tree"), { minLength: 1, maxLength: 4 })
          .map((conditions) => ({ type: "and" as const, conditions })),
        fc
          .array(tie("tree"), { minLength: 1, maxLength: 4 })
          .map((conditions) => ({ type: "or" as const, conditions })),
        tie("tree").map((condition) => ({ type: "not" as const, condition })),
      ),
    })).tree;
  const facts = factsOf({ stamps: { yes: "1", no: "" } });

  /** Plain logic, once every leaf is known. */
  function evaluate(condition: Condition, values: readonly boolean[], next = { leaf: 0 }): boolean {
    if (condition.type === "not") return !evaluate(condition.condition, values, next);
    if (condition.type === "and" || condition.type === "or") {
      const parts = condition.conditions.map((part) => evaluate(part, values, next));
      return condition.type === "and" ? parts.every((part) => part) : parts.some((part) => part);
    }
    return values[next.leaf++] ?? false;
  }

  /** The verdict on each leaf before any model is asked. */
  const knownOf = (condition: Condition): (boolean | null)[] =>
    leavesOf(condition).map((atom) => {
      if (atom.type !== "file_exists" || atom.params.path === "unseen") return null;
      return atom.params.path === "yes";
    });

  /** Every way to fill in what is not known; only trees with few such leaves are tried. */
  function completions(known: readonly (boolean | null)[]): boolean[][] {
    return known.reduce<boolean[][]>(
      (all, value) =>
        all.flatMap((begun) => (value === null ? [true, false] : [value]).map((each) => [...begun, each])),
      [[]],
    );
  }

  const isSmall = (condition: Condition) => knownOf(condition).filter((value) => value === null).length <= 6;

  test("is decided exactly when every answer to what is not known makes it the same", () => {
    fc.assert(
      fc.property(treesOf(leafOrUnseen).filter(isSmall), (condition) => {
        const outcomes = new Set(completions(knownOf(condition)).map((values) => evaluate(condition, values)));
        const [only = null] = outcomes.size === 1 ? outcomes : [];
        expect(judge(condition, facts, NO_EVIDENCE).holds).toBe(only);
      }),
      { numRuns: 500 },
    );
  });

  test("asks a model nothing exactly when it is decided", () => {
    fc.assert(
      fc.property(treesOf(leaf), (condition) => {
        const isDecided = judge(condition, facts, NO_EVIDENCE).holds !== null;
        expect(leavesToAsk(condition, facts, NO_EVIDENCE).length === 0).toBe(isDecided);
      }),
      { numRuns: 500 },
    );
  });

  test("is decided by any answers to what it asks, and by nothing else", () => {
    fc.assert(
      fc.property(treesOf(leaf).filter(isSmall), (condition) => {
        const toAsk = new Set(leavesToAsk(condition, facts, NO_EVIDENCE));
        for (const values of completions(knownOf(condition))) {
          const said = values.map((value, leafNumber) => (toAsk.has(leafNumber) ? value : null));
          expect(judge(condition, facts, answers(said)).holds).toBe(evaluate(condition, values));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("asks only what can matter: for each question there are answers to the others that leave it open", () => {
    fc.assert(
      fc.property(treesOf(leaf).filter(isSmall), (condition) => {
        for (const leafNumber of leavesToAsk(condition, facts, NO_EVIDENCE)) {
          const matters = completions(knownOf(condition)).some((values) => {
            const other = values.map((value, i) => (i === leafNumber ? !value : value));
            return evaluate(condition, values) !== evaluate(condition, other);
          });
          expect(matters).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("asks where something cannot be looked at exactly what answers could make true", () => {
    fc.assert(
      fc.property(treesOf(leafOrUnseen).filter(isSmall), (condition) => {
        const toAsk = leavesToAsk(condition, facts, NO_EVIDENCE);
        const leaves = leavesOf(condition);
        const canHold = completions(
          leaves.map((atom, i) => (atom.type === "llm_eval" ? null : (knownOf(condition)[i] ?? false))),
        ).some(
          (values) =>
            judge(condition, facts, answers(values.map((value, i) => (leaves[i]?.type === "llm_eval" ? value : null))))
              .holds === true,
        );
        const isOpen = judge(condition, facts, NO_EVIDENCE).holds === null;
        expect(toAsk.length > 0).toBe(isOpen && canHold);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, Condition, number[]]>([
    ["a part that must hold", { type: "and", conditions: [exists("unseen"), asked("?")] }, []],
    [
      "a part that must not",
      { type: "not", condition: { type: "or", conditions: [exists("unseen"), asked("?")] } },
      [],
    ],
    [
      "one of several ways",
      { type: "or", conditions: [{ type: "and", conditions: [exists("unseen"), asked("?")] }, asked("!")] },
      [2],
    ],
    ["a part that need not hold", { type: "or", conditions: [exists("unseen"), asked("?")] }, [1]],
  ])("asks nothing in vain where %s cannot be looked at", (_, condition, leaves) => {
    expect(leavesToAsk(condition, facts, NO_EVIDENCE)).toEqual(leaves);
  });

  test("asks again whatever a model said before", () => {
    const condition: Condition = { type: "and", conditions: [exists("yes"), asked("?")] };
    expect(leavesToAsk(condition, facts, answers([null, true]))).toEqual([1]);
  });

  test("is explained by a tree of its shape, which says of each part what the verdict on it is", () => {
    const compare = (
      condition: Condition,
      explanation: Explanation,
      evidence: ConditionEvidence,
      first: number,
    ): void => {
      const { length } = leavesOf(condition);
      const ofPart = <T>(known: Record<string, T>) =>
        Object.fromEntries(
          Array.from({ length }, (_, i) => [i, known[first + i]]).filter(([, value]) => value !== undefined),
        );
      const own = { baselines: ofPart(evidence.baselines), evaluations: ofPart(evidence.evaluations) };
      expect(explanation.type).toBe(condition.type);
      expect(explanation.holds).toBe(judge(condition, facts, own).holds);
      const parts = partsOf(condition);
      expect(explanation.parts?.length ?? 0).toBe(parts.length);
      if (parts.length === 0) expect(explanation.text).toMatch(/./);
      let at = first;
      for (const [i, part] of parts.entries()) {
        const below = explanation.parts?.[i];
        if (below !== undefined) compare(part, below, evidence, at);
        at += leavesOf(part).length;
      }
    };
    const results = fc.array(fc.constantFrom(true, false, null), { maxLength: 12 });
    fc.assert(
      fc.property(treesOf(leafOrUnseen), results, (condition, said) => {
        compare(condition, explain(condition, facts, answers(said)), answers(said), 0);
      }),
      { numRuns: 300 },
    );
  });

  test("names what it needs once", () => {
    const ended = (taskId: string): Condition => ({ type: "task_done", params: { taskId } });
    const condition: Condition = {
      type: "or",
      conditions: [ended("a"), exists("f"), { type: "not", condition: ended("a") }, changed("f")],
    };
    expect(needsOf(condition)).toEqual({ tasks: ["a"], paths: ["f"], rests: [{ path: "f", settleSec: 2 }] });
  });

  test("is final as soon as a part decides it for good", () => {
    const outcomes = { a: reportOf(failed(task("a"))) };
    const ended: Condition = { type: "task_done", params: { taskId: "a" } };
    const verdict = (condition: Condition) => judge(condition, factsOf({ outcomes }), NO_EVIDENCE);
    expect(verdict({ type: "and", conditions: [ended, asked("?")] })).toEqual({ holds: false, isFinal: true });
    expect(verdict({ type: "or", conditions: [ended, asked("?")] })).toEqual({ holds: null, isFinal: false });
    expect(verdict({ type: "not", condition: ended })).toEqual({ holds: true, isFinal: true });
  });
});

describe("a task", () => {
  const verdict = (type: "task_done" | "task_failed", outcomes: Record<string, Report>) =>
    judge({ type, params: { taskId: "a" } }, factsOf({ outcomes }), NO_EVIDENCE);

  test("that has no outcome is neither done nor failed, yet", () => {
    expect(verdict("task_done", {})).toEqual({ holds: false, isFinal: false });
    expect(verdict("task_failed", {})).toEqual({ holds: false, isFinal: false });
  });

  test("is done or failed for good, and one that was cancelled is neither", () => {
    const good = { a: reportOf(done(task("a"))) };
    const bad = { a: reportOf(failed(task("a"))) };
    const cancelled = { a: reportOf(failed(task("a"), { failureReason: "cancelled" })) };
    expect(verdict("task_done", good)).toEqual({ holds: true, isFinal: true });
    expect(verdict("task_failed", good)).toEqual({ holds: false, isFinal: true });
    expect(verdict("task_failed", bad)).toEqual({ holds: true, isFinal: true });
    expect(verdict("task_done", cancelled)).toEqual({ holds: false, isFinal: true });
    expect(verdict("task_failed", cancelled)).toEqual({ holds: false, isFinal: true });
  });
});

describe("a file that is watched for changes", () => {
  const holds = (condition: Condition, stamp: string | undefined, evidence: ConditionEvidence) =>
    judge(condition, factsOf({ stamps: stamp === undefined ? {} : { f: stamp } }), evidence).holds;
  const seen = (condition: Condition, stamp: string) => {
    const facts = factsOf({ stamps: { f: stamp } });
    return withBaselines(condition, facts, NO_EVIDENCE) ?? NO_EVIDENCE;
  };

  test("has not changed at first sight, and has when it is created, written or removed", () => {
    for (const [before, after] of [
      ["", "1"],
      ["1", "2"],
      ["1", ""],
    ] as const) {
      const evidence = seen(changed("f"), before);
      expect(holds(changed("f"), before, evidence)).toBe(false);
      expect(holds(changed("f"), after, evidence)).toBe(true);
    }
  });

  test("has changed when what is there has stayed the same for as long as it must, and at once where it need not", () => {
    const moving: Facts = { ...factsOf({ stamps: { f: "2" } }), hasSettled: (_path, settleSec) => settleSec < 5 };
    const before = { ...NO_EVIDENCE, baselines: { 0: "1" } };
    const holds = (settleSec?: number) =>
      judge({ type: "file_changed", params: { path: "f", settleSec } }, moving, before).holds;
    expect([undefined, 0, 4, 5].map(holds)).toEqual([true, true, true, false]);
    expect(needsOf({ type: "file_changed", params: { path: "f", settleSec: 0 } }).rests).toEqual([]);
  });

  test("has changed at first sight where that is asked for, if it is there", () => {
    const eager = changed("f", { fireOnInit: true });
    expect(holds(eager, "1", seen(eager, "1"))).toBe(true);
    expect(holds(eager, "", seen(eager, ""))).toBe(false);
  });

  test("has changed only once for what was acted upon", () => {
    const facts = factsOf({ stamps: { f: "2" } });
    const evidence = used(changed("f"), facts, seen(changed("f"), "1"));
    expect(holds(changed("f"), "2", evidence)).toBe(false);
    expect(holds(changed("f"), "3", evidence)).toBe(true);
  });

  test("is unknown while nobody can look, and that is no baseline", () => {
    expect(holds(changed("f"), undefined, NO_EVIDENCE)).toBeNull();
    expect(withBaselines(changed("f"), factsOf({}), NO_EVIDENCE)).toBeNull();
  });
});

test("an answer of a model counts until a firing has used it", () => {
  const condition = asked("?");
  expect(judge(condition, factsOf({}), answers([true])).holds).toBe(true);
  expect(judge(condition, factsOf({}), used(condition, factsOf({}), answers([true]))).holds).toBeNull();
});

describe("a time", () => {
  const holds = (params: Parameters<typeof time>[0], now: string, timeZone = "UTC") =>
    judge(time(params), factsOf({ now, timeZone }), NO_EVIDENCE);
  const at = (hhmm: string) => `2026-11-22T${hhmm}:00.000Z`;

  test("of day begins with its first minute, and is over at its end", () => {
    const span = { after: "09:00", before: "17:30" };
    const holding = ["08:59", "09:00", "12:00", "17:29", "17:30"].filter(
      (hhmm) => holds(span, at(hhmm)).holds === true,
    );
    expect(holding).toEqual(["09:00", "12:00", "17:29"]);
  });

  test("of day goes over midnight where it ends earlier than it begins", () => {
    const span = { after: "22:00", before: "06:00" };
    const holding = ["21:59", "22:00", "23:59", "00:00", "05:59", "06:00", "12:00"].filter(
      (hhmm) => holds(span, at(hhmm)).holds === true,
    );
    expect(holding).toEqual(["22:00", "23:59", "00:00", "05:59"]);
  });

  test("is that of its own zone, or of the server's", () => {
    expect(holds({ after: "19:00", timezone: "Asia/Shanghai" }, at("11:30")).holds).toBe(true);
    expect(holds({ after: "19:00" }, at("11:30")).holds).toBe(false);
    expect(holds({ after: "19:00" }, at("11:30"), "Asia/Shanghai").holds).toBe(true);
    // A Sunday in London is a Monday in Auckland.
    expect(holds({ weekdays: ["mon"], timezone: "Pacific/Auckland" }, at("12:00")).holds).toBe(true);
    expect(holds({ weekdays: ["mon"] }, at("12:00")).holds).toBe(false);
  });

  test("that is one moment is compared as one, and is over for good", () => {
    const before = { before: "2026-11-22T20:00:00+08:00" };
    expect(holds(before, "2026-11-22T11:59:59.999Z")).toEqual({ holds: true, isFinal: false });
    expect(holds(before, NOON)).toEqual({ holds: false, isFinal: true });
    expect(holds({ after: NOON }, NOON).holds).toBe(true);
    expect(holds({ after: NOON }, new Date(NOON_MS - 1).toISOString()).holds).toBe(false);
  });
});
