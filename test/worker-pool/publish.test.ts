import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { resultPath } from "@mimikit/store/disk/state";
import { describe, expect, test } from "vitest";
import { publish } from "../../apps/worker-pool/src/claim/publish.ts";
import { message, NOON, NOON_MS, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const work = task("t-000001.0.0");
const candidate: Candidate = { task: work, attempt: 1, company: "all", earlier: [], outages: [], interrupted: false };
const claim = { id: work.id, attempt: 1, owner: { pid: 1, startTime: "1", bootId: "b" }, at: NOON };
const done: RunOutcome = {
  status: "done",
  resultType: "text",
  result: { text: "output" },
  retryable: false,
  effects: [],
  steers: [],
  usage: NO_USAGE,
  provider: "test",
};

const asked = turn("t-000001", { messages: [message("m-a")] });
const away: RunOutcome = {
  ...done,
  status: "failed",
  resultType: "turn",
  result: null,
  failureReason: "provider",
  error: "ECONNREFUSED",
  retryable: true,
  isOutage: true,
};
const TOLD = { id: asked.id, attempt: 1, failureReason: "provider", error: "first", at: NOON, retryAt: NOON } as const;

describe("an outage", () => {
  test("is a record of the attempt that may be retried at once, for a turn too, and no result", async () => {
    const { home, fs } = temporaryState();
    const written = await publish({ ...candidate, task: asked }, claim, away, {
      fs,
      nowMs: () => NOON_MS,
      retryDelaySec: 60,
    });
    expect(written).toMatchObject({ outage: true, failureReason: "provider", error: "ECONNREFUSED", retryAt: NOON });
    expect(existsSync(join(home, resultPath("teller", asked.id)))).toBe(false);
  });

  test("is told in the result of a turn as its first attempt found it, and not in that of work", async () => {
    const { fs } = temporaryState();
    const outages = [TOLD, { ...TOLD, attempt: 2, error: "second" }];
    const options = { fs, nowMs: () => NOON_MS, retryDelaySec: 60 };
    const reply: RunOutcome = { ...done, resultType: "turn", result: {}, effects: [{ type: "reply", text: "hi" }] };
    expect(await publish({ ...candidate, task: asked, outages }, claim, reply, options)).toMatchObject({
      outage: { since: NOON, error: "first" },
    });
    expect(await publish({ ...candidate, outages }, claim, done, options)).not.toHaveProperty("outage");
  });
});

function publishing() {
  const { home, fs } = temporaryState();
  const say = (outcome: RunOutcome) =>
    publish(candidate, claim, outcome, { fs, nowMs: () => NOON_MS, retryDelaySec: 60 });
  return { home, say, read: () => JSON.parse(readFileSync(join(home, resultPath("worker", work.id)), "utf8")) };
}

describe("what came of a run", () => {
  test("is written once: the first outcome stays", async () => {
    const { say, read } = publishing();
    expect(await say(done)).toMatchObject({ status: "done" });
    expect(await say({ ...done, result: { text: "another" } })).toBeNull();
    expect(read().result).toEqual({ text: "output" });
  });

  test.each([
    ["that is no valid result", { ...done, result: { words: "output" } }],
    ["with a usage that is none", { ...done, usage: { ...NO_USAGE, inputTokens: 1.5 } }],
    ["that is larger than anybody would read again", { ...done, result: { text: "x".repeat(RECORD_BYTES_MAX) } }],
  ])("%s ends as invalid_result, not in a loop", async (_, outcome) => {
    const { say, read } = publishing();
    expect(await say(outcome)).toMatchObject({ status: "failed", failureReason: "invalid_result" });
    expect(read()).toMatchObject({ status: "failed", failureReason: "invalid_result" });
  });

  test("of a run that was cancelled leaves nothing behind: its outcome was there before", async () => {
    const { fs, home } = temporaryState();
    const stopped: RunOutcome = {
      ...done,
      status: "failed",
      failureReason: "cancelled",
      result: null,
      retryable: true,
    };
    const options = { fs, nowMs: () => NOON_MS, retryDelaySec: 60 };
    expect(await publish(candidate, claim, stopped, options)).toBeNull();
    expect(readdirSync(join(home, "worker/running"))).toEqual([]);
    expect(readdirSync(join(home, "worker/results"))).toEqual([]);
  });
});
