/** Everything that was ever said can be found: by its words, in English and Chinese, by who said it and when. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import type { HistoryMessage, HistoryTurn } from "@mimikit/protocol/records/history";
import { HistoryQuery } from "@mimikit/protocol/wire/api";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import { addImported, removeImported } from "@mimikit/store/views/imported-history";
import { expect, test } from "vitest";
import { temporaryState } from "../store/home.ts";

function said(id: string, text: string, at = "2026-03-10T09:00:00.000Z", more: Partial<HistoryMessage> = {}) {
  return { id, role: "user" as const, text, at, ...more };
}

const turnOf = (turn: number, ...messages: HistoryMessage[]): HistoryTurn => ({ turn, messages });

const idsOf = async (index: HistoryIndex, query: object, newest: HistoryMessage[] = []) =>
  (await index.with(newest).search(HistoryQuery.parse(query))).map(({ id }) => id);

/** Three years ago, two messages a month ago, and today. */
async function threeYears() {
  const { home } = temporaryState();
  await appendHistory(home, "2023-12", [
    turnOf(1, said("m-old", "We deploy to Frankfurt with blue-green releases.", "2023-12-01T09:00:00.000Z")),
  ]);
  await appendHistory(home, "2026-03", [
    turnOf(2, said("m-zh", "部署方案：每周四发布新版本，先在测试环境验证。", "2026-03-10T09:00:00.000Z")),
    turnOf(
      3,
      said("m-en", "For the deployment I decided: canary first, then everybody.", "2026-03-12T09:00:00.000Z"),
      said("t-3.reply", "Noted: the deployment begins with a canary.", "2026-03-12T09:00:05.000Z", {
        role: "assistant",
      }),
    ),
  ]);
  await appendHistory(home, "2026-11", [
    turnOf(
      4,
      said("t-4.clear", "A new conversation begins here.", "2026-11-01T09:00:00.000Z", {
        role: "system",
        marker: "clear",
      }),
    ),
    turnOf(5, said("m-new", "what a lovely day for a start", "2026-11-20T09:00:00.000Z")),
    turnOf(6, said("m-newer", "the deployment was moved", "2026-11-21T09:00:00.000Z")),
  ]);
  return { home, index: new HistoryIndex(home) };
}

test.each([
  ["words of long ago, from before a new beginning", { query: "frankfurt blue-green" }, ["m-old"]],
  ["the beginning of a word", { query: "deploy frankfurt" }, ["m-old", "m-newer", "t-3.reply", "m-en"]],
  ["no word out of the middle of another", { query: "art" }, []],
  ["Chinese that is cut otherwise", { query: "我们的部署方案是什么" }, ["m-zh"]],
  ["a pair of characters", { query: "验证" }, ["m-zh"]],
  ["what was said in a month", { query: "what did I decide about deployment in March?" }, ["m-en"]],
  ["what one of them said", { query: "deployment canary", roles: ["assistant"] }, ["t-3.reply"]],
  ["what was said from then on", { query: "deployment", from: "2026-11-21T17:00:00+08:00" }, ["m-newer"]],
  ["what was said until then", { query: "deploy", to: "2024-01-01T00:00:00Z" }, ["m-old"]],
  ["what was said before a message", { query: "deployment", before_id: "t-3.reply" }, ["m-en"]],
  ["nothing where nothing was said", { query: "zeppelin" }, []],
])("finds %s", async (_, query, ids) => {
  const found = await idsOf((await threeYears()).index, query);
  expect(found.slice(0, Math.max(1, ids.length))).toEqual(ids);
});

test.each([
  ["リリース", "次のリリースは木曜日です"],
  ["abc", "ＡＢＣ计划"],
  ["배포", "배포는 목요일에 한다"],
  ["bar", "the option foo_bar"],
  ["v2.1.0", "we run v2.1.0 now"],
])("finds %j in %j", async (query, text) => {
  const index = new HistoryIndex(temporaryState().home);
  expect(await idsOf(index, { query }, [said("m-1", text), said("m-2", "nothing")])).toEqual(["m-1"]);
});

test.each([
  ["decide", "we decided for blue and green"],
  ["decided", "let us decide tomorrow"],
  ["adding", "it is adding up"],
  ["pricing", "the pricing is fair"],
  ["pricing", "the price is fair"],
  ["copies", "two copies are there"],
  ["copies", "a copy is there"],
])("finds %j as it stands in %j", async (query, text) => {
  const index = new HistoryIndex(temporaryState().home);
  expect(await idsOf(index, { query }, [said("m-1", text), said("m-2", "nothing")])).toEqual(["m-1"]);
});

test("what was asked comes after what was told in much the same words", async () => {
  const index = new HistoryIndex(temporaryState().home);
  const newest = [
    said("m-told", "I decided about the deployment: blue and green, on Thursdays"),
    said("m-asked", "What did I decide about the deployment?"),
    said("m-else", "lunch at noon"),
    said("m-zh-told", "发布窗口定在每周四下午，先在测试环境验证"),
    said("m-zh-asked", "发布窗口是什么时候？"),
  ];
  expect(await idsOf(index, { query: "what did I decide about the deployment" }, newest)).toEqual([
    "m-told",
    "m-asked",
  ]);
  expect(await idsOf(index, { query: "发布窗口是什么时候" }, newest)).toEqual(["m-zh-told", "m-zh-asked"]);
});

test("a hit shows something of a text whose small letters take more room than it", async () => {
  const index = new HistoryIndex(temporaryState().home);
  const text = `${"İ".repeat(600)} zebra`;
  const [hit] = await index.with([said("m-1", text)]).search(HistoryQuery.parse({ query: "zebra" }));
  expect(hit?.text).toContain("zebra");
});

test("a hit ends in whole characters", async () => {
  const index = new HistoryIndex(temporaryState().home);
  const [hit] = await index
    .with([said("m-1", `zebra${"🎉".repeat(400)}`)])
    .search(HistoryQuery.parse({ query: "zebra" }));
  expect(hit?.text.isWellFormed()).toBe(true);
});

test("a month that is asked for raises what was said then, and finds nothing by itself", async () => {
  const index = new HistoryIndex(temporaryState().home);
  const newest = [
    said("m-march", "the budget is what we spoke of", "2025-03-10T09:00:00.000Z"),
    said("m-lunch", "lunch at noon", "2025-03-11T09:00:00.000Z"),
    said("m-june", "the budget is what we spoke of", "2026-06-10T09:00:00.000Z"),
  ];
  expect(await idsOf(index, { query: "budget" }, newest)).toEqual(["m-june", "m-march"]);
  expect(await idsOf(index, { query: "the budget in March" }, newest)).toEqual(["m-march", "m-june"]);
  expect(await idsOf(index, { query: "zeppelin in March" }, newest)).toEqual([]);
});

test("a year that is asked for raises what was said then, over the same month of a later year", async () => {
  const index = new HistoryIndex(temporaryState().home);
  const newest = [
    said("m-2024", "the budget is what we spoke of", "2024-03-10T09:00:00.000Z"),
    said("m-2025", "the budget is what we spoke of", "2025-03-10T09:00:00.000Z"),
    said("m-june", "the budget is what we spoke of", "2025-06-10T09:00:00.000Z"),
  ];
  expect(await idsOf(index, { query: "the budget in March" }, newest)).toEqual(["m-2025", "m-2024", "m-june"]);
  expect((await idsOf(index, { query: "the budget in March 2024" }, newest))[0]).toBe("m-2024");
  expect((await idsOf(index, { query: "2024年三月 budget" }, newest))[0]).toBe("m-2024");
  expect(await idsOf(index, { query: "zeppelin in 2024" }, newest)).toEqual([]);
});

test("the line of a new beginning is no hit", async () => {
  expect(await idsOf((await threeYears()).index, { query: "new conversation begins" })).not.toContain("t-4.clear");
});

test("of messages that say the same the last comes first, and one that says it better comes before both", async () => {
  const index = new HistoryIndex(temporaryState().home);
  const newest = [
    said("m-best", "the release window is thursday", "2024-01-01T00:00:00.000Z"),
    said("m-early", "about the release of yesterday", "2025-01-01T00:00:00.000Z"),
    said("m-late", "about the release of yesterday", "2026-01-01T00:00:00.000Z"),
    ...["one", "two", "three"].map((text) => said(`m-${text}`, `something else: ${text}`)),
  ];
  const hits = await index.with(newest).search(HistoryQuery.parse({ query: "release window thursday" }));
  expect(hits.map(({ id }) => id)).toEqual(["m-best", "m-late", "m-early"]);
  expect(hits[0]?.score).toBe(1);
});

test("what is said now is found at once, and once when its file has it too", async () => {
  const { home, index } = await threeYears();
  const now = said("m-now", "zeppelin", "2026-11-22T09:00:00.000Z");
  expect(await idsOf(index, { query: "zeppelin" }, [now])).toEqual(["m-now"]);
  await appendHistory(home, "2026-11", [turnOf(7, now)]);
  expect(await idsOf(index, { query: "zeppelin" }, [now])).toEqual(["m-now"]);
  await appendHistory(home, "2026-11", [turnOf(7, now), turnOf(8, said("m-8", "a second zeppelin"))]);
  expect((await idsOf(index, { query: "zeppelin" })).toSorted()).toEqual(["m-8", "m-now"]);
});

test("a history that is written anew is read anew", async () => {
  const { home, index } = await threeYears();
  expect(await idsOf(index, { query: "frankfurt" })).toEqual(["m-old"]);
  rmSync(join(home, "history/2023-12.jsonl"));
  expect(await idsOf(index, { query: "frankfurt" })).toEqual([]);
});

test("a long message is cut around what was found in it", async () => {
  const text = `${"before ".repeat(200)}zeppelin ${"after ".repeat(200)}`;
  const [hit] = await new HistoryIndex(temporaryState().home)
    .with([said("m-1", text)])
    .search(HistoryQuery.parse({ query: "zeppelin" }));
  expect(hit?.text).toMatch(/^… .*zeppelin.*… \[truncated\]$/);
  expect(hit?.text.length).toBeLessThan(550);
});

test("pages go backwards as far as the last new beginning, in the order of the turns whatever that of the lines is", async () => {
  const { home, index } = await threeYears();
  const recent = async (count: number, offset: number) =>
    (await index.with([]).recent({ count, offset })).map(({ id }) => id);
  expect(await recent(20, 0)).toEqual(["m-new", "m-newer"]);
  expect(await recent(1, 0)).toEqual(["m-newer"]);
  expect(await recent(1, 1)).toEqual(["m-new"]);
  expect(await recent(1, 2)).toEqual([]);
  await appendHistory(home, "2026-11", [turnOf(9, said("m-9", "nine")), turnOf(8, said("m-8", "eight"))]);
  expect(await recent(3, 0)).toEqual(["m-newer", "m-8", "m-9"]);
});

test("a span of time is read whatever conversation it was in, the last of it where it is long", async () => {
  const { index } = await threeYears();
  const between = async (after: string | undefined, before: string | undefined, limit = 20) =>
    (await index.with([]).between({ after, before, limit })).map(({ id }) => id);
  expect(await between("2026-03-11T00:00:00Z", "2026-04-01T00:00:00Z")).toEqual(["m-en", "t-3.reply"]);
  expect(await between(undefined, "2024-01-01T00:00:00Z")).toEqual(["m-old"]);
  expect(await between("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", 1)).toEqual(["t-3.reply"]);
});

test("where very many have the rarer word, the other words tell which of them is meant", async () => {
  const { home } = temporaryState();
  const turns = Array.from({ length: 2_600 }, (_, i) =>
    turnOf(i + 1, said(`m-${i}`, i < 500 ? `schedule number ${i}` : `release number ${i} on the schedule`)),
  );
  await appendHistory(home, "2026-03", turns);
  await appendHistory(home, "2026-03", [turnOf(9_000, said("m-best", "release schedule"))]);
  const index = new HistoryIndex(home);
  expect((await idsOf(index, { query: "release schedule" }))[0]).toBe("m-best");
  expect(await idsOf(index, { query: "release schedule 777" })).toContain("m-777");
  expect(await idsOf(index, { query: "number 2599" })).toContain("m-2599");
});

test("what was said elsewhere is found with where it is from, after as good a hit of here, and is on no page of what was said", async () => {
  const { home, fs } = temporaryState();
  await appendHistory(home, "2026-03", [turnOf(1, said("m-1", "the ferry leaves at ten", "2026-03-10T09:00:00.000Z"))]);
  const index = new HistoryIndex(home);
  expect(await idsOf(index, { query: "ferry" })).toEqual(["m-1"]);
  const line = (id: string, text: string, at: string) => ({
    turn: Date.parse(at) * 1_000,
    messages: [said(id, text, at)],
    importId: "one",
    conversation: "c",
    title: "t",
  });
  const lines = [
    line("x-2", "the ferry leaves at ten", "2025-01-10T09:00:00.000Z"),
    line("x-1", "a ferry in another year", "2024-05-01T08:00:00.000Z"),
    line("x-3", "nothing of the kind", "2025-01-10T09:00:00.000Z"),
  ];
  await addImported(fs, "chatgpt", lines);
  const hits = await index.with([]).search(HistoryQuery.parse({ query: "ferry" }));
  expect(hits.map(({ id, origin }) => [id, origin])).toEqual([
    ["m-1", undefined],
    ["x-2", "chatgpt"],
    ["x-1", "chatgpt"],
  ]);
  expect(await idsOf(index, { query: "ferry", to: "2024-12-31T00:00:00Z" })).toEqual(["x-1"]);
  expect(await idsOf(index, { query: "ferry", before_id: "m-1" })).toEqual([]);
  expect((await index.with([]).recent({ count: 10, offset: 0 })).map(({ id }) => id)).toEqual(["m-1"]);
  expect((await index.with([]).between({ limit: 10 })).map(({ id }) => id)).toEqual(["m-1"]);

  // The same once more is there once; what one import has brought goes without what another has.
  await addImported(fs, "chatgpt", [
    ...lines,
    { ...line("x-4", "a ferry of later", "2025-01-11T09:00:00.000Z"), importId: "two" },
  ]);
  expect(await idsOf(index, { query: "ferry" })).toEqual(["m-1", "x-4", "x-2", "x-1"]);
  expect(await removeImported(fs, home, "chatgpt", "one")).toBe(3);
  expect(await idsOf(index, { query: "ferry" })).toEqual(["m-1", "x-4"]);
});
