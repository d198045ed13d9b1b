/** The last words of many machines cost the disk of their home no more than those of one (docs/scale.md). */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { POOLS_PROTOCOL } from "@mimikit/protocol/pools/messages";
import type { PoolRecord } from "@mimikit/protocol/pools/pool";
import { openDisk } from "@mimikit/store/disk/disk";
import { POOLS } from "@mimikit/store/disk/state";
import { readPoolsSeen } from "@mimikit/store/views/pools-seen";
import { expect, onTestFinished, test } from "vitest";
import { Presence } from "../../apps/worker-pool/src/dispatcher/presence.ts";

const START_MS = Date.parse("2026-11-26T12:00:00.000Z");
const at = (ms: number) => new Date(START_MS + ms).toISOString();
const BEAT = { protocol: POOLS_PROTOCOL, version: "0.3.0", running: 0 };
const machine = (name: string): PoolRecord => ({ name, labels: [], slots: 2, key: "", at: at(0) });

async function start() {
  const home = mkdtempSync(join(tmpdir(), "mimikit-presence-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, POOLS));
  mkdirSync(join(home, "tmp"));
  const disk = openDisk(home, "test");
  let writes = 0;
  const fs = {
    ...disk,
    write(path: string, text: string) {
      writes++;
      return disk.write(path, text);
    },
  };
  let nowMs = 0;
  const presence = await Presence.open({ fs, nowMs: () => START_MS + nowMs, monotonicMs: () => nowMs });
  return {
    seen: () => readPoolsSeen(disk),
    presence,
    async beat(ms: number, machines: readonly PoolRecord[]) {
      nowMs = ms;
      writes = 0;
      await Promise.all(machines.map((each) => presence.note(each, BEAT)));
      return writes;
    },
  };
}

test("a hundred machines that come at once are written in two writes, and all of them are there", async () => {
  const { beat, seen } = await start();
  const machines = Array.from({ length: 100 }, (_, n) => machine(`box-${n}`));
  expect(await beat(0, machines)).toBeLessThanOrEqual(2);
  expect(Object.keys(await seen())).toHaveLength(100);
  expect(await beat(5_000, machines)).toBe(0);
  expect(await beat(10_000, machines)).toBeLessThanOrEqual(2);
  expect(new Set(Object.values(await seen()).map((each) => each.since))).toEqual(new Set([at(0)]));
});

test("a machine that comes back is told at once, with since when; one that is removed is forgotten", async () => {
  const { beat, seen, presence } = await start();
  const [one, other] = [machine("one"), machine("other")];
  await beat(0, [one, other]);
  await beat(35_000, [one]);
  expect(await seen()).toMatchObject({ one: { at: at(35_000), since: at(35_000) }, other: { at: at(0) } });
  presence.keep(new Set(["one"]));
  await beat(45_000, [one]);
  expect(Object.keys(await seen())).toEqual(["one"]);
});

test("another machine that gets the name of one that was removed begins anew", async () => {
  const { beat, seen } = await start();
  await beat(0, [machine("one")]);
  await beat(5_000, [{ ...machine("one"), at: at(4_000) }]);
  expect((await seen()).one).toMatchObject({ invitedAt: at(4_000), since: at(5_000) });
});
