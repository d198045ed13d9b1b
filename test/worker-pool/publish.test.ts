import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "@mimikit/agent/run-task";
import type { Candidate } from "@mimikit/core/dispatch";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/json";
import { NO_USAGE } from "@mimikit/protocol/usage";
import { resultPath } from "@mimikit/store/state";
import { describe, expect, test } from "vitest";
import { publish } from "../../apps/worker-pool/src/publish.ts";
import { NOON, NOON_MS, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const work = task("t-000001.0.0");
const candidate: Candidate = { task: work, attempt: 1, earlier: [], interrupted: false };
const claim = { id: work.id, attempt: 1, owner: { pid: 1, startTime: "1", bootId: "b" }, at: NOON };
const done: Outcome = {
  status: "done",
  resultType: "text",
  result: { text: "output" },
  retryable: false,
  effects: [],
  steers: [],
  usage: NO_USAGE,
  provider: "test",
};

function publishing() {
  const { home, fs } = temporaryState();
  const say = (outcome: Outcome) => publish(candidate, claim, outcome, { fs, nowMs: () => NOON_MS, retryDelaySec: 60 });
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
});
