import type { AuditLine } from "@mimikit/protocol/records/audit";
import { lacksInodes } from "@mimikit/runtime/home/room";
import { expect, test } from "vitest";
import { Mishaps } from "../../../apps/http-gateway/src/state/mishaps.ts";
import { NOON } from "../../core/facts.ts";

const line = (n: number): AuditLine => ({
  timestamp: NOON,
  seq: n,
  event: "quarantined",
  actor: "supervisor",
  detail: { path: `inbox/${n}.json`, reason: "no text in UTF-8", aside: `quarantine/${n}-inbox-${n}.json` },
  previousHash: "",
});

test("the newest files that are still in quarantine are named, each with its reason", () => {
  const mishaps = new Mishaps();
  for (let n = 1; n <= 300; n++) mishaps.note(line(n));
  const there = [7, 298, 299].map((n) => `quarantine/${n}-inbox-${n}.json`);
  expect(mishaps.quarantined(there, 3)).toEqual([
    "inbox/299.json was moved to quarantine/299-inbox-299.json: no text in UTF-8",
    "inbox/298.json was moved to quarantine/298-inbox-298.json: no text in UTF-8",
  ]);
  expect(mishaps.quarantined(there, 1)).toHaveLength(1);
});

test("a disk without free inodes is named, and one that counts none is not", () => {
  expect(lacksInodes({ files: 65_536, ffree: 0 })).toBe(true);
  expect(lacksInodes({ files: 65_536, ffree: 1_000 })).toBe(false);
  expect(lacksInodes({ files: 0, ffree: 0 })).toBe(false);
});
