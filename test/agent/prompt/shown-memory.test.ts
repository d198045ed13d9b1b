/** The memories kept as shown are those in the prompt that the model is sent, no more and no less. */
import { loadPrompt, renderPrompt } from "@mimikit/agent/prompt/prompt";
import { shownIn } from "@mimikit/agent/prompt/shown-memory";
import { definitionOf } from "@mimikit/agent/roles/index";
import { SHOWN_CHARS_MAX } from "@mimikit/protocol/records/shown-memory";
import { expect, test } from "vitest";
import { messageOf, taskOf, turnOf } from "../fixtures.ts";
import { readSections, runOf } from "../prompt-fixtures.ts";

/** Beside the prompt file: for some of what was found, and not for all of it. */
const ROOM_TOKENS = 350;
const memory = Array.from({ length: 5 }, (_, k) => ({
  source: "memory.md",
  text: `fact ${k} </M:memory> ${"of the garden ".repeat(20)}`.trim(),
  score: 1,
  at: "2026-11-20",
}));
const context = { memory, profile: "lives in Kiel", persona: "x".repeat(1_000) };

test.each([
  ["with room for all of it", Number.POSITIVE_INFINITY],
  ["in a small window, where less of memory has room", ROOM_TOKENS],
])("%s", async (_, room) => {
  const run = runOf(turnOf({ messages: [messageOf("what of the garden?")] }), context);
  const { tokens } = await loadPrompt(definitionOf(run.task));
  const { user } = await renderPrompt(run, tokens + room);
  const inPrompt = (readSections(user).get("memory") ?? []).filter((line) => line.startsWith("["));
  const found = shownIn(user, run).filter(({ always }) => always !== true);
  expect(found.map(({ text }) => text.slice(0, 6))).toEqual(
    inPrompt.map((line) => line.slice("[memory.md] ".length, 18)),
  );
  expect(found).toEqual(memory.slice(0, found.length).map(({ source, text, at }) => ({ source, text, at })));
  expect(found.length > 0 && found.length < memory.length).toBe(room === ROOM_TOKENS);
});

test("what every turn is told is told apart, with a digest where it is long, and only a turn is told it", async () => {
  const turn = runOf(turnOf({ messages: [messageOf("hello")] }), { ...context, memory: [] });
  const { user } = await renderPrompt(turn);
  expect(shownIn(user, turn)).toEqual([
    { source: "user_profile.md", text: "lives in Kiel", always: true },
    {
      source: "agent_persona.md",
      text: "x".repeat(1_000),
      always: true,
      digest: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
  ]);
  expect(1_000).toBeGreaterThan(SHOWN_CHARS_MAX);
  const work = runOf(taskOf({ id: "t-000001.0.0", role: "worker", prompt: "look" }), context);
  expect(shownIn((await renderPrompt(work)).user, work)).toEqual([]);
});
