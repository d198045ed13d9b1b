/** Nothing is recalled by chance: not a word but a subject brings back what was said. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { refreshMemoryIndex } from "@mimikit/memory/search/search";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { describe, expect, test } from "vitest";
import { recall } from "../../apps/worker-pool/src/run/recall.ts";
import { NOON_MS } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { CHANCE, SCENES } from "./recall/scenes.ts";

const MINUTE_MS = 60_000;
/** The messages that a prompt shows anyway. */
const SHOWN_MAX = 20;

function talkOf(scenes: readonly { asked: string; reply: string }[]): HistoryMessage[] {
  return scenes.flatMap(({ asked, reply }, i) => {
    const at = new Date(NOON_MS + i * MINUTE_MS).toISOString();
    return [
      { id: `m-${i}`, role: "user" as const, text: asked, at },
      { id: `t-${i}.reply`, role: "assistant" as const, text: reply, at },
    ];
  });
}

/** The texts that a message recalls of a conversation whose newest messages are shown. */
async function recalledBy(asked: string, talk: readonly HistoryMessage[], memory = "", shown = SHOWN_MAX) {
  const { home } = temporaryState();
  if (memory !== "") writeFileSync(join(home, "memory.md"), memory);
  await refreshMemoryIndex({ home, workDir: home });
  const newest = talk.slice(-shown);
  const ids = new Set(newest.map(({ id }) => id));
  const found = await recall({
    asked: [asked],
    before: talk.map(({ text }) => text),
    place: { home, workDir: home },
    said: new HistoryIndex(home).with(talk),
    isShown: (id) => ids.has(id),
    shown: newest.map(({ text }) => text),
    forgotten: new Set(),
  });
  return [...found.memory, ...found.recalled].map(({ text }) => text);
}

const FILLER = talkOf(Array.from({ length: 10 }, (_, i) => ({ asked: `number ${i}`, reply: `It is ${i}.` })));
const longAfter = (...texts: string[]) => [
  ...texts.map(
    (text, i): HistoryMessage => ({
      id: `old-${i}`,
      role: i % 2 === 0 ? "user" : "assistant",
      text,
      at: new Date(NOON_MS - MINUTE_MS).toISOString(),
    }),
  ),
  ...FILLER,
];

test.each(CHANCE)("%j does not recall what only shares a word with it: %j", async (asked, shown) => {
  const at = new Date(NOON_MS).toISOString();
  const notice: HistoryMessage = {
    id: "t-99.reply",
    role: "assistant",
    text: "Sorry, I could not finish this reply: it timed out. Press Try again, and I show it.",
    at,
    spoken: 0,
  };
  const talk = [...talkOf(SCENES.slice(0, 18)), notice, ...FILLER.map((each) => ({ ...each, id: `f-${each.id}` }))];
  expect((await recalledBy(asked, talk)).join("\n")).not.toContain(shown);
});

test("in a conversation of ordinary talk at least half of the turns that show hits need one, and those that need one have it", async () => {
  const shown: string[] = [];
  const missed: string[] = [];
  let needed = 0;
  for (const [i, { asked, needs }] of SCENES.entries()) {
    const hits = await recalledBy(asked, talkOf(SCENES.slice(0, i)), "", 12);
    if (hits.length > 0) shown.push(asked);
    if (needs === undefined) continue;
    const isFound = hits.some((hit) => hit.includes(needs));
    if (isFound) needed++;
    else missed.push(asked);
  }
  console.info(
    `${needed} of ${shown.length} turns that show hits need one; others:\n${shown.filter((asked) => SCENES.find((each) => each.asked === asked)?.needs === undefined).join("\n")}`,
  );
  expect(missed).toEqual([]);
  expect(needed / shown.length).toBeGreaterThanOrEqual(0.5);
});

test.each([
  "thanks",
  "Thank you!",
  "ok",
  "yes",
  "yes show me",
  "go on",
  "good morning",
  "hi",
  "Danke",
  "Vielen Dank!",
  "Guten Tag",
  "ja gern",
  "mach weiter",
  "谢谢你",
  "好的",
  "你好",
  "早上好",
  "继续",
  "再试一次",
  "可以，看看吧",
])("%j recalls nothing, whatever was said in the same words", async (asked) => {
  const memory =
    "- thanks to the council, good morning, go on and show me\n- 谢谢，早上好，继续\n- vielen Dank und guten Tag\n";
  expect(await recalledBy(asked, longAfter(`${asked} and so on`, "Why not."), memory)).toEqual([]);
});

describe("a hit", () => {
  test("brings the message before it and the one after it, and no others", async () => {
    const talk = longAfter(
      "one and only",
      "A first reply.",
      "the ferry to Arran leaves at noon",
      "Shall I book it?",
      "rather not",
      "As you like.",
    );
    expect(await recalledBy("which ferry goes to Arran?", talk)).toEqual([
      "A first reply.",
      "the ferry to Arran leaves at noon",
      "Shall I book it?",
    ]);
  });

  test("is no message that the prompt shows, and no memory that says the same", async () => {
    const talk = longAfter("the boiler is called Ignatius", "Noted.");
    expect(await recalledBy("how is the boiler called?", talk, "- the boiler is called Ignatius\n")).toEqual([
      "the boiler is called Ignatius",
    ]);
    expect(await recalledBy("how is the boiler called?", talk, "- the boiler is called Ignatius\n", 100)).toEqual([]);
  });

  test('for a message that only says "it" has to do with what was said just before', async () => {
    const talk = [
      ...longAfter("the ferry costs 30 euros", "That is a lot.", "the opera costs 90 euros", "Oh."),
      ...talkOf([{ asked: "let us take the ferry then", reply: "Good." }]),
    ];
    const hits = await recalledBy("what does it cost?", talk, "", 2);
    expect(hits).toContain("the ferry costs 30 euros");
    expect(hits).not.toContain("the opera costs 90 euros");
  });
});

test("a note that has the conversation word by word is not shown beside it, and is found once the conversation begins anew", async () => {
  const { home } = temporaryState();
  const at = new Date(NOON_MS - MINUTE_MS).toISOString();
  mkdirSync(join(home, "memory"), { recursive: true });
  writeFileSync(join(home, "memory/2026-11-22-ferry.md"), `- ${at} user: the ferry to Arran leaves at noon\n`);
  const talk = longAfter("the ferry to Arran leaves at noon", "Noted.");
  const clear: HistoryMessage = {
    id: "t-50.clear",
    role: "system",
    text: "A new conversation.",
    at: new Date(NOON_MS).toISOString(),
    marker: "clear",
  };
  const found = async (messages: HistoryMessage[]) => {
    const { memory, recalled } = await recall({
      asked: ["which ferry goes to Arran?"],
      before: [],
      place: { home, workDir: home },
      said: new HistoryIndex(home).with(messages),
      isShown: () => false,
      shown: [],
      forgotten: new Set(),
    });
    return [...memory, ...recalled].map(({ text }) => text);
  };
  expect(await found(talk)).toEqual(["the ferry to Arran leaves at noon", "Noted."]);
  expect(await found([...talk.slice(0, 2), clear, ...FILLER])).toEqual([
    `${at} user: the ferry to Arran leaves at noon`,
  ]);
});

test.each([
  ["Müller", "mueller"],
  ["mueller", "Müller"],
  ["Müller", "muller"],
  ["café", "cafe"],
  ["cafe", "CAFÉ"],
  ["Straße", "strasse"],
  ["łódź", "Lodz"],
  ["การประชุม", "ประชุม"],
  ["हिन्दी", "हिन्दी"],
  ["会议室", "會議室"],
])("a message about %j recalls what was said about %j, in the conversation and in memory", async (asked, said) => {
  const fact = `${said} 7734`;
  expect(await recalledBy(`${asked}?`, longAfter(fact, "Noted."))).toContain(fact);
  expect(await recalledBy(`${asked}?`, FILLER, `- ${fact}\n`)).toEqual([fact]);
});

test.each([
  ["ist", "Here is the gist of it"],
  ["boil", "the boiler is old"],
  ["art", "we start at noon"],
  ["port", "the portal is broken"],
])("%j is not found inside or at the beginning of another word", async (asked, said) => {
  expect(await recalledBy(asked, longAfter(said, "Noted."), `- ${said}\n`)).toEqual([]);
});
