/** The summary of old turns: whole sentences, the newest of each kind, and the same text again after a round trip. */

import { estimateTokens } from "@mimikit/agent/prompt/tokens";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionLine } from "../../../packages/agent/src/session/session.ts";
import {
  ITEM_CHARS_MAX,
  ITEMS_MAX,
  merge,
  NO_SUMMARY,
  parseSummary,
  renderSummary,
  SUMMARY_PARTS,
  type Summary,
  showSummary,
  summarize,
} from "../../../packages/agent/src/session/summary.ts";

const said = (text: string): SessionLine => ({ type: "assistant", text, calls: [] });
const steer = (text: string): SessionLine => ({ type: "steer", id: "s-1", at: "2026-11-22T02:00:00.000Z", text });
const of = (part: keyof Summary, ...turns: SessionLine[]) => summarize(turns, NO_SUMMARY, "")[part];

describe("the goal's constraints", () => {
  const constraintsOf = (goal: string) => summarize([], NO_SUMMARY, goal).constraints;

  test.each([
    ["Deploy it. You must keep config.json as it is. Thanks!", ["You must keep config.json as it is."]],
    ["部署它。不要修改 config.json 里的端口；其余随意。", ["不要修改 config.json 里的端口；"]],
    ["只能使用 v1.2.3 版本！", ["只能使用 v1.2.3 版本！"]],
    ["Never push to main, e.g. by 10 a.m. tomorrow", ["Never push to main, e.g. by 10 a.m. tomorrow"]],
    ["我只是想问一下 config.json 在哪里", []],
    ["I only wonder where config.json is.", []],
    ["是否必须重启？", []],
  ])("of %j are %j", (goal, constraints) => {
    expect(constraintsOf(goal)).toEqual(constraints);
  });
});

test("decisions are what was decided, and not what was asked", () => {
  expect(of("decisions", said("I looked around. I decided to use port 8080.5.x for now. Should I use TLS?"))).toEqual([
    "I decided to use port 8080.5.x for now.",
  ]);
  expect(of("decisions", said("看了一下。决定采用 SQLite。使用什么端口？"))).toEqual(["决定采用 SQLite。"]);
});

test("open items are what was asked, by either side", () => {
  expect(of("openItems", steer("Go on. Which branch?"), said("如何部署到生产环境"))).toEqual([
    "Which branch?",
    "如何部署到生产环境",
  ]);
});

test("what the user says meanwhile is kept, whatever words it has", () => {
  expect(of("constraints", steer("In French, please."))).toEqual(["In French, please."]);
});

test("a list is one item with the line that introduces it", () => {
  const list = "You must do:\n- first this\n  in two steps\n- then that";
  expect(summarize([], NO_SUMMARY, `${list}\n\nBye.`).constraints).toEqual([list]);
});

test("facts name the tool, the call, what it was about, what came of it and where all of it is", () => {
  const facts = of(
    "toolFacts",
    {
      type: "assistant",
      text: "",
      calls: [
        { id: "c1", name: "bash", arguments: '{"command":"npm test\\nexit"}' },
        { id: "c2", name: "delegate", arguments: '{"prompt":"x"}' },
        { id: "c3", name: "bash", arguments: "{torn" },
        { id: "c4", name: "bash", arguments: "{}" },
      ],
    },
    { type: "result", requestId: "c1", tool: "bash", text: "\n[exit code 0]\nok", isMade: true, artifact: "/runs/1" },
    { type: "result", requestId: "c2", tool: "delegate", text: '{"id":"t-1.0"}', isMade: true },
    { type: "result", requestId: "c3", tool: "bash", text: "not executed", isMade: false },
    { type: "result", requestId: "c4", tool: "bash", text: "", isMade: true },
  );
  expect(facts).toEqual([
    "bash [c1] command=npm test → [exit code 0] (all of it: /runs/1)",
    'delegate [c2] id=t-1.0 → {"id":"t-1.0"}',
    "bash [c4]",
  ]);
});

describe("merging", () => {
  test("keeps the first goal and the newest of all else, nothing twice", () => {
    const older = summarize([steer("one"), steer("two")], NO_SUMMARY, "the goal");
    const newer = summarize([steer("one"), steer("three")], older, "the goal");
    expect(newer.goal).toEqual(["the goal"]);
    expect(newer.constraints).toEqual(["two", "one", "three"]);
  });

  test("has a bound for every part and every item", () => {
    const items = Array.from({ length: 50 }, (_, i) => `${i} ${"x".repeat(1_000)}`);
    const all = { goal: items, constraints: items, decisions: items, openItems: items, toolFacts: items };
    const merged = merge(NO_SUMMARY, all);
    for (const part of SUMMARY_PARTS) {
      expect(merged[part]).toHaveLength(ITEMS_MAX[part]);
      for (const item of merged[part]) expect(item.length).toBeLessThanOrEqual(ITEM_CHARS_MAX);
    }
    expect(merged.goal[0]).toMatch(/^0 /);
    expect(merged.decisions.at(-1)).toMatch(/^49 /);
    expect(merge(merged, merged)).toEqual(merged);
  });
});

const item = fc
  .array(fc.constantFrom("word", "- ", "## Goal", "\n", "\n\n", "  ", "中文。", "#", "<M:x/>"), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(""));
const anySummary = fc
  .record({
    goal: fc.array(item, { maxLength: 2 }),
    constraints: fc.array(item, { maxLength: 12 }),
    decisions: fc.array(item, { maxLength: 12 }),
    openItems: fc.array(item, { maxLength: 7 }),
    toolFacts: fc.array(item, { maxLength: 25 }),
  })
  .map((parts) => merge(NO_SUMMARY, parts));

test("a summary on disk reads back as what it was, with all the lines of its items", () => {
  fc.assert(
    fc.property(anySummary, (summary) => {
      expect(parseSummary(renderSummary(summary))).toEqual(summary);
    }),
  );
  expect(parseSummary("whatever\n- x\n## Goal of mine\n- y\n")).toEqual(NO_SUMMARY);
});

test("what is shown of it fits, and the oldest facts go before the goal", () => {
  fc.assert(
    fc.property(anySummary, fc.integer({ min: 0, max: 400 }), (summary, max) => {
      const shown = showSummary(summary, max);
      const text = shown
        .map(({ title, text }) => `- part: "${title}"\n    ${text.replaceAll("\n", "\n    ")}\n`)
        .join("");
      expect(estimateTokens(text)).toBeLessThanOrEqual(max);
      if (summary.goal.length > 0 && shown.length > 0) expect(shown[0]?.title).toBe("Goal");
    }),
  );
});

test("of very many short lines the newest stay, without each being compared with every other", () => {
  // To compare them all would take minutes, in which the pool would do nothing else.
  const constraints = Array.from({ length: 300_000 }, (_, i) => String(i % 250_000));
  expect(merge(NO_SUMMARY, { ...NO_SUMMARY, constraints }).constraints).toEqual(
    constraints.slice(-ITEMS_MAX.constraints),
  );
});
