/** forget and remember with `replaces` through the Tool Bus: the line that is meant is found when the tool is called. */
import { createToolBus } from "@mimikit/agent/bus";
import { toolsOf } from "@mimikit/agent/tools/index";
import { expect, test } from "vitest";
import { workspace } from "../../memory/workspace.ts";
import { contextOf, messageOf, replyOf, run, taskOf, turnOf } from "../fixtures.ts";

const place = () =>
  workspace({
    ".mimikit/memory.md":
      "- the fern stands in room 12 <!-- t-000002.0 -->\n- the palm stands in room 12\n- 住在臺北的復興路\n",
    ".mimikit/user_profile.md": "# Home\n\nLives in Kiel.\n",
    ".mimikit/memory/2026-11-20.md": `- ${"a long note ".repeat(40)}\n`,
  });

function teller() {
  const task = taskOf({ id: "t-000007", role: "teller" });
  const reads = contextOf({ memoryPlace: place() });
  return createToolBus({ task, tools: toolsOf("teller"), reads, onCall: () => undefined });
}

test.each([
  ["the fern stands in room 12", "memory.md", "the fern stands in room 12"],
  ["[memory.md] the fern stands in room 12", "memory.md", "the fern stands in room 12"],
  ["The fern", "memory.md", "the fern stands in room 12"],
  ["住在台北的复兴路。", "memory.md", "住在臺北的復興路"],
  ["Lives in Kiel", "user_profile.md", "Lives in Kiel."],
  ["[user_profile.md] Home: Lives in Kiel.", "user_profile.md", "Lives in Kiel."],
  [`${"a long note ".repeat(25)}…[truncated]`, "memory/2026-11-20.md", "a long note ".repeat(40).trim()],
])("%s is found", async (line, document, entry) => {
  const bus = teller();
  expect(await bus.call("forget", { line })).toMatchObject({ ok: true });
  expect(await bus.call("remember", { content: "otherwise", replaces: line })).toMatchObject({ ok: true });
  expect(bus.effects).toEqual([
    { type: "forget", document, entry },
    { type: "remember", content: "otherwise", longTerm: false, replaces: { document, entry } },
  ]);
});

test("what is not there, and what may be several, is refused in words that say what to do", async () => {
  const bus = teller();
  expect(await bus.call("forget", { line: "the boiler" })).toMatchObject({
    ok: false,
    message: expect.stringContaining("exactly as it is shown"),
  });
  expect(await bus.call("remember", { content: "x", replaces: "stands in room 12" })).toMatchObject({
    ok: false,
    message:
      "2 lines say so, give the whole line of one:\n[memory.md] the fern stands in room 12\n[memory.md] the palm stands in room 12",
  });
  expect(bus.effects).toEqual([]);
});

test.each([
  ["forget that the fern stands in room 12", "I am forgetting this: the fern stands in room 12", 1],
  ["忘掉台北的复兴路", "我会忘掉：住在臺北的復興路", 1],
  ["forget room 12", "- [memory.md] the palm stands in room 12", 0],
  ["把锅炉忘掉", "我的记忆里没有这一条：锅炉", 0],
])("without a model, %s", async (text, answer, effects) => {
  const ran = await run(turnOf({ messages: [messageOf(text)] }), { context: { memoryPlace: place() } });
  expect(replyOf(ran)).toContain(answer);
  expect(ran.effects.filter(({ type }) => type === "forget")).toHaveLength(effects);
});

test("without a model, what stands there twice goes twice", async () => {
  const memoryPlace = workspace({ ".mimikit/memory.md": "- likes tea\n- likes tea\n" });
  const ran = await run(turnOf({ messages: [messageOf("forget likes tea")] }), { context: { memoryPlace } });
  expect(ran.effects.filter(({ type }) => type === "forget")).toHaveLength(2);
});

test.each([
  ["- the fern stands in room 12", "the fern stands in room 12"],
  ["* The fern stands in room 12.", "the fern stands in room 12"],
  ['"the fern stands in room 12"', "the fern stands in room 12"],
  ["「住在台北的复兴路」", "住在臺北的復興路"],
  ["[memory.md] - “the fern stands in room 12”", "the fern stands in room 12"],
  ["- [memory.md] the fern stands in room 12", "the fern stands in room 12"],
])("a line is accepted with all that is shown around it: %s", async (line, entry) => {
  const bus = teller();
  expect(await bus.call("forget", { line })).toMatchObject({ ok: true });
  expect(await bus.call("remember", { content: "otherwise", replaces: line })).toMatchObject({ ok: true });
  expect(bus.effects).toMatchObject([{ entry }, { replaces: { entry } }]);
});

test("a line that is not there is answered with the nearest ones", async () => {
  const bus = teller();
  for (const [tool, input] of [
    ["forget", { line: "the fern is kept in the kitchen" }],
    ["remember", { content: "x", replaces: "the fern is kept in the kitchen" }],
  ] as const)
    expect(await bus.call(tool, input)).toMatchObject({
      ok: false,
      message: expect.stringContaining("The nearest:\n[memory.md] the fern stands in room 12"),
    });
});

const FISH = "my wife Anna doesn't eat fish by the way";

test("what was only said is forgotten by its words, and what nobody has said is refused with what is near", async () => {
  const history = [messageOf(FISH), messageOf("Anna comes at eight.", { id: "m-2" })];
  const reads = contextOf({
    memoryPlace: place(),
    history: history.map(({ id, at, text }) => ({ id, at, text, role: "user" as const })),
  });
  const bus = createToolBus({
    task: taskOf({ id: "t-000007", role: "teller" }),
    tools: toolsOf("teller"),
    reads,
    onCall: () => undefined,
  });
  expect(await bus.call("forget", { line: `[history 2026-11-22] user: ${FISH}` })).toMatchObject({ ok: true });
  expect(await bus.call("forget", { line: "wife Anna doesn't eat fish" })).toMatchObject({ ok: true });
  expect(await bus.call("forget", { line: "Anna plays the harp" })).toMatchObject({
    ok: false,
    message: expect.stringContaining("Anna comes at eight."),
  });
  expect(bus.effects).toEqual([
    { type: "forget", said: FISH },
    { type: "forget", said: expect.stringContaining(FISH) },
  ]);
});

test("an item of the backlog is accepted as it is shown, and an unclear one is answered with the items", async () => {
  const backlog = [
    { item: "Call the dentist", done: false },
    { item: "buy milk", done: false },
    { item: "buy bread", done: false },
  ];
  const bus = createToolBus({
    task: taskOf({ id: "t-000007", role: "teller" }),
    tools: toolsOf("teller"),
    reads: contextOf({ backlog }),
    onCall: () => undefined,
  });
  const said = ["- [ ] Call the dentist", '"call the dentist."', "1. Call the dentist", "2", "bread", "- Buy milk"];
  for (const item of said) expect(await bus.call("update_backlog", { op: "done", item })).toMatchObject({ ok: true });
  expect(bus.effects.map((effect) => "item" in effect && effect.item)).toEqual([
    "Call the dentist",
    "Call the dentist",
    "Call the dentist",
    "buy milk",
    "buy bread",
    "buy milk",
  ]);
  expect(await bus.call("update_backlog", { op: "remove", item: "buy" })).toMatchObject({
    ok: false,
    message: expect.stringContaining("buy milk\nbuy bread"),
  });
  expect(await bus.call("update_backlog", { op: "remove", item: "wash the car" })).toMatchObject({
    ok: false,
    message: expect.stringContaining("Call the dentist"),
  });
  await bus.call("update_backlog", { op: "add", item: "water the fern" });
  expect(await bus.call("update_backlog", { op: "done", item: "Water the fern" })).toMatchObject({ ok: true });
});

test("an optional field that is null or empty counts as absent, and a required one is still asked for", async () => {
  const bus = teller();
  const filled = { content: "likes tea", longTerm: true, target: null, replaces: "" };
  expect(await bus.call("remember", filled)).toMatchObject({ ok: true });
  expect(bus.effects).toEqual([{ type: "remember", content: "likes tea", longTerm: true }]);
  expect(await bus.call("forget", { line: "" })).toMatchObject({ ok: false, code: "bad_input" });
  expect(await bus.call("remember", { content: null })).toMatchObject({ ok: false, code: "bad_input" });
});
