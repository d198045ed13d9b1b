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
