/** The cost of an attempt on another machine is noted once, whatever the clock of the home does meanwhile. */
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { expect, test } from "vitest";
import { lineOnce } from "../../apps/worker-pool/src/dispatcher/line-once.ts";
import { recordUsage } from "../../apps/worker-pool/src/usage-file.ts";
import { task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const MINUTE_MS = 60_000;
const MIDNIGHT_MS = new Date(2026, 10, 22).getTime();
const candidate = {
  task: task("t-000001.0.0"),
  attempt: 1,
  company: "all" as const,
  earlier: [],
  outages: [],
  interrupted: false,
};
const accepted = {
  outcome: {
    status: "done" as const,
    retryable: false,
    resultType: "text" as const,
    result: { text: "there" },
    effects: [],
    steers: [],
    usage: { ...NO_USAGE, inputTokens: 7 },
    provider: "openai",
  },
  isBegun: true,
  tools: null,
  files: [],
};

/** @returns how often it is noted when its outcome is taken at each of these minutes after midnight. */
function timesNoted(claimedMin: number, takenMin: readonly number[]): number {
  const { home } = temporaryState();
  const at = new Date(MIDNIGHT_MS + claimedMin * MINUTE_MS).toISOString();
  let times = 0;
  for (const min of takenMin) {
    const nowMs = MIDNIGHT_MS + min * MINUTE_MS;
    const line = lineOnce(candidate, at, accepted, { usageLog: new UsageLog(home), prices: {}, nowMs });
    if (line === null) continue;
    recordUsage(home, line);
    times++;
  }
  return times;
}

test("an outcome that is taken again after a crash is charged once, also on the next day", () => {
  expect(timesNoted(1, [2, 3])).toBe(1);
  expect(timesNoted(-2, [-1, 1])).toBe(1);
});

test("a clock that is set back over midnight, and set right again, charges nothing twice", () => {
  expect(timesNoted(2, [-3, -2])).toBe(1);
  expect(timesNoted(2, [-3, 4])).toBe(1);
  expect(timesNoted(-4, [1, -2])).toBe(1);
});
