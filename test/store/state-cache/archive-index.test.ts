import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Archived } from "@mimikit/protocol/records/archive";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { done, message, NOON, turn } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

/** Puts records into the compacted file of their month, as another process does. */
function compact(home: string, records: readonly Archived[]): void {
  const header = { kind: "fold", month: NOON.slice(0, 7), ids: records.map(({ id }) => id) };
  mkdirSync(join(home, "archive/folded"), { recursive: true });
  const lines = [header, ...records].map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(home, "archive/folded/2026-11.jsonl"), lines.join(""));
}

test("what another process has compacted since the last look is still read", async () => {
  const { fs, home } = temporaryState();
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  const said = message("m-1");
  compact(home, [said]);
  expect(await archiveIndex.read(said.id)).toEqual(said);
});

test("turns that were applied and compacted between two looks are followed: a reader that stood still for a month goes on", async () => {
  const { fs, home } = temporaryState();
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  const turns = ["m-1", "m-2"].map((id, index) => done(turn(`t-00000${index + 1}`, { messages: [message(id)] })));
  compact(home, turns);
  expect(await archiveIndex.follow()).toEqual(turns);
  expect(archiveIndex.has("m-2")).toBe(true);
  expect(await archiveIndex.follow()).toEqual([]);
});

test("a compacted month whose list of names is damaged has the names of its whole records, and is reported once", async () => {
  const { fs, home } = temporaryState();
  const [first, second] = [message("m-1"), message("m-2")];
  const lines = ['{"kind":"fold","month":"20', JSON.stringify(first), '{"kind":"mess', JSON.stringify(second), ""];
  mkdirSync(join(home, "archive/folded"), { recursive: true });
  writeFileSync(join(home, "archive/folded/2026-11.jsonl"), lines.join("\n"));
  const reported: string[] = [];
  const archiveIndex = new ArchiveIndex(fs, (path) => reported.push(path));
  await archiveIndex.load();
  expect([...archiveIndex.names()]).toEqual(["m-1", "m-2"]);
  expect(await archiveIndex.read("m-2")).toEqual(second);
  expect(await archiveIndex.read("m-1")).toEqual(first);
  expect(reported).toEqual(["archive/folded/2026-11.jsonl"]);
});
