/** Maintenance removes the unfinished texts of killed processes. */
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { runMaintenance } from "../../apps/supervisor/src/upkeep/maintenance.ts";
import { NOON_MS } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const DAY_MS = 86_400_000;

test("a text that was to replace a file, and whose process was killed, goes after a day, wherever it is", async () => {
  const { home, fs } = temporaryState();
  const write = (name: string, ageMs: number) => {
    const path = join(home, name);
    writeFileSync(path, "", { mode: 0o600 });
    utimesSync(path, (NOON_MS - ageMs) / 1_000, (NOON_MS - ageMs) / 1_000);
    return path;
  };
  const left = [
    "secrets.json.4711-1.tmp",
    "locks/mcp.json.20971-3.tmp",
    "log/workers.head.json.7-12.tmp",
    "sessions/t-1.summary.md.7-1.tmp",
  ];
  const old = left.map((name) => write(name, 2 * DAY_MS));
  const kept = [
    write("config.yaml.4711-2.tmp", DAY_MS / 2),
    write("locks/mcp.json", 2 * DAY_MS),
    write("notes.tmp", 2 * DAY_MS),
  ];
  const namedAttachments = async () => new Set<string>();
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await runMaintenance({
    home,
    fs,
    archiveIndex,
    config: Config.parse({}),
    nowMs: NOON_MS,
    namedAttachments,
    audit: () => undefined,
  });
  expect(old.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
});
