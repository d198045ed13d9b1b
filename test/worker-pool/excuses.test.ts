/** Which deaths of a pool are no fault of what it ran, from the records that it leaves (SPEC C5). */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { monotonicMs } from "@mimikit/runtime/platform/monotonic";
import { ownIdentity } from "@mimikit/runtime/process/identity";
import { expect, test } from "vitest";
import { type DeathEvidence, excuseIn, readExcuses } from "../../apps/worker-pool/src/claim/excuses.ts";
import { temporaryHome } from "../runtime/temporary-home.ts";

const REST_MS = 1_000;
const DEADLINE_MS = 500_000;
const INNOCENT = { isAlive: true, startedMs: 100_000, deadlineMs: DEADLINE_MS };
const evidence = (more: Partial<DeathEvidence> = {}): DeathEvidence => ({
  isOfThisBoot: true,
  watchdog: null,
  isParentGone: false,
  startedMs: 200_000,
  deadlineMs: DEADLINE_MS,
  others: [INNOCENT],
  ...more,
});

const CASES: [what: string, more: Partial<DeathEvidence>, excuse: string | null][] = [
  ["a pool that died alone", {}, null],
  ["a death of another boot", { isOfThisBoot: false, watchdog: "hung" }, "reboot"],
  ["a pool that was held up, so that the watchdog killed it", { watchdog: "held up" }, "watchdog"],
  ["a pool that hung by itself, so that the watchdog killed it", { watchdog: "hung" }, null],
  [
    "the same, and a role came back meanwhile",
    { watchdog: "hung", others: [{ ...INNOCENT, startedMs: DEADLINE_MS }] },
    null,
  ],
  ["a pool whose parent has gone as well", { isParentGone: true }, "pm2"],
  ["a role that came back since the last heartbeat", { others: [{ ...INNOCENT, startedMs: DEADLINE_MS }] }, "role"],
  ["a role that came back before it", { others: [{ ...INNOCENT, startedMs: DEADLINE_MS - REST_MS - 1 }] }, null],
  ["a role that died in the same moment and is not back", { others: [{ ...INNOCENT, isAlive: false }] }, "role"],
  [
    "a role that had died long before",
    { others: [{ ...INNOCENT, isAlive: false, deadlineMs: DEADLINE_MS - 60_000 }] },
    null,
  ],
  [
    "a role that came back and died again before its first look",
    { others: [{ isAlive: false, startedMs: DEADLINE_MS + 1, deadlineMs: null }] },
    "role",
  ],
  ["a role of a version that did not say when it started", { others: [{ ...INNOCENT, startedMs: undefined }] }, null],
  ["a pool that died in its first look", { deadlineMs: null }, null],
  ["a pool that died in its first look, and nothing says when", { deadlineMs: null, startedMs: undefined }, "unknown"],
];
test.each(CASES)("%s has the excuse that the evidence gives", (_what, more, excuse) => {
  expect(excuseIn(evidence(more), REST_MS)).toBe(excuse);
});

/** A state directory that a pool has left, with the other roles as they are given: their pids, and when they began. */
function leftBehind(
  pool: Identity,
  parent: Identity,
  others: Record<string, { identity: Identity; startedMs: number }>,
) {
  const home = temporaryHome();
  mkdirSync(join(home, "locks"), { recursive: true });
  const write = (role: string, record: object, deadlineMs: number) => {
    const path = join(home, "locks", `${role}.json`);
    writeFileSync(path, JSON.stringify({ startedAt: new Date().toISOString(), version: "0.3.0", ...record }));
    utimesSync(path, deadlineMs / 1_000, deadlineMs / 1_000);
  };
  const nowMs = monotonicMs();
  write("workers", { ...pool, parent, startedMs: nowMs - 60_000 }, nowMs - 5_000);
  for (const [role, { identity, startedMs }] of Object.entries(others))
    write(role, { ...identity, startedMs }, nowMs + REST_MS);
  return home;
}

const DEAD: Identity = { ...ownIdentity(), pid: 0x7fffffff };

test("the evidence is read from the records of the roles; of a pool that is not the last nothing is known", () => {
  const living = { identity: ownIdentity(), startedMs: monotonicMs() - 50_000 };
  const home = leftBehind(DEAD, ownIdentity(), { supervisor: living, gateway: living });
  const excuseOf = readExcuses(home, REST_MS);
  expect(excuseOf(DEAD)).toBeNull();
  expect(excuseOf({ ...DEAD, startTime: "1" })).toBe("unknown");
  expect(excuseOf({ ...DEAD, bootId: "another" })).toBe("reboot");
});

test("a gateway that was started since the pool's last heartbeat, and a parent that has gone, are excuses", () => {
  const living = { identity: ownIdentity(), startedMs: monotonicMs() - 50_000 };
  const fresh = { identity: ownIdentity(), startedMs: monotonicMs() };
  const together = leftBehind(DEAD, ownIdentity(), { supervisor: living, gateway: fresh });
  expect(readExcuses(together, REST_MS)(DEAD)).toBe("role");
  const orphaned = leftBehind(DEAD, { ...DEAD, pid: DEAD.pid - 1 }, { supervisor: living });
  expect(readExcuses(orphaned, REST_MS)(DEAD)).toBe("pm2");
});

test.each([
  [undefined, "watchdog"],
  [0, "watchdog"],
  [1, null],
])(
  "a pool that the watchdog killed is excused by the note of that, unless it says that it hung by itself: %s",
  (hungInRow, excuse) => {
    const home = leftBehind(DEAD, ownIdentity(), {});
    const note = { role: "workers", by: "supervisor", at: new Date().toISOString(), silentSec: 31, process: DEAD };
    const path = join(home, "locks/watchdog.json");
    writeFileSync(path, JSON.stringify({ ...note, bootId: DEAD.bootId, monotonicMs: monotonicMs(), hungInRow }));
    expect(readExcuses(home, REST_MS)(DEAD)).toBe(excuse);
  },
);

test("without a record of the pool before, nothing says how it died", () => {
  const home = temporaryHome();
  mkdirSync(join(home, "locks"), { recursive: true });
  expect(readExcuses(home, REST_MS)(DEAD)).toBe("unknown");
});
