/** A claim of files, where the kernel guards none. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { claimFiles } from "@mimikit/runtime/platform/claim-files";
import { expect, test } from "vitest";
import { startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

const CONTENDERS = 40;
const AT_ONCE = 5;

const LONG_AGO: Identity = { pid: 4_711, startTime: "1", bootId: "" };

/** The claims of a process that lives as long as it is in `living`. */
function processOf(pid: number, living: Set<number>) {
  return claimFiles(
    () => ({ ...LONG_AGO, pid }),
    (identity) => living.has(identity.pid),
  );
}

test(`of ${CONTENDERS} processes that claim it without a pause, and are killed with it, there are never two at once, and each comes to it`, {
  timeout: 120_000,
}, async () => {
  const locks = join(temporaryHome(), "locks");
  const winner = join(locks, "winner");
  writeFileSync(winner, "0");
  const said: string[] = [];
  let left = CONTENDERS;
  const contend = async () => {
    while (left-- > 0) {
      const contender = startProcess("contend", [locks, winner]);
      expect(await contender.ended).toBe("SIGKILL");
      said.push(contender.lines.join(" "));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, contend));
  expect(said).toEqual(Array.from({ length: CONTENDERS }, () => "begins won"));
  expect(readdirSync(locks).filter((name) => name.includes("claim")).length).toBeLessThan(10);
});

test("one that took a number which was passed meanwhile steps back", () => {
  const locks = join(temporaryHome(), "locks");
  const place = { locks, secret: "", role: "supervisor" };
  const living = new Set([1, 2]);
  writeFileSync(join(locks, "supervisor.claim-6"), JSON.stringify(LONG_AGO));
  // While the first makes sure that the owner of number 6 is dead, others take 7 and 8, and 7 is removed.
  let isFirstLook = true;
  const slow = claimFiles(
    () => ({ ...LONG_AGO, pid: 1 }),
    (identity) => {
      if (isFirstLook) {
        isFirstLook = false;
        writeFileSync(join(locks, "supervisor.claim-8"), JSON.stringify({ ...LONG_AGO, pid: 2 }));
      }
      return living.has(identity.pid);
    },
  );
  expect(slow.claim(place)).toBe(false);
  expect(readdirSync(locks).filter((name) => name.includes("claim-"))).toEqual([
    "supervisor.claim-6",
    "supervisor.claim-8",
  ]);
});

test("it is held as long as its owner lives, and an empty file that a power failure left is nobody's", () => {
  const locks = join(temporaryHome(), "locks");
  const place = { locks, secret: "", role: "supervisor" };
  const living = new Set([1, 2]);
  const [one, other] = [processOf(1, living), processOf(2, living)];
  expect(one.isClaimed(place)).toBe(false);
  expect(one.claim(place)).toBe(true);
  expect(one.claim(place)).toBe(false);
  expect(other.claim(place)).toBe(false);
  expect(other.isClaimed(place)).toBe(true);
  living.delete(1);
  expect(other.isClaimed(place)).toBe(false);
  expect(other.claim(place)).toBe(true);
  writeFileSync(join(locks, "supervisor.claim-3"), "");
  expect(one.claim(place)).toBe(true);
});
