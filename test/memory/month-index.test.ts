/** history/YYYY-MM.index: what a month that is over says to a search, without being read; and what it never changes. */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { keepMonthIndexes, MONTH_BYTES_MIN } from "@mimikit/memory/search/keep-month-indexes";
import { type PlacedTurn, readMonthIndex, writeMonthIndex } from "@mimikit/memory/search/month-index";
import { subjectOf } from "@mimikit/memory/subject/subject";
import type { HistoryMessage, HistoryTurn } from "@mimikit/protocol/records/history";
import { Result } from "@mimikit/protocol/records/result";
import { HistoryQuery } from "@mimikit/protocol/wire/api";
import { Config } from "@mimikit/runtime/config/schema";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, historyPath, monthIndexPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { appendHistory, stampOf } from "@mimikit/store/views/history-partitions";
import { expect, test } from "vitest";
import { runMaintenance } from "../../apps/supervisor/src/upkeep/maintenance.ts";
import { HistoryMonths } from "../../apps/supervisor/src/views/history-months.ts";
import { done, message, turn as turnTask } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const HOUR_MS = 3_600_000;
const [JANUARY, FEBRUARY, MARCH] = ["2026-01", "2026-02", "2026-03"] as const;
/** So many turns of a month, each of two messages, are longer than MONTH_BYTES_MIN. */
const TURNS = 1_200;
const QUERIES = [
  { query: "lantern" },
  { query: "harbour 部署方案", limit: 20 },
  { query: "what did we say of the harbour in February?" },
  { query: "ÉTÉ" },
  { query: "harbour", roles: ["assistant"], limit: 20 },
  { query: "harbour", before_id: "m-1300" },
  { query: "harbour", from: "2026-02-01T00:00:00.000Z", to: "2026-02-28T00:00:00.000Z" },
  { query: "zeppelin" },
];

function turnOf(turn: number, month: string): HistoryTurn {
  const at = `${month}-15T09:00:00.000Z`;
  const words = ["harbour", "lantern", "Été à Orléans", "部署方案", "ＡＢＣ", "it’s"].filter(
    (_, i) => turn % (i + 7) === 0,
  );
  const text = `${words.join(" ")} number ${turn}, and what else there was to be said`;
  return {
    turn,
    messages: [
      { id: `m-${turn}`, role: "user", text, at },
      { id: `t-${turn}.reply`, role: "assistant", text: `Noted: ${text}?`, at, answers: [`m-${turn}`] },
    ],
  };
}

const turnsOf = (first: number, month: string) => Array.from({ length: TURNS }, (_, i) => turnOf(first + i, month));

/** Two months that are over, and the present one, which is short. */
async function threeMonths() {
  const { home, fs } = temporaryState();
  await appendHistory(home, JANUARY, turnsOf(1, JANUARY));
  await appendHistory(home, FEBRUARY, turnsOf(1 + TURNS, FEBRUARY));
  await appendHistory(home, MARCH, [turnOf(1 + 2 * TURNS, MARCH)]);
  const path = (month: string) => join(home, historyPath(month));
  const indexPath = (month: string) => join(home, monthIndexPath(month));
  const keep = () => keepMonthIndexes(home, fs, Date.now() + HOUR_MS);
  const counts = (month: string) =>
    readMonthIndex(home, month, stampOf(statSync(path(month)))).then((it) => it !== null);
  return { home, fs, path, indexPath, keep, counts };
}

function asking(question: string) {
  const subject = subjectOf(question, []);
  if (subject === null) throw new Error("the question is about nothing");
  return { subject, asked: question, limit: 5, isKnown: () => false, forgotten: new Set<number>() };
}

/** All that can be seen of a history. */
async function seen(index: HistoryIndex, newest: HistoryMessage[] = []) {
  const said = index.with(newest);
  const hits = [];
  for (const query of QUERIES) hits.push(await said.search(HistoryQuery.parse(query)));
  return {
    hits,
    recent: await said.recent({ count: 20, offset: 1_000 }),
    between: await said.between({ after: "2026-01-31T00:00:00.000Z", before: "2026-02-20T00:00:00.000Z", limit: 20 }),
    before: await said.page({ before: "m-1300", limit: 20 }),
    around: await said.page({ around: `m-${1 + TURNS}`, limit: 20 }),
    recalled: await said.recall(asking("what was said about number 700?")),
    unknown: await said.page({ around: "m-0", limit: 20 }),
  };
}

test("searches and pages are the same with indexes and without, and something is found", async () => {
  const { home, keep } = await threeMonths();
  const newest = [...turnOf(TURNS, JANUARY).messages, ...turnOf(3_000, MARCH).messages];
  const without = await seen(new HistoryIndex(home), newest);
  expect(await keep()).toBe(2);
  expect(await seen(new HistoryIndex(home), newest)).toEqual(without);
  expect(without.hits.map(({ length }) => length > 0)).toEqual([true, true, true, true, true, true, true, false]);
});

test("notices of the code are recalled neither from a month that has an index nor from one that has none", async () => {
  const { home, keep } = await threeMonths();
  const at = `${FEBRUARY}-20T09:00:00.000Z`;
  const notice: HistoryMessage = {
    id: "t-5000.reply",
    role: "assistant",
    text: "The zeppelin could not be reached.",
    at,
    spoken: 0,
  };
  const broken: HistoryMessage = {
    id: "t-5001.reply",
    role: "assistant",
    text: "The zeppelin is full of hydrogen.\n\nStopped.",
    at,
    spoken: 33,
  };
  await appendHistory(home, FEBRUARY, [
    { turn: 1 + 2 * TURNS - 1, messages: [] },
    { turn: 2_000_000, messages: [notice, broken] },
  ]);
  await appendHistory(home, MARCH, [turnOf(2_000_001, MARCH)]);
  const recalled = async () => {
    const hits = await new HistoryIndex(home).with([]).recall(asking("zeppelin?"));
    return hits.filter(({ text }) => text.includes("zeppelin")).map(({ text }) => text);
  };
  expect(await recalled()).toEqual(["The zeppelin is full of hydrogen."]);
  expect(await keep()).toBe(2);
  expect(await recalled()).toEqual(["The zeppelin is full of hydrogen."]);
});

test("a page of a month that has an index is read by its own lines, each once, and not by the month", async () => {
  const { home, keep } = await threeMonths();
  expect(await keep()).toBe(2);
  const index = new HistoryIndex(home);
  await index.refresh();
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  const before = bytesRead();
  const page = await index.with([]).page({ around: "m-600", limit: 200 });
  const read = bytesRead() - before;
  expect(page?.map(({ id }) => id)).toEqual(
    Array.from({ length: 100 }, (_, i) => [`m-${550 + i}`, `t-${550 + i}.reply`]).flat(),
  );
  expect(page?.[1]?.answers).toEqual(["m-550"]);
  // Its lines and the few beside them, which may hold versions.
  expect(read).toBeLessThan(MONTH_BYTES_MIN / 4);
});

/** An index of January that says of each message something else than its file. */
async function writeOther(state: Awaited<ReturnType<typeof threeMonths>>, other: (turn: HistoryTurn) => HistoryTurn) {
  const { home, fs, path } = state;
  const lines: PlacedTurn[] = [];
  let start = 0;
  for (const line of readFileSync(path(JANUARY), "utf8").split("\n").filter(Boolean)) {
    const bytes = Buffer.byteLength(line);
    lines.push({ turn: other(JSON.parse(line)), start, bytes });
    start += bytes + 1;
  }
  await writeMonthIndex(home, fs, { month: JANUARY, stamp: stampOf(statSync(path(JANUARY))), lines });
}

test("no line of a month that has an index is read before it is shown, and then that line alone", async () => {
  const state = await threeMonths();
  const { home, path } = state;
  await writeOther(state, ({ turn, messages }) => ({
    turn,
    messages: messages.map((each) => ({ ...each, text: turn === 9 ? "a zeppelin" : "nothing" })),
  }));
  const index = new HistoryIndex(home);
  const search = async (query: string) =>
    (await index.with([]).search(HistoryQuery.parse({ query }))).map(({ id, text }) => [id, text]);
  // A search that had read the file would find none: the word is in the index only.
  const shown = readFileSync(path(JANUARY), "utf8").split("\n")[8] ?? "";
  const { messages } = JSON.parse(shown) as HistoryTurn;
  expect(await search("zeppelin")).toEqual(messages.map(({ id, text }) => [id, text]).reverse());
  expect(index.size).toBe(2 * (2 * TURNS + 1));
});

test("where an index is wrong in spite of its checksum, the months are read", async () => {
  const state = await threeMonths();
  const without = await seen(new HistoryIndex(state.home));
  await writeOther(state, ({ turn, messages }) => ({
    turn,
    messages: messages.map((each) => ({ ...each, id: `x-${each.id}` })),
  }));
  expect(await seen(new HistoryIndex(state.home))).toEqual(without);
});

test("the supervisor does not read a month that has an index to know which turns have a line", async () => {
  const state = await threeMonths();
  const { home, fs, path, indexPath } = state;
  writeFileSync(
    path(JANUARY),
    turnsOf(5_001, JANUARY)
      .map((turn) => `${JSON.stringify(turn)}\n`)
      .join(""),
  );
  await writeOther(state, ({ turn, messages }) => ({ turn: turn - 5_000, messages }));
  const settled = new ArchiveIndex(fs, () => undefined);
  await settled.load();
  for (const id of ["t-000001", "t-000002"]) {
    const asked = turnTask(id, { messages: [message(`m-of-${id}`, "said again")] });
    const result = done(asked, { completedAt: "2026-03-20T09:00:00.000Z", effects: [] });
    await createRecord(fs, Result, archivePath(id), result);
    settled.add(id);
  }
  const before = readFileSync(path(MARCH), "utf8");
  await new HistoryMonths(home, settled).write();
  expect(readFileSync(path(MARCH), "utf8")).toBe(before);
  rmSync(indexPath(JANUARY));
  await new HistoryMonths(home, settled).write();
  expect(readFileSync(path(MARCH), "utf8")).toContain("said again");
});

test("maintenance writes the indexes", async () => {
  const { home, fs, counts } = await threeMonths();
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  const nowMs = Date.now() + HOUR_MS;
  const namedAttachments = () => Promise.reject(new Error("nothing is old enough to ask for it"));
  await runMaintenance({
    home,
    fs,
    archiveIndex,
    config: Config.parse({}),
    nowMs,
    namedAttachments,
    audit: () => undefined,
  });
  expect(await Promise.all([JANUARY, FEBRUARY].map(counts))).toEqual([true, true]);
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ["is empty", () => Buffer.alloc(0)],
  ["was torn off", (bytes) => bytes.subarray(0, bytes.length / 2)],
  [
    "has a bit that is another",
    (bytes) => bytes.fill((bytes[bytes.length >> 1] ?? 0) ^ 1, bytes.length >> 1, (bytes.length >> 1) + 1),
  ],
  ["is something else", () => Buffer.from("not an index of ours, and longer than its header")],
])("an index that %s is passed over, and made anew", async (_, damage) => {
  const { home, keep, indexPath, counts } = await threeMonths();
  const without = await seen(new HistoryIndex(home));
  await keep();
  writeFileSync(indexPath(JANUARY), damage(readFileSync(indexPath(JANUARY))));
  expect(await counts(JANUARY)).toBe(false);
  expect(await seen(new HistoryIndex(home))).toEqual(without);
  expect(await keep()).toBe(1);
  expect(await counts(JANUARY)).toBe(true);
  expect(await keep()).toBe(0);
});

test("an index that was removed is made anew", async () => {
  const { keep, indexPath, counts } = await threeMonths();
  await keep();
  rmSync(indexPath(FEBRUARY));
  expect(await keep()).toBe(1);
  expect(await counts(FEBRUARY)).toBe(true);
});

test("an edit of a month that is over is noticed at the next search, also one that sets the time of the file back", async () => {
  const { home, keep, path, counts } = await threeMonths();
  const then = new Date("2026-02-01T00:00:00.000Z");
  utimesSync(path(JANUARY), then, then);
  await keep();
  const index = new HistoryIndex(home);
  const find = async () => (await index.with([]).search(HistoryQuery.parse({ query: "zeppelin" }))).map(({ id }) => id);
  expect(await find()).toEqual([]);
  writeFileSync(path(JANUARY), readFileSync(path(JANUARY), "utf8").replace("harbour ", "zeppelin"));
  utimesSync(path(JANUARY), then, then);
  expect(await counts(JANUARY)).toBe(false);
  expect(await find()).toEqual(["m-7"]);
  await keep();
  expect(await counts(JANUARY)).toBe(true);
  expect((await seen(new HistoryIndex(home))).hits.at(-1)?.map(({ id }) => id)).toEqual(["m-7"]);
});

test("a line that comes later to a month that is over counts, in the order of the turns", async () => {
  const { home, keep } = await threeMonths();
  await keep();
  const index = new HistoryIndex(home);
  await index.refresh();
  const late = { id: "m-late", role: "user" as const, text: "a zeppelin", at: "2026-01-20T09:00:00.000Z" };
  await appendHistory(home, JANUARY, [{ turn: 9_000, messages: [late] }]);
  const without = await seen(index);
  expect(without.hits.at(-1)?.map(({ id }) => id)).toEqual(["m-late"]);
  expect((await index.with([]).recent({ count: 1, offset: 0 })).map(({ id }) => id)).toEqual(["m-late"]);
  await keep();
  expect(await seen(new HistoryIndex(home))).toEqual(without);
});

test("what is torn, damaged or there twice in a month is no more in its index than in a search without it", async () => {
  const { home, keep, path } = await threeMonths();
  appendFileSync(path(JANUARY), `not a line\n${JSON.stringify(turnOf(3, FEBRUARY))}\n`);
  const again = { ...turnOf(9_000, JANUARY), turn: TURNS };
  appendFileSync(path(FEBRUARY), `${JSON.stringify(again)}\n{"turn":77,"messages":[]}`);
  const without = await seen(new HistoryIndex(home));
  expect(await keep()).toBe(2);
  expect(await seen(new HistoryIndex(home))).toEqual(without);
});

test("a remark of which two turns tell counts once, also where a month ends between them", async () => {
  const { home, keep } = await threeMonths();
  const [remark] = turnOf(2 * TURNS, FEBRUARY).messages;
  if (remark === undefined) throw new Error("nothing was said");
  await appendHistory(home, MARCH, [{ turn: 9_000, messages: [remark] }]);
  await keep();
  const index = new HistoryIndex(home);
  await index.refresh();
  expect(index.size).toBe(2 * (2 * TURNS + 1));
});

test("the present month, a short one and one that somebody writes to have no index, and what is the index of no month goes", async () => {
  const { home, fs } = temporaryState();
  await appendHistory(home, JANUARY, [turnOf(1, JANUARY)]);
  await appendHistory(home, FEBRUARY, turnsOf(2, FEBRUARY));
  const names = () => readdirSync(join(home, "history")).filter((name) => !name.endsWith(".jsonl"));
  expect(statSync(join(home, historyPath(JANUARY))).size).toBeLessThan(MONTH_BYTES_MIN);
  expect(await keepMonthIndexes(home, fs, Date.now() + HOUR_MS)).toBe(0);
  await appendHistory(home, MARCH, [turnOf(5_000, MARCH)]);
  expect(await keepMonthIndexes(home, fs, Date.now())).toBe(0);
  expect(names()).toEqual([]);
  writeFileSync(join(home, "history/notes.txt"), "mine");
  writeFileSync(join(home, monthIndexPath("2020-01")), "left behind");
  expect(await keepMonthIndexes(home, fs, Date.now() + HOUR_MS)).toBe(1);
  expect(names()).toEqual(["2026-02.index", "notes.txt"]);
  expect(statSync(join(home, monthIndexPath(FEBRUARY))).mode & 0o777).toBe(0o600);
  expect(existsSync(join(home, "tmp/test-1-1/1"))).toBe(false);
});
