import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { message, NOON } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

test("what another process has compacted since the last look is still read", async () => {
  const { fs, home } = temporaryState();
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  const said = message("m-1");
  const header = { kind: "fold", month: NOON.slice(0, 7), ids: [said.id] };
  mkdirSync(join(home, "archive/folded"), { recursive: true });
  writeFileSync(join(home, "archive/folded/2026-11.jsonl"), `${JSON.stringify(header)}\n${JSON.stringify(said)}\n`);
  expect(await archiveIndex.read(said.id)).toEqual(said);
});
