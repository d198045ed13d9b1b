/** Records of changes are kept for 30 days, and the newest 1,000 of them. */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANGES_KEPT_MAX } from "@mimikit/protocol/records/change";
import { Config } from "@mimikit/runtime/config/config";
import { CHANGES, changePath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { runMaintenance } from "../../../apps/supervisor/src/upkeep/maintenance.ts";
import { NOON_MS } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const DAY_MS = 86_400_000;

test("what is longer ago, or has too many newer ones over it, goes", async () => {
  const { home, fs } = temporaryState();
  const write = (id: string, ageMs: number) => {
    const path = join(home, changePath(id));
    writeFileSync(path, "");
    utimesSync(path, (NOON_MS - ageMs) / 1_000, (NOON_MS - ageMs) / 1_000);
  };
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  const config = Config.parse({});
  const namedAttachments = async () => new Set<string>();
  const keep = () =>
    runMaintenance({ home, fs, archiveIndex, config, nowMs: NOON_MS, namedAttachments, audit: () => undefined });
  const left = () => readdirSync(join(home, CHANGES)).sort();
  write("old", 31 * DAY_MS);
  write("young", 29 * DAY_MS);
  await keep();
  expect(left()).toEqual(["young.json"]);
  for (let n = 0; n < CHANGES_KEPT_MAX; n++) write(`memory-${n}`, n);
  await keep();
  expect(left()).toHaveLength(CHANGES_KEPT_MAX);
  expect(left()).not.toContain("young.json");
});
