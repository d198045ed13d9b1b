/** history/YYYY-MM.jsonl: every applied turn has its line, whatever was cut off, deleted or damaged. */
import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import { Result } from "@mimikit/protocol/records/result";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, historyPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { appendHistory, HistoryPartitions } from "@mimikit/store/views/history-partitions";
import { expect, test } from "vitest";
import { compactArchive } from "../../../apps/supervisor/src/upkeep/compact-archive.ts";
import { HistoryMonths } from "../../../apps/supervisor/src/views/history-months.ts";
import { done, message, turn } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const OCTOBER = "2026-10-31T23:59:00.000Z";
const NOVEMBER = "2026-11-01T00:01:00.000Z";

/** A state directory with applied turns, and what keeps its history level. */
async function settled(...completedAt: string[]) {
  const { home, fs } = temporaryState();
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  const months = new HistoryMonths(home, archiveIndex);
  const settle = async (number: number, at: string) => {
    const id = `t-${String(number).padStart(6, "0")}`;
    const asked = turn(id, { messages: [message(`m-${number}`, `question ${number}`)] });
    const record = done(asked, { completedAt: at, effects: [{ type: "reply", text: `answer ${number}` }] });
    await createRecord(fs, Result, archivePath(id), record);
    archiveIndex.add(id);
  };
  for (const [i, at] of completedAt.entries()) await settle(i + 1, at);
  const linesOf = (month: string) =>
    readFileSync(join(home, historyPath(month)), "utf8")
      .split("\n")
      .filter(Boolean);
  return { home, fs, archiveIndex, months, settle, linesOf, path: (month: string) => join(home, historyPath(month)) };
}

test("a history/ that somebody has removed is made again by what is written there, and that is told", async () => {
  const { home, fs, settle, archiveIndex } = await settled(NOVEMBER);
  let made = 0;
  const months = new HistoryMonths(home, archiveIndex, () => made++);
  await months.write();
  expect(made).toBe(0);
  rmSync(join(home, "history"), { recursive: true });
  await settle(2, NOVEMBER);
  await months.write();
  expect([made, (await turnsIn(home)).map(({ turn: n }) => n)]).toEqual([1, [1, 2]]);
  expect(await fs.exists("history")).toBe(true);
});

async function turnsIn(home: string): Promise<HistoryTurn[]> {
  const turns: HistoryTurn[] = [];
  for await (const some of new HistoryPartitions(home).follow()) turns.push(...some);
  return turns;
}

/** A turn that has two lines counts once. */
const numbersIn = async (home: string) => [...new Set((await turnsIn(home)).map(({ turn }) => turn))];

test("a turn goes to the month in which it was settled, as what was said in it, once", async () => {
  const { home, months, settle, linesOf } = await settled(OCTOBER, NOVEMBER);
  await months.write();
  await settle(3, NOVEMBER);
  await months.write();
  await months.write();
  expect(readdirSync(join(home, "history")).sort()).toEqual(["2026-10.jsonl", "2026-11.jsonl"]);
  expect(linesOf("2026-10")).toHaveLength(1);
  expect(linesOf("2026-11")).toHaveLength(2);
  const texts = (await turnsIn(home)).map(({ messages }) => messages.map(({ id, text }) => [id, text]));
  expect(texts[0]).toEqual([
    ["m-1", "question 1"],
    ["t-000001.reply", "answer 1"],
  ]);
  expect(await numbersIn(home)).toEqual([1, 2, 3]);
});

test("another supervisor goes on where the one before ended, with nothing twice", async () => {
  const { home, archiveIndex, months, settle } = await settled(OCTOBER, NOVEMBER);
  await months.write();
  await settle(3, NOVEMBER);
  await new HistoryMonths(home, archiveIndex).write();
  expect(await numbersIn(home)).toEqual([1, 2, 3]);
});

test("a line that was torn off swallows nothing, and its turn gets a new one", async () => {
  const { home, archiveIndex, months, settle, path } = await settled(NOVEMBER, NOVEMBER);
  await months.write();
  const { length } = readFileSync(path("2026-11"));
  for (const cut of [1, 10, length - 3]) {
    truncateSync(path("2026-11"), readFileSync(path("2026-11")).length - cut);
    await new HistoryMonths(home, archiveIndex).write();
    expect((await numbersIn(home)).toSorted()).toEqual([1, 2]);
  }
  await settle(3, NOVEMBER);
  await new HistoryMonths(home, archiveIndex).write();
  expect((await numbersIn(home)).toSorted()).toEqual([1, 2, 3]);
});

test("what was deleted or damaged while the supervisor runs is written anew", async () => {
  const { home, months, path } = await settled(OCTOBER, NOVEMBER);
  await months.write();
  rmSync(path("2026-10"));
  await months.write();
  expect(await numbersIn(home)).toEqual([1, 2]);
  writeFileSync(path("2026-11"), "not a line of ours\n");
  await months.write();
  expect(await numbersIn(home)).toEqual([1, 2]);
  rmSync(join(home, "history"), { recursive: true });
  await months.write();
  expect(await numbersIn(home)).toEqual([1, 2]);
});

test("the history can be made anew from compacted turns, and the record of a turn that cannot be read holds up no other", async () => {
  const { home, fs, archiveIndex, months, settle } = await settled(OCTOBER, OCTOBER);
  await compactArchive(fs, archiveIndex, Date.now() + 90 * 86_400_000, 30);
  await settle(3, NOVEMBER);
  await settle(4, NOVEMBER);
  writeFileSync(join(home, archivePath("t-000003")), "torn");
  await months.write();
  const turns = await turnsIn(home);
  expect(turns.map(({ turn, messages }) => [turn, messages.length])).toEqual([
    [1, 2],
    [2, 2],
    [3, 0],
    [4, 2],
  ]);
});

test("a reader gets each line once, when it is whole, also one that is longer than a piece of reading", async () => {
  const { home } = temporaryState();
  const said = (number: number, text: string): HistoryTurn => ({
    turn: number,
    messages: [{ id: `m-${number}`, role: "user", text, at: NOVEMBER }],
  });
  const reader = new HistoryPartitions(home);
  const next = async () => {
    const numbers: number[] = [];
    for await (const turns of reader.follow()) numbers.push(...turns.map(({ turn }) => turn));
    return numbers;
  };
  expect(await next()).toEqual([]);
  await appendHistory(home, "2026-11", [said(1, "发布"), said(2, "布".repeat(300_000)), said(3, "x")]);
  expect(await next()).toEqual([1, 2, 3]);
  const line = `${JSON.stringify(said(4, "later"))}\n`;
  appendFileSync(join(home, historyPath("2026-11")), line.slice(0, 20));
  expect(await next()).toEqual([]);
  appendFileSync(join(home, historyPath("2026-11")), line.slice(20));
  expect(await next()).toEqual([4]);
  expect(reader.isAsRead()).toBe(true);
  truncateSync(join(home, historyPath("2026-11")), 100);
  expect(reader.isAsRead()).toBe(false);
});

test("what is no file of ours is neither read nor written through", async () => {
  const { home } = temporaryState();
  symlinkSync("/etc/hosts", join(home, historyPath("2026-11")));
  writeFileSync(join(home, "history/notes.txt"), "mine");
  expect(await turnsIn(home)).toEqual([]);
  await expect(appendHistory(home, "2026-11", [{ turn: 1, messages: [] }])).rejects.toThrow("ELOOP");
});
