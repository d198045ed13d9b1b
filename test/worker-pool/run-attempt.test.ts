import { createHook } from "node:async_hooks";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Provider, stopReason } from "@mimikit/agent/provider";
import { Circuits } from "@mimikit/agent/run/circuit";
import { Steering } from "@mimikit/agent/steering";
import { NO_EXTERNAL } from "@mimikit/agent/tools/external";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { byRole } from "@mimikit/protocol/base/kind";
import { NO_USAGE, type Usage, type UsageLine } from "@mimikit/protocol/base/usage";
import { Claim } from "@mimikit/protocol/records/claim";
import { Config } from "@mimikit/runtime/config/config";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, runPath, streamPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { expect, onTestFinished, test } from "vitest";
import type { Allotted } from "../../apps/worker-pool/src/claim/allot.ts";
import { OpenTasks } from "../../apps/worker-pool/src/run/open-tasks.ts";
import { OwnerRules } from "../../apps/worker-pool/src/run/owner-rules.ts";
import { type RunDeps, runAttempt } from "../../apps/worker-pool/src/run/run-attempt.ts";
import { recordUsage } from "../../apps/worker-pool/src/usage-file.ts";
import { message, NOON_MS, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const asked = turn("t-000001", { messages: [message("m-a")] });
const candidate: Allotted = { task: asked, attempt: 1, company: "all", earlier: [], outages: [], interrupted: false };

/** A pool whose settings name nobody who can answer. */
function depsWithoutModel() {
  const { home, fs } = temporaryState();
  const errors: unknown[] = [];
  const lines: UsageLine[] = [];
  const cache = new StateCache(fs, { token: "token", durable: true, isAlive: () => true, onBadArchive: () => {} });
  const deps: RunDeps = {
    home,
    workDir: home,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation: new HistoryWindow(fs, cache.archiveIndex),
    said: new HistoryIndex(home),
    rules: new OwnerRules(fs, () => undefined),
    providers: byRole(() => "model"),
    listSkills: async () => [],
    nowMs: () => NOON_MS,
    answerersOf: () => ({ providers: [], problems: ["nobody is there"] }),
    circuits: new Circuits(() => ({ first: 5_000, max: 60_000 })),
    monotonicMs: () => 0,
    prices: {},
    taskLimit: {},
    usageLog: new UsageLog(home),
    noteUsage: (line) => lines.push(line),
    onToolCall: () => {},
    sandbox: "auto",
    autonomy: "full",
    isOwnersWords: () => false,
    outside: { of: async () => NO_EXTERNAL },
    timeLimitOf: () => 600,
    improve: Config.parse({}).selfImprove,
    problemOf: async () => null,
    audit: () => {},
    onError: (error) => errors.push(error),
  };
  return { deps, errors, lines };
}

const run = (deps: RunDeps) => runAttempt(candidate, new Steering(), new AbortController().signal, deps);

test("an attempt that reached nobody leaves nothing behind", async () => {
  const { deps, errors } = depsWithoutModel();
  expect(await run(deps)).toMatchObject({ isOutage: true, error: "nobody is there" });
  expect(existsSync(join(deps.home, runPath(asked.id, 1)))).toBe(false);
  expect(existsSync(join(deps.home, streamPath(asked.id)))).toBe(false);
  expect(errors).toEqual([]);
});

test("an outage stays an outage where the disk does not let go of what it left", async () => {
  const { deps, errors } = depsWithoutModel();
  mkdirSync(join(deps.home, streamPath(asked.id)));
  expect(await run(deps)).toMatchObject({ isOutage: true, effects: [] });
  expect(errors).not.toEqual([]);
});

test("a run that is over keeps no timer for its limit", async () => {
  const LIMIT_SEC = 4_711;
  const timers = new Set<number>();
  const hook = createHook({
    init(id, type, _, resource: { _idleTimeout?: number }) {
      if (type === "Timeout" && resource._idleTimeout === LIMIT_SEC * 1_000) timers.add(id);
    },
    destroy: (id) => timers.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  let begun = 0;
  const { deps } = depsWithoutModel();
  const answerersOf = () => {
    begun = timers.size;
    return { providers: [], problems: ["nobody is there"] };
  };
  await run({ ...deps, timeLimitOf: () => LIMIT_SEC, answerersOf });
  // An end is reported after the work that caused it.
  await setImmediate();
  expect(begun).toBe(1);
  expect(timers.size).toBe(0);
});

test("a run that takes too long is told to stop, and why", async () => {
  const { deps } = depsWith(COST, { hangs: true });
  const { failureReason } = await runAttempt(allotted, new Steering(), idle, { ...deps, timeLimitOf: () => 0.01 });
  expect(failureReason).toBe("timeout");
});

const RESERVED = { tokens: 1_000, costUsd: 0.25 };
const COST: Usage = { inputTokens: 100, cachedTokens: 0, outputTokens: 7, costUsd: 0 };
const work = task("t-000001.0.0", { triggerId: "trg-1" });
const allotted: Allotted = { ...candidate, task: work, reserved: RESERVED };

/** The deps of a run whose model has taken `usage` when it ends, or when it is stopped. */
function depsWith(usage: Usage, { hangs = false, breaksOff = false, name = "openai" } = {}) {
  const parts = depsWithoutModel();
  const provider: Provider = {
    name,
    model: "m",
    async *run(_, signal) {
      if (hangs && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      if (breaksOff) {
        yield { type: "delta", text: "It " };
        yield { type: "failed", failureReason: "provider", error: "it died", retryable: true, usage };
      } else if (hangs)
        yield { type: "failed", failureReason: stopReason(signal), error: "stopped", retryable: true, usage };
      else yield { type: "done", status: "done", resultType: "text", result: { text: "done" }, usage };
    },
  };
  const deps: RunDeps = { ...parts.deps, answerersOf: () => ({ providers: [provider], problems: [] }) };
  return { ...parts, deps };
}

const idle = new AbortController().signal;

test("a reservation is settled with what the run has cost, also where that is nothing", async () => {
  const { deps, lines } = depsWith(COST);
  await runAttempt(allotted, new Steering(), idle, { ...deps, prices: { m: { input: 10, cached: 0, output: 0 } } });
  expect(lines).toMatchObject([{ taskId: work.id, triggerId: "trg-1", inputTokens: 100, costUsd: 0.001 }]);
  expect(lines[0]).not.toHaveProperty("isEstimate");
  const free = depsWith(NO_USAGE);
  await runAttempt(allotted, new Steering(), idle, free.deps);
  expect(free.lines).toMatchObject([{ taskId: work.id, inputTokens: 0 }]);
  const { reserved: _, ...unlimited } = allotted;
  await runAttempt(unlimited, new Steering(), idle, free.deps);
  expect(free.lines).toHaveLength(1);
});

test("a run that is stopped before it has said what it took counts for what was reserved", async () => {
  const stop = new AbortController();
  const untold = depsWith(NO_USAGE, { hangs: true });
  const ended = runAttempt(allotted, new Steering(), stop.signal, untold.deps);
  stop.abort("cancelled");
  await ended;
  expect(untold.lines).toMatchObject([{ inputTokens: 1_000, outputTokens: 0, costUsd: 0.25, isEstimate: true }]);
  const told = depsWith(COST, { hangs: true });
  await runAttempt(allotted, new Steering(), AbortSignal.abort("cancelled"), told.deps);
  expect(told.lines).toMatchObject([{ inputTokens: 100, outputTokens: 7 }]);
});

test("so does one that broke off after somebody had answered, unless it is free whatever it says", async () => {
  const lineOf = async (usage: Usage, name: string) => {
    const { deps, lines } = depsWith(usage, { breaksOff: true, name });
    await runAttempt(allotted, new Steering(), idle, deps);
    return lines;
  };
  expect(await lineOf(NO_USAGE, "codex")).toMatchObject([{ inputTokens: 1_000, isEstimate: true }]);
  expect(await lineOf(COST, "codex")).toMatchObject([{ inputTokens: 100 }]);
  // It stands in for somebody who would have cost that.
  expect(await lineOf(NO_USAGE, "offline")).toMatchObject([{ inputTokens: 0 }]);
  const stopped = depsWith(NO_USAGE, { hangs: true, name: "offline" });
  await runAttempt(allotted, new Steering(), AbortSignal.abort("cancelled"), stopped.deps);
  expect(stopped.lines).toMatchObject([{ inputTokens: 0 }]);
});

test("a further attempt of a task whose budget is used up asks nobody, and is final", async () => {
  const { deps, lines } = depsWith(COST);
  const { home, fs, cache } = deps;
  const at = new Date(NOON_MS).toISOString();
  const owner = { pid: 1, startTime: "1", bootId: "b" };
  await createRecord(fs, Claim, claimPath("worker", work.id, 1), { id: work.id, attempt: 1, owner, at });
  recordUsage(home, { at, taskId: work.id, attempt: 1, role: "worker", provider: "openai", ...COST });
  await cache.refresh(NOON_MS);
  const second = { ...allotted, attempt: 2 };
  const taskLimit = { tokens: 107 };
  expect(await runAttempt(second, new Steering(), idle, { ...deps, taskLimit })).toMatchObject({
    status: "failed",
    failureReason: "budget",
    error: "its budget is used up: it has taken 107 of 107 tokens",
    retryable: false,
  });
  expect(lines).toEqual([]);
  const roomy = { ...deps, taskLimit: { tokens: 108 } };
  expect(await runAttempt(second, new Steering(), idle, roomy)).toMatchObject({ status: "done" });
});

test("an attempt on another machine is held to what its home says that the task has taken before", async () => {
  const { deps } = depsWith(COST);
  const away = { ...deps, taskLimit: { tokens: 107 }, isOfPool: true };
  const run = (tokens: number) =>
    runAttempt(allotted, new Steering(), idle, { ...away, spentBefore: { tokens, costUsd: 0 } });
  expect(await run(107)).toMatchObject({ status: "failed", failureReason: "budget", retryable: false });
  expect(await run(0)).toMatchObject({ status: "done" });
});
