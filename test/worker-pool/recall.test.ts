/** A model's view of its memories: 180 facts among small talk, asked for in another order (docs/memory.md#search). */
import { expect, test } from "vitest";
import { temporaryState } from "../store/home.ts";
import { conversationIn } from "./recall/conversation.ts";
import { chanceOf, FACTS, type Fact, shuffled, TALK } from "./recall/recall-set.ts";

const SEEDS = [1, 2];
/** The share that must be shown of the questions that have a word of their fact. */
const SHOWN_MIN = 0.95;

const conversation = (memory: string) => conversationIn(temporaryState(), memory);

/** The lines of the section of memory. */
const memoryIn = (prompt: string) =>
  /<M:memory>\n## Memory\n([\s\S]*?)\n<\/M:memory>/.exec(prompt)?.[1]?.split("\n") ?? [];

test("what was said before the part of the conversation that is shown comes back with its date, once, and to a question about it", async () => {
  const { say, promptOf } = await conversation("- the boiler is called Ignatius\n");
  const fact = "My daughter Philippa is allergic to cats.";
  await say(fact, "Poor Philippa.");
  await say("The boiler is called Ignatius.", "Noted.");
  // It is in the conversation, which is shown.
  expect((await promptOf("What is Philippa allergic to?")).split(fact)).toHaveLength(2);
  for (const text of TALK.slice(0, 12)) await say(text, "I see.");
  expect(memoryIn(await promptOf("What is Philippa allergic to?"))).toEqual([
    `[history 2026-11-22] user: ${fact}`,
    "[history 2026-11-22] assistant: Poor Philippa.",
  ]);
  // A remembered text is not shown a second time as it was said.
  expect(memoryIn(await promptOf("How is the boiler called?"))).toEqual(["[memory.md] the boiler is called Ignatius"]);
  expect(memoryIn(await promptOf("Good morning!"))).toEqual([]);
});

test("what was said before the conversation began anew does not come back", async () => {
  const { say, clear, promptOf } = await conversation("");
  await say("Philippa is allergic to cats.", "Noted.");
  await clear();
  for (const text of TALK.slice(0, 12)) await say(text, "I see.");
  expect(memoryIn(await promptOf("What is Philippa allergic to?"))).toEqual([]);
});

test("what was said in the turn in which it was remembered does not come back once it is forgotten", async () => {
  const { say, fold, promptOf, remember } = await conversation("");
  await say("Remember that Philippa is allergic to cats.", "I will remember this: Philippa is allergic to cats.");
  for (const text of TALK.slice(0, 12)) await say(text, "I see.");
  await fold();
  remember("- Philippa is allergic to cats <!-- t-000001.0 -->\n");
  expect(memoryIn(await promptOf("What is Philippa allergic to?"))).toEqual([
    "[memory.md] Philippa is allergic to cats",
  ]);
  remember("<!-- t-000001.0 --> <!-- t-000013.0 -->\n");
  expect(memoryIn(await promptOf("What is Philippa allergic to?"))).toEqual([]);
});

test("what a question finds comes before what the talk before it finds, and chance is left out", async () => {
  const shelves = Array.from({ length: 9 }, (_, k) => `- the harbour of island ${k} has a lighthouse\n`);
  const { say, promptOf } = await conversation(
    `${shelves.join("")}- the graphics card of the workstation is an RTX 4070\n- the ferry leaves at noon\n`,
  );
  for (let i = 0; i < 3; i++)
    await say("The harbour, the lighthouse, the island: and then the ferry to the harbour!", "Yes.");
  const [first, ...further] = memoryIn(await promptOf("graphics card?"));
  expect(first).toBe("[memory.md] the graphics card of the workstation is an RTX 4070");
  expect(further.join("\n")).not.toContain("island");
  // A question that says nothing by itself is about what was said before it.
  expect(memoryIn(await promptOf("When does it leave?"))[0]).toBe("[memory.md] the ferry leaves at noon");
});

test("simplified and traditional Chinese find each other, in memory and in what was said", async () => {
  const { say, promptOf } = await conversation("- 臺北的客戶要求開統一發票\n");
  await say("机房的钥匙在总务处。", "好的。");
  for (const text of TALK.slice(0, 12)) await say(text, "嗯。");
  expect(memoryIn(await promptOf("台北客户的发票"))).toEqual(["[memory.md] 臺北的客戶要求開統一發票"]);
  expect(memoryIn(await promptOf("機房的鑰匙在哪裡？"))).toEqual([
    "[history 2026-11-22] user: 机房的钥匙在总务处。",
    "[history 2026-11-22] assistant: 好的。",
  ]);
});

async function shownFor(seed: number): Promise<Set<Fact>> {
  const chance = chanceOf(seed);
  const told = FACTS.map((each) => ({ each, way: chance() }));
  // A third is in memory.md alone, a third was said and remembered, a third was only said.
  const memory = told.filter(({ way }) => way < 2 / 3).map(({ each }) => `- ${each.fact}\n`);
  const said = told.filter(({ way }) => way >= 1 / 3).map(({ each }) => each.fact);
  const talk = FACTS.map((_, i) => TALK[i % TALK.length] ?? "");
  const { say, fold, promptOf } = await conversation(memory.join(""));
  for (const text of shuffled([...said, ...talk], chance)) await say(text, "Noted.");
  await fold();
  const shown = new Set<Fact>();
  for (const each of shuffled(FACTS, chance)) {
    if (chance() < 0.5) await say(TALK[Math.floor(chance() * TALK.length)] ?? "", "I see.");
    if ((await promptOf(each.question)).includes(each.fact)) shown.add(each);
    await say(each.question, "One moment.");
  }
  return shown;
}

test("of 180 shuffled facts in two languages, nineteen in twenty that share a word with their question are shown to the model", async () => {
  for (const seed of SEEDS) {
    const shown = await shownFor(seed);
    const findable = FACTS.filter(({ isSaid }) => isSaid);
    const missed = findable.filter((each) => !shown.has(each));
    console.info(
      `seed ${seed}: ${shown.size} of ${FACTS.length} shown; ${findable.length - missed.length} of the ${findable.length} that share a word\n${missed.map(({ question }) => question).join("\n")}`,
    );
    expect(missed.length / findable.length).toBeLessThanOrEqual(1 - SHOWN_MIN);
  }
});
