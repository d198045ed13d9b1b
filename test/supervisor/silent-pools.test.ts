/** The silence of machines, as the supervisor counts it: by the last word that the dispatcher noted of each (docs/pools.md). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { openDisk } from "@mimikit/store/disk/disk";
import { POOLS, POOLS_SEEN_PATH } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { SilentPools } from "../../apps/supervisor/src/observe/silent-pools.ts";

const ASK_MS = 3_600_000;

function start() {
  const home = mkdtempSync(join(tmpdir(), "mimikit-silent-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, POOLS));
  let nowMs = 0;
  const silent = new SilentPools({ fs: openDisk(home, "test"), monotonicMs: () => nowMs, askMs: () => ASK_MS });
  return {
    hear: (at: string) =>
      writeFileSync(
        join(home, POOLS_SEEN_PATH),
        JSON.stringify({ box: { invitedAt: at, at, version: "0.3.0", running: 0 } }),
      ),
    damage: () => writeFileSync(join(home, POOLS_SEEN_PATH), '{"box":'),
    async at(ms: number, ...tasks: readonly [id: string, attempt: number][]) {
      nowMs = ms;
      const away = tasks.map(([id, attempt]): [string, AttemptFacts] => [
        id,
        { role: "worker", attempt, ownerAlive: true, pool: "box" },
      ]);
      return [...(await silent.of(new Map(away)))];
    },
  };
}

test("silence begins with the attempt, and ends with each new word of its machine", async () => {
  const pools = start();
  pools.hear("2020-01-01T00:00:00.000Z");
  expect(await pools.at(0, ["a", 1])).toEqual([]);
  expect(await pools.at(ASK_MS - 1, ["a", 1])).toEqual([]);
  expect(await pools.at(ASK_MS + 10_000, ["a", 1], ["b", 1])).toEqual(["a"]);
  pools.hear("2020-01-01T00:00:10.000Z");
  expect(await pools.at(ASK_MS + 20_000, ["a", 1], ["b", 1])).toEqual([]);
  expect(await pools.at(2 * ASK_MS + 20_000, ["a", 1], ["b", 1])).toEqual(["a", "b"]);
});

test("a damaged view is taken for silence, and for nothing worse", async () => {
  const pools = start();
  pools.damage();
  expect(await pools.at(0, ["a", 1])).toEqual([]);
  expect(await pools.at(ASK_MS, ["a", 1])).toEqual(["a"]);
});

test("a machine that was never heard of is silent, too, and each attempt has an hour of its own", async () => {
  const pools = start();
  expect(await pools.at(0, ["a", 1])).toEqual([]);
  expect(await pools.at(ASK_MS, ["a", 1])).toEqual(["a"]);
  expect(await pools.at(ASK_MS + 10_000, ["a", 2])).toEqual([]);
});
