import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { compactArchive } from "../../../apps/supervisor/src/upkeep/compact-archive.ts";
import { writeHistory } from "../../../apps/supervisor/src/views/history-view.ts";
import { done, message, turn } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const JANUARY_31 = Date.parse("2026-01-31T12:00:00Z") / 1_000;
const MARCH_2 = Date.parse("2026-03-02T00:00:00Z");
const MARCH_4 = Date.parse("2026-03-04T00:00:00Z");

async function oldArchive() {
  const { home, fs } = temporaryState();
  for (const n of [1, 2, 3]) {
    const id = `t-00000${n}`;
    const said = message(`m-${n}`, `message ${n}`);
    const result = done(turn(id, { messages: [said] }), { effects: [{ type: "reply", text: `reply ${n}` }] });
    await createRecord(fs, Message, archivePath(said.id), said);
    await createRecord(fs, Result, archivePath(id), result);
    for (const each of [said.id, id]) utimesSync(join(home, archivePath(each)), JANUARY_31, JANUARY_31);
  }
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  return { home, fs, archiveIndex };
}

test("a month is compacted thirty days after its end, but never its highest turn", async () => {
  const { home, fs, archiveIndex } = await oldArchive();
  expect(await compactArchive(fs, archiveIndex, MARCH_2, 30)).toBe(0);
  expect(await compactArchive(fs, archiveIndex, MARCH_4, 30)).toBe(5);
  expect(readdirSync(join(home, "archive")).sort()).toEqual(["folded", "t-000003.json"]);
  expect(await compactArchive(fs, archiveIndex, MARCH_4, 30)).toBe(0);
});

test("what is compacted is known, also after a restart, and can be read", async () => {
  const { fs, archiveIndex } = await oldArchive();
  await compactArchive(fs, archiveIndex, MARCH_4, 30);
  const restarted = new ArchiveIndex(fs, () => undefined);
  await restarted.load();
  expect(restarted.has("m-1")).toBe(true);
  expect(await restarted.confirm("t-000001")).toBe(true);
  expect(await restarted.read("m-2")).toMatchObject({ text: "message 2" });
  expect(restarted.settledTurn).toBe(3);
});

test("a name that comes back after it was compacted goes again, and what was compacted first is what counts", async () => {
  const { home, fs, archiveIndex } = await oldArchive();
  await compactArchive(fs, archiveIndex, MARCH_4, 30);
  // A slow process was about to apply it, and slept for a month in between.
  await createRecord(fs, Message, archivePath("m-1"), message("m-1", "once more"));
  const february = Date.parse("2026-02-15T12:00:00Z") / 1_000;
  utimesSync(join(home, archivePath("m-1")), february, february);
  expect(await compactArchive(fs, archiveIndex, Date.parse("2026-04-04T00:00:00Z"), 30)).toBe(1);
  expect(readdirSync(join(home, "archive/folded"))).toEqual(["2026-01.jsonl"]);
  expect(readdirSync(join(home, "archive")).sort()).toEqual(["folded", "t-000003.json"]);
  expect(await archiveIndex.read("m-1")).toMatchObject({ text: "message 1" });
});

test("what cannot be compacted stays where it is, and holds up nothing else", async () => {
  const { home, fs, archiveIndex } = await oldArchive();
  for (const name of ["m-9.json", "t-000001 (copy).json"]) {
    writeFileSync(join(home, "archive", name), "torn");
    utimesSync(join(home, "archive", name), JANUARY_31, JANUARY_31);
  }
  mkdirSync(join(home, "archive/m-8.json"));
  utimesSync(join(home, "archive/m-8.json"), JANUARY_31, JANUARY_31);
  expect(await compactArchive(fs, archiveIndex, MARCH_4, 30)).toBe(5);
  expect(readdirSync(join(home, "archive")).sort()).toEqual([
    "folded",
    "m-8.json",
    "m-9.json",
    "t-000001 (copy).json",
    "t-000003.json",
  ]);
  const restarted = new ArchiveIndex(fs, () => undefined);
  await restarted.load();
  expect(restarted.settledTurn).toBe(3);
});

test("history.json can be rebuilt from compacted turns", async () => {
  const { fs, archiveIndex } = await oldArchive();
  await compactArchive(fs, archiveIndex, MARCH_4, 30);
  await writeHistory(fs, archiveIndex);
  const view = JSON.parse((await fs.read("history.json")) ?? "");
  expect(view.messages.map((each: { text: string }) => each.text)).toEqual([
    "message 1",
    "reply 1",
    "message 2",
    "reply 2",
    "message 3",
    "reply 3",
  ]);
});
