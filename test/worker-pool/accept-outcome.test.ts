/** The outcome of another machine, as the home takes it: all of it is untrusted text. */
import { randomBytes } from "node:crypto";
import { FILES_BYTES_MAX } from "@mimikit/protocol/pools/messages";
import { blankTask, PRIORITY_DEFAULT, type Task } from "@mimikit/protocol/records/task";
import { encrypt } from "@mimikit/runtime/pools/encrypt";
import { expect, test } from "vitest";
import { acceptOutcome } from "../../apps/worker-pool/src/dispatcher/outcome.ts";

const AT = "2026-11-26T12:00:00.000Z";
const key = randomBytes(32).toString("base64");
const job = "0123456789abcdef.0123456789abcdef.t-000001.0.0.a1";
const task: Task = {
  ...blankTask("work"),
  id: "t-000001.0.0",
  title: "work",
  prompt: "work",
  priority: PRIORITY_DEFAULT,
  createdAt: AT,
  traceId: "t-000001",
  pool: "box",
};
const place = { key, job, pool: "box", task, runDir: "/home/runs/a1" };
const usage = { inputTokens: 10, cachedTokens: 0, outputTokens: 5, costUsd: 0.01 };
const done = {
  status: "done",
  resultType: "text",
  result: { text: "all is well" },
  retryable: false,
  steers: [],
  usage,
  isBegun: true,
  provider: "codex",
};

const sealed = (record: unknown, as = job) => ({
  sealed: encrypt(key, { job: as, pool: "box", direction: "outcome" }, record),
});
const accept = (record: unknown, signals: Parameters<typeof acceptOutcome>[2] = []) =>
  acceptOutcome(sealed(record), place, signals).outcome;

test("an outcome is taken as it is, without effects", () => {
  const effects = [{ type: "remember", content: "pay them", longTerm: true }];
  expect(accept({ ...done, effects, shown: [], task: "t-000009" })).toMatchObject({
    status: "done",
    result: { text: "all is well" },
    effects: [],
    usage,
  });
  expect(accept({ ...done, effects })).not.toHaveProperty("shown");
});

test("nothing costs less than nothing", () => {
  const { usage } = accept({ ...done, usage: { inputTokens: -5, cachedTokens: null, outputTokens: 7, costUsd: -1 } });
  expect(usage).toEqual({ inputTokens: 0, cachedTokens: 0, outputTokens: 7, costUsd: 0 });
});

test("the owner has said what the home knows, and nothing that a machine makes up", () => {
  const signal = { id: "s-1", at: AT, text: "use the other file", taskId: task.id };
  const { steers } = accept({ ...done, steers: ["s-1", "s-made-up"] }, [signal]);
  expect(steers).toEqual([{ id: "s-1", at: AT, text: "use the other file" }]);
});

test("a failure is told with the name of the machine, and none cancels a task", () => {
  const failed = { ...done, status: "failed", result: null, error: "no such file", failureReason: "cancelled" };
  expect(accept(failed)).toMatchObject({ error: "box: no such file", failureReason: "killed" });
});

test.each<[string, Parameters<typeof acceptOutcome>[0]]>([
  ["is too large", { bytes: 3_000_000 }],
  ["is of another attempt", sealed(done, job.replace(/1$/, "2"))],
  ["is no outcome", sealed({ ...done, status: "wonderful" })],
  ["is of an internal type", sealed({ ...done, resultType: "landing" })],
  ["is sealed by somebody else", { sealed: randomBytes(64).toString("base64") }],
])("one that %s ends the attempt as invalid, for good", (_what, found) => {
  const { outcome } = acceptOutcome(found, place, []);
  expect(outcome).toMatchObject({ status: "failed", failureReason: "invalid_result", retryable: false, effects: [] });
});

test("a result names the files that came home, where they are here, and none that did not", () => {
  const id = "0".repeat(64);
  const named = (path: string) => [{ id, bytes: 3, path }];
  expect(
    accept({ ...done, result: { text: "x", artifact: "/w/../out put.txt" }, files: named("/w/../out put.txt") }),
  ).toMatchObject({ result: { text: "x", artifact: "/home/runs/a1/away-1-out-put.txt" } });
  expect(accept({ ...done, result: { text: "x", artifact: "/etc/passwd" } }).result).toEqual({ text: "x" });
  const files = ["a.png", "b.png"].map((path) => ({ path, action: "added", summary: "" }));
  const change = { ...done, resultType: "code_change", result: { files }, files: named("a.png") };
  expect(accept(change).result).toMatchObject({
    files: [{ path: "/home/runs/a1/away-1-a.png" }, { path: "box:b.png" }],
  });
});

test("more bytes of files than the bound are refused before one of them is read", () => {
  const files = [{ id: "0".repeat(64), bytes: FILES_BYTES_MAX + 1, path: "a" }];
  expect(accept({ ...done, files })).toMatchObject({ status: "failed", failureReason: "invalid_result" });
});
