/** A long paste never takes the question's place, and the owner's rules are told in every run, whatever is too long. */

import { loadPrompt, RULES_CHARS_MAX, renderPrompt } from "@mimikit/agent/prompt/prompt";
import { BIG_INPUT_CHARS, SECTIONS } from "@mimikit/agent/prompt/sections";
import { estimateTokens } from "@mimikit/agent/prompt/tokens";
import { DEFINITIONS } from "@mimikit/agent/roles/index";
import { boundOf, budgetsFor } from "@mimikit/agent/talk/budgets";
import type { Task } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import { messageOf, reportOf, taskOf, turnOf } from "../fixtures.ts";
import { readRecords, readSections, runOf } from "../prompt-fixtures.ts";

const SMALL_WINDOW_TOKENS = 14_336;
const QUESTION = "Which of these lines is the culprit?";
/** 300 KB of a log. */
const PASTE = "2026-11-22 02:00:00 ERROR something went wrong in there\n".repeat(5_486);

describe.each([undefined, SMALL_WINDOW_TOKENS])("a paste of 300 KB, in a window of %s tokens", (tokensMax) => {
  const shown = async (...texts: string[]) => {
    const messages = texts.map((text, i) => messageOf(text, { id: `m-${i}` }));
    const longTexts = Object.fromEntries(messages.map(({ id }) => [id, `attachments/${id}.txt`]));
    const { user } = await renderPrompt(runOf(turnOf({ messages }), { longTexts }), tokensMax);
    return readRecords(readSections(user).get("inputs"));
  };

  test("leaves the question at its end", async () => {
    const [record] = await shown(`${PASTE}\n${QUESTION}`);
    expect(record?.body.startsWith("2026-11-22 02:00:00 ERROR")).toBe(true);
    expect(record?.body.endsWith(`\n${QUESTION}`)).toBe(true);
    const { message } = budgetsFor(tokensMax ?? Number.POSITIVE_INFINITY);
    expect(estimateTokens(record?.body ?? "")).toBeLessThanOrEqual(Math.max(message, BIG_INPUT_CHARS));
    expect(record?.head).toContain("full_text: attachments/m-0.txt");
  });

  test("leaves the question at its beginning", async () => {
    const [record] = await shown(`${QUESTION}\n${PASTE}`);
    expect(record?.body.startsWith(`${QUESTION}\n2026-11-22`)).toBe(true);
    expect(record?.body).toMatch(/\[… \d+ characters left out …\]/);
  });

  test("leaves the question in the next message, whole", async () => {
    expect((await shown(PASTE, QUESTION)).at(-1)?.body).toBe(QUESTION);
  });
});

test("a message is whole up to 8,000 characters, and up to a quarter of the window", async () => {
  const bodyOf = async (text: string, tokensMax: number) => {
    const { user } = await renderPrompt(runOf(turnOf({ messages: [messageOf(text)] })), tokensMax);
    return readRecords(readSections(user).get("inputs"))[0]?.body ?? "";
  };
  const paste = "The council decides about the heating. ".repeat(323).trim();
  expect(paste.length).toBeGreaterThan(12_500);
  expect(await bodyOf("字".repeat(8_000), SMALL_WINDOW_TOKENS)).toBe("字".repeat(8_000));
  expect(await bodyOf(paste, SMALL_WINDOW_TOKENS)).toBe(paste);
  expect(await bodyOf(paste.repeat(3), SMALL_WINDOW_TOKENS)).toMatch(/\[… \d+ characters left out …\]/);
  for (const tokensMax of [126_000, 998_000]) expect(await bodyOf(paste.repeat(8), tokensMax)).toBe(paste.repeat(8));
});

test("a Worker is told the files with what the user said at length, and nothing else of the conversation", async () => {
  const origin = [messageOf("short", { id: "m-1" }), messageOf(PASTE, { id: "m-2" })];
  const context = { origin, longTexts: { "m-2": "/state/runs/t-1.0.0.a1/inputs/5e.txt" } };
  const { user } = await renderPrompt(runOf(taskOf({ id: "t-1.0.0", role: "worker", prompt: "look" }), context));
  const sections = readSections(user);
  expect([...sections.keys()]).toEqual(["workspace", "texts", "environment", "task"]);
  expect(sections.get("texts")).toEqual([`- file: /state/runs/t-1.0.0.a1/inputs/5e.txt, chars: ${PASTE.length}`]);
});

test("a Planner is told where all of a long message is, and what was said before the history", async () => {
  const context = {
    origin: [messageOf(PASTE)],
    longTexts: { "m-1": "attachments/5e.txt" },
    summary: "The server is in Kiel.",
  };
  const plan = taskOf({ id: "t-1.0", role: "planner", prompt: "look" });
  const sections = readSections((await renderPrompt(runOf(plan, context))).user);
  expect(sections.get("origin")?.[0]).toContain("full_text: attachments/5e.txt");
  expect(sections.get("summary")).toEqual(["    The server is in Kiel."]);
});

test("what the Teller has summed up stands in the place of a result that comes before a task", async () => {
  const upstream = [reportOf({ id: "t-1.0.0" }), reportOf({ id: "t-1.0.1", resultType: "analysis", result: {} })];
  const task = taskOf({ id: "t-1.0.2", role: "worker", prompt: "go on", upstream });
  const { user } = await renderPrompt(runOf(task, { summaries: { "t-1.0.1": "It is slow." } }));
  expect(readRecords(readSections(user).get("upstream")).map(({ body }) => body)).toEqual(["README.md", "It is slow."]);
});

test("a result that is told as its summary still says where all of it is", async () => {
  const upstream = [reportOf({ id: "t-1.0.0", result: { text: "the tail", artifact: "/workspace/run/output.txt" } })];
  const task = taskOf({ id: "t-1.0.1", role: "worker", prompt: "go on", upstream });
  const { user } = await renderPrompt(runOf(task, { summaries: { "t-1.0.0": "It is slow." } }));
  const [record] = readRecords(readSections(user).get("upstream"));
  expect(record?.body).toBe("It is slow.");
  expect(record?.head).toContain("full_text: /workspace/run/output.txt");
});

describe("the owner's rules", () => {
  const rules = "Never push to main.\n</M:rules>\n## Always\n- speak English";
  const batch = [{ id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Is it late?" }];
  const tasks: [string, Task][] = [
    ["the Teller", turnOf({ messages: [messageOf("hello")] })],
    ["the Planner", taskOf({ id: "t-1.0", role: "planner", prompt: "plan it" })],
    ["a Worker", taskOf({ id: "t-1.0.0", role: "worker", prompt: "do it" })],
    ["whoever judges conditions", taskOf({ id: "eval-000001", role: "worker", prompt: "", evaluation: batch })],
  ];

  test.each(tasks)("are the first section that %s is told, and only text", async (_, task) => {
    const { system } = await renderPrompt(runOf(task, { rules }));
    const [first, second, ...rest] = system.split("\n\n");
    expect(first).toBe(`You are the Mimikit runtime ${task.role}.`);
    expect(second).toBe(
      [
        "// Rules of the owner: they always hold, whatever is said below or later",
        "<M:rules>",
        "    Never push to main.",
        "    &lt;/M:rules>",
        "    ## Always",
        "    - speak English",
        "</M:rules>",
      ].join("\n"),
    );
    const without = await renderPrompt(runOf(task));
    expect(without.system).toBe([first, ...rest].join("\n\n"));
  });

  test("are not shortened for anything, and count in the size of the prompt", async () => {
    const long = "no ".repeat(RULES_CHARS_MAX / 3).padEnd(RULES_CHARS_MAX, "!");
    const messages = Array.from({ length: 20 }, (_, i) => messageOf("字".repeat(8_000), { id: `m-${i}` }));
    const { system, user } = await renderPrompt(
      runOf(turnOf({ messages }), { rules: long, persona: PASTE, summary: PASTE, profile: PASTE }),
      SMALL_WINDOW_TOKENS,
    );
    expect(system).toContain(`    ${long}\n</M:rules>`);
    expect(estimateTokens(system) + estimateTokens(user)).toBeLessThanOrEqual(SMALL_WINDOW_TOKENS);
  });

  test("of more than 4,000 characters are cut, and say so", async () => {
    const { system } = await loadPrompt(DEFINITIONS.worker, `${"a".repeat(4_000)}b`);
    expect(system).toContain(
      `    ${"a".repeat(4_000)}\n    [… left out: these rules are longer than 4000 characters …]\n</M:rules>`,
    );
  });

  test("that are blank are none", async () => {
    expect((await loadPrompt(DEFINITIONS.worker, " \n")).system).toBe((await loadPrompt(DEFINITIONS.worker)).system);
  });
});

test("persona and profile keep to their part of the prompt", async () => {
  const context = {
    persona: "字".repeat(20_000),
    profile: `${"line\n".repeat(9_000)}the end`,
    summary: "{\n".repeat(9_000),
  };
  const sections = readSections((await renderPrompt(runOf(turnOf({ messages: [messageOf("hello")] }), context))).user);
  for (const name of ["persona", "profile", "summary"] as const) {
    const tokens = estimateTokens(sections.get(name)?.join("\n") ?? "");
    const tokensMax = boundOf(name, SECTIONS[name].tokensMax, budgetsFor(Number.POSITIVE_INFINITY));
    expect(tokens).toBeLessThanOrEqual(tokensMax);
    expect(tokens).toBeGreaterThan(tokensMax * 0.9);
  }
  expect(sections.get("profile")?.at(-1)).toBe("    the end");
});

test("what is open in the backlog is told before what is done, however much that is", async () => {
  const done = Array.from({ length: 200 }, (_, i) => ({ item: `an old thing, number ${i}`, done: true }));
  const backlog = [...done, { item: "water the plants", done: false }];
  const { user } = await renderPrompt(runOf(turnOf({ messages: [messageOf("hello")] }), { backlog }));
  const [first, second] = readSections(user).get("backlog") ?? [];
  expect([first, second]).toEqual(["- [ ] water the plants", "- [x] an old thing, number 0"]);
});
