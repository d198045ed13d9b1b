/** The sentences that no model is shown again, and what is left of a text without them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSaid } from "@mimikit/memory/forgotten/find-said";
import { Forgotten } from "@mimikit/memory/forgotten/forgotten";
import { readForgotten, shownHits, shownLog, shownMessages } from "@mimikit/memory/forgotten/read-forgotten";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { subjectOf } from "@mimikit/memory/subject/subject";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { describe, expect, test } from "vitest";
import { workspace } from "./workspace.ts";

const FISH = "my wife Anna doesn't eat fish by the way";
const FORGOTTEN_AT = "2026-11-22T12:00:00.000Z";
const atMs = Date.parse("2026-11-22T11:00:00.000Z");
const forgetting = (...said: string[]) =>
  new Forgotten(said.map((each, i) => `- ${FORGOTTEN_AT} ${each} <!-- t-00000${i}.0 -->\n`).join(""));

let count = 0;
const said = (text: string, part: Partial<HistoryMessage> = {}): HistoryMessage => ({
  id: `m-${++count}`,
  role: "user",
  at: new Date(atMs + count).toISOString(),
  text,
  ...part,
});

describe("a text without what is forgotten", () => {
  test.each([
    ["the sentence itself", FISH, `Hello. ${FISH}. What shall we cook?`, "Hello. What shall we cook?"],
    ["it in other case and width", "the code is ＡＢＣ one", "THE CODE IS abc one!", ""],
    ["the words that asked to forget it", FISH, "please forget that my wife Anna doesn't eat fish", ""],
    ["Chinese, in the other script", "我太太不吃魚。", "今天真热。我太太不吃鱼。", "今天真热。"],
    [
      "one line of several",
      "the PIN of the card is 4711",
      "A list:\nthe PIN of the card is 4711\nmilk",
      "A list:\nmilk",
    ],
    ["a number that was told", "the PIN of the card is 4711", "Was it 4711? I forgot.", "I forgot."],
    [
      "nothing of another sentence",
      FISH,
      "Anna comes at eight. I eat out today.",
      "Anna comes at eight. I eat out today.",
    ],
    ["nothing of a word that only holds it", "fish", "How selfish.", "How selfish."],
    ["no part of a number", "it weighs 3.5 kilos", "It weighs 3.5 kilos. Version v1.2 is out.", "Version v1.2 is out."],
  ])("has not %s", (_, forgotten, text, left) => {
    expect(forgetting(forgotten).without(text, { atMs, isUsers: true })).toBe(left);
  });

  test.each([
    ["The user's wife Anna does not eat fish. They live in Kiel.", "They live in Kiel."],
    ["Noted: no fish for Anna.", ""],
    ["- 2026-11-22T10:00:00.000Z user: My wife Anna doesn't eat fish.", ""],
    ["Fish is cheap today.", "Fish is cheap today."],
  ])("of others, who say it in their words: %s", (text, left) => {
    expect(forgetting(FISH).without(text, { atMs })).toBe(left);
  });

  test("keeps what is said again later, and a line that the owner has written counts for ever", () => {
    const later = Date.parse(FORGOTTEN_AT) + 1;
    expect(forgetting(FISH).without(FISH, { atMs: later, isUsers: true })).toBe(FISH);
    expect(new Forgotten(`# Never again\n\n- ${FISH}\n`).without(FISH, { atMs: later, isUsers: true })).toBe("");
  });

  test("has no part of it where a search has cut it", () => {
    const long = `${"So much for the garden. ".repeat(2)}my wife Anna… [truncated]`;
    expect(forgetting(FISH).without(long, { atMs, isUsers: true })).toBe(
      "So much for the garden. So much for the garden.",
    );
    expect(forgetting(FISH).without("… eat fish by the way. And then?", { atMs, isUsers: true })).toBe("And then?");
  });

  test("of several lines that are forgotten as one has none of them", () => {
    expect(
      forgetting("the safe is behind the map ¶ its code is seven").without(
        "A.\nthe safe is behind the map\nits code is seven",
        { atMs, isUsers: true },
      ),
    ).toBe("A.");
  });
});

test("of a paste that is forgotten its own sentences go, and not all that share a few words or a number with one", () => {
  const paste = Array.from({ length: 30 }, (_, i) => `House ${200 + i} pays for the roof and the garden.`).join(" ¶ ");
  const forgotten = forgetting(paste);
  expect(forgotten.without("House 207 pays for the roof and the garden.", { atMs })).toBe("");
  const other = "The garden has 207 roses. The house is warm.";
  expect(forgotten.without(other, { atMs })).toBe(other);
});

test("a message that says nothing else is not shown, nor are its files", () => {
  const attachments = [{ id: "a".repeat(64), type: "application/pdf" as const, bytes: 3, name: "payslip.pdf" }];
  const messages = [
    said("here is my payslip of March", { attachments }),
    said("It rains. Here is my payslip of March."),
  ];
  expect(shownMessages(messages, forgetting("here is my payslip of March")).map(({ text }) => text)).toEqual([
    "It rains.",
  ]);
});

test("notes and summaries are shown without it, and what is remembered stays", () => {
  const hit = (source: string, text: string) => ({ source, text, score: 1, at: "2026-11-22" });
  const hits = [
    hit("memory/summary/2026-11.md", "The user's wife Anna does not eat fish."),
    hit("memory/2026-11-23.md", FISH),
    hit("memory.md", FISH),
  ];
  expect(shownHits(hits, forgetting(FISH)).map(({ source }) => source)).toEqual(["memory/2026-11-23.md", "memory.md"]);
});

const ASKED = "fish for anna";

test("no search, page or look back finds it, until the file does not say so any more", async () => {
  const place = workspace({ ".mimikit/forgotten.md": `- ${FORGOTTEN_AT} ${FISH}\n` });
  const log = new HistoryIndex(place.home).with([said("We have fish on Friday."), said(FISH)]);
  const read = async () => {
    const shown = shownLog(log, await readForgotten(place.home));
    const subject = subjectOf(ASKED, []);
    if (subject === null) throw new Error("it is about something");
    const recall = { subject, asked: ASKED, limit: 3, isKnown: () => false, forgotten: new Set<number>() };
    const found = [
      await shown.search({ query: "Anna fish", limit: 5 }),
      await shown.recall(recall),
      await shown.recent({ count: 5, offset: 0 }),
      await shown.between({ limit: 5 }),
      (await shown.page({ around: log.newest[1]?.id ?? "", limit: 4 })) ?? [],
    ];
    return found.map((each) => each.some(({ text }) => text === FISH));
  };
  expect(await read()).toEqual([false, false, false, false, false]);
  writeFileSync(join(place.home, "forgotten.md"), "");
  expect(await read()).toEqual([true, true, true, true, true]);
});

describe("what was said is found", () => {
  const log = (...messages: HistoryMessage[]) => new HistoryIndex(workspace({}).home).with(messages);
  const paste = `Minutes of the residents.\n${"The balconies are to be painted. ".repeat(60)}`;

  test.each([
    ["by its own words", FISH, FISH],
    ["as it is shown among memories", `[history 2026-11-22] user: ${FISH}`, FISH],
    ["in quotes", `"${FISH}."`, FISH],
    ["by most of its words", "wife Anna doesn't eat fish", FISH],
  ])("%s", async (_, line, text) => {
    const found = await findSaid(line, log(said(text), said("We have fish on Friday.")));
    expect(found).toEqual({ said: expect.stringContaining(text) });
    expect(JSON.stringify(found)).not.toContain("Friday");
  });

  test("and a long message, or one with files, as a whole by its beginning", async () => {
    expect(await findSaid("Minutes of the residents. […", log(said(paste)))).toEqual({ said: paste.trim() });
    expect(await findSaid("Minutes of the residents", log(said(paste)))).toEqual({ said: paste.trim() });
  });

  test("also in the message of now; but one word that is in many sentences is not clear, and says which", async () => {
    expect(await findSaid("my PIN is 4711", log(), [said("my PIN is 4711, forget it")])).toMatchObject({
      said: expect.stringContaining("4711"),
    });
    const found = await findSaid("Anna", log(said("Anna is here."), said("I like Anna.")));
    expect(found).toEqual({ nearest: expect.arrayContaining(["Anna is here.", "I like Anna."]) });
    expect(await findSaid("the boiler", log(said("Anna is here.")))).toEqual({ nearest: [] });
  });
});
