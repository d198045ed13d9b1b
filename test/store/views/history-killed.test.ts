/** history/ is written by a process that is killed again and again: afterwards every turn counts exactly once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import { HISTORY } from "@mimikit/store/disk/state";
import { HistoryPartitions } from "@mimikit/store/views/history-partitions";
import { expect, onTestFinished, test } from "vitest";
import { writeYears } from "../../support/three-years.ts";

const MONTHS = 4;
const KILLS = 2;
const at = (path: string) => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);

/** Does the supervisor's work to bring history/ level with archive/. */
function startWriting(home: string) {
  const program = `
    const { openDisk } = await import(${at("packages/store/src/disk/disk.ts")});
    const { ArchiveIndex } = await import(${at("packages/store/src/state-cache/archive-index.ts")});
    const { HistoryMonths } = await import(${at("apps/supervisor/src/views/history-months.ts")});
    const archiveIndex = new ArchiveIndex(openDisk(${JSON.stringify(home)}, "killed-" + process.pid + "-1"), () => process.exit(2));
    await archiveIndex.load();
    await new HistoryMonths(${JSON.stringify(home)}, archiveIndex).write();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function bytesIn(dir: string): number {
  return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
}

test("kill -9 in the midst of it leaves no turn out, and none that counts twice", async () => {
  const home = mkdtempSync(join(tmpdir(), "mimikit-killed-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { turns } = await writeYears(home, Date.now(), MONTHS);
  for (const name of readdirSync(join(home, HISTORY))) rmSync(join(home, HISTORY, name));

  for (let kills = 0; kills < KILLS; kills++) {
    const child = startWriting(home);
    const gone = once(child, "exit");
    const before = bytesIn(join(home, HISTORY));
    while (child.exitCode === null && bytesIn(join(home, HISTORY)) === before) await wait(1);
    child.kill("SIGKILL");
    await gone;
  }
  const child = startWriting(home);
  expect(await once(child, "exit")).toEqual([0, null]);

  const read: HistoryTurn[] = [];
  for await (const piece of new HistoryPartitions(home).follow()) read.push(...piece);
  const first = new Map<number, HistoryTurn>();
  for (const line of read.toReversed()) first.set(line.turn, line);
  expect([...first.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: turns }, (_, i) => i + 1));
  for (const line of read) expect(line).toEqual(first.get(line.turn));
  expect(read.every(({ messages }) => messages.length === 2)).toBe(true);
});
