/** Deaths of a role are counted in its record: those that nobody had asked for. */
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  deathsOf,
  noteLeft,
  type RoleRecord,
  readRole,
  recordPath,
  writeRole,
} from "@mimikit/runtime/process/role-record";
import { expect, test } from "vitest";
import { temporaryHome } from "../temporary-home.ts";

const MINUTE_MS = 60_000;

/** As if the last process of the role had been another one, which is gone. */
function die(home: string, changes: Partial<RoleRecord> = {}): void {
  const path = recordPath(home, "supervisor");
  const record = JSON.parse(readFileSync(path, "utf8")) as RoleRecord;
  writeFileSync(path, JSON.stringify({ ...record, pid: 4_194_304, startTime: "1", ...changes }));
}

const count = (record: RoleRecord | null) => record && deathsOf(record).count;

test("each death counts for an hour, and five of them, the last not long ago, are a crash loop", () => {
  const home = temporaryHome();
  expect(deathsOf(writeRole(home, "supervisor"))).toEqual({ count: 0, isLoop: false });
  for (let died = 1; died <= 5; died++) {
    die(home);
    expect(deathsOf(writeRole(home, "supervisor"))).toEqual({ count: died, isLoop: died === 5 });
  }
  const record = readRole(home, "supervisor");
  if (record === null) throw new Error("there is no record");
  const nowMs = Date.now();
  expect(deathsOf(record, nowMs + 11 * MINUTE_MS)).toEqual({ count: 5, isLoop: false });
  expect(deathsOf(record, nowMs + 61 * MINUTE_MS)).toEqual({ count: 0, isLoop: false });
});

test("an end that was asked for, a reboot and a second record of one process are no deaths", () => {
  const home = temporaryHome();
  writeRole(home, "supervisor");
  expect(count(writeRole(home, "supervisor"))).toBe(0);
  die(home, { left: true });
  expect(count(writeRole(home, "supervisor"))).toBe(0);
  die(home, { bootId: "00000000-0000-0000-0000-000000000000" });
  expect(count(writeRole(home, "supervisor"))).toBe(0);
});

test("a process that leaves says so, and its last heartbeat stays", () => {
  const home = temporaryHome();
  writeRole(home, "supervisor");
  const path = join(home, "locks/supervisor.json");
  utimesSync(path, 1_000, 1_000);
  noteLeft();
  expect(readRole(home, "supervisor")).toMatchObject({ pid: process.pid, left: true });
  expect(statSync(path).mtimeMs).toBe(1_000_000);
  writeFileSync(path, "{");
  expect(() => noteLeft()).not.toThrow();
});
