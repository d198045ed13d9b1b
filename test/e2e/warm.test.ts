/** The memory of the three real processes before they get work, and how much memory hundreds of turns cost. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/schema";
import { prepareHome } from "@mimikit/runtime/home/home";
import { v8Flags } from "@mimikit/runtime/process/v8-flags";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import { expect, onTestFinished, test } from "vitest";
import { fewOrAll } from "../support/few-or-all.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

/** Turns after which all that is loaded once is loaded, and turns that come after them. */
const TURNS_FIRST = fewOrAll(100, 250);
const TURNS_THEN = fewOrAll(200, 500);
const TURNS_AT_ONCE = 50;
/**
 * Megabytes that a role has in memory after all of them, at most, and that it takes more than after the first ones: garbage, most of it.
 * Five hundred further turns take the supervisor some 5 MB.
 */
const RSS_MB_MAX = { supervisor: 130, workers: 150, gateway: 140 };
const GROWTH_MB_MAX = fewOrAll(30, 40);
/** Milliseconds, on a machine that does something else, too. */
const PATIENCE_MS = 240_000;

test("a process that starts reads what was said and what is remembered before anybody searches it", async () => {
  const mimikit = await Instance.start({
    prepare: async (home) => {
      prepareHome(home);
      writeFileSync(join(home, "memory", "2026-01-28-deploy.md"), "The release window is at nine.");
      const at = "2026-01-28T09:00:00.000Z";
      const messages = [{ id: "m-1", role: "user" as const, text: "when is the release window?", at }];
      await appendHistory(home, "2026-01", [{ turn: 1, messages }]);
    },
  });
  onTestFinished(() => mimikit.dispose());
  const said = (line: RegExp) => mimikit.until(String(line), () => (line.test(mimikit.output) ? true : undefined));
  await said(/"the history is in memory".*"messages":1\b/);
  await said(/"memory is indexed".*"files":/);
  expect(await mimikit.tasks()).toEqual([]);
});

test(
  "hundreds of turns leave each role within its bound, and the last of them take little",
  async () => {
    const mimikit = await Instance.start({ nodeFlags: v8Flags(Config.parse({})).split(" ") });
    onTestFinished(() => mimikit.dispose());
    await takeTurns(mimikit, TURNS_FIRST);
    const before = ROLE_NAMES.map((role) => rssMbOf(mimikit.pidOf(role)));
    await takeTurns(mimikit, TURNS_THEN);
    for (const [nth, role] of ROLE_NAMES.entries()) {
      const rssMb = rssMbOf(mimikit.pidOf(role));
      expect(rssMb, `megabytes of ${role}`).toBeLessThanOrEqual(RSS_MB_MAX[role]);
      expect(rssMb - (before[nth] ?? 0), `growth of ${role}`).toBeLessThanOrEqual(GROWTH_MB_MAX);
    }
  },
  PATIENCE_MS,
);

/** Each message has a turn of its own. */
async function takeTurns(mimikit: Instance, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += TURNS_AT_ONCE) {
    const some = Array.from({ length: TURNS_AT_ONCE }, (_, nth) => ({ text: `hello ${taken + nth}`, mode: "next" }));
    await Promise.all(some.map((body) => mimikit.api("/api/input", { method: "POST", body })));
    await mimikit.drained();
  }
}

function rssMbOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}
