import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderEvent, Run } from "@mimikit/agent/provider";
import { chooseProvider } from "@mimikit/agent/providers/index";
import { UnusableProvider } from "@mimikit/agent/providers/names";
import { ROLE_DEFINITIONS } from "@mimikit/agent/roles/index";
import { RESULT_JSON_CHARS_MAX, STOP_MS_MAX, TEXT_FILE } from "@mimikit/agent/run-task";
import { RESULT_TEXT_CHARS_MAX } from "@mimikit/protocol/result";
import { NO_USAGE } from "@mimikit/protocol/usage";
import { Config } from "@mimikit/runtime/config";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { messageOf, replyOf, reportOf, run, taskOf, turnOf } from "./fixtures.ts";

/** A provider that says what it is told to say, after what it is told to do. */
function scripted(events: ProviderEvent[], act: (run: Run) => Promise<unknown> = async () => {}): Provider {
  return {
    name: "scripted",
    async *run(run) {
      await act(run);
      yield* events;
    },
  };
}

const done = (part: object = {}): ProviderEvent => ({ type: "done", status: "done", usage: NO_USAGE, ...part });
const failed = (part: object = {}): ProviderEvent => ({
  type: "failed",
  failureReason: "provider",
  error: "the endpoint is down",
  retryable: true,
  usage: NO_USAGE,
  ...part,
});
const question = turnOf({ messages: [messageOf("hello")] });
const plan = taskOf({ id: "t-000007.0", role: "planner", prompt: "x" });
const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "x" });
const usage = { inputTokens: 3, cachedTokens: 1, outputTokens: 2, costUsd: 0.1 };

describe("a turn always has one reply", () => {
  test("the last text, when no reply was staged", async () => {
    const turn = await run(question, {
      provider: scripted([{ type: "delta", text: "hi" }, done({ text: " hi \n", usage })]),
    });
    expect(turn).toMatchObject({ status: "done", resultType: "turn", result: {}, usage, retryable: false });
    expect(replyOf(turn)).toBe("hi");
    expect(turn.lines).toEqual([{ type: "delta", text: "hi" }]);
  });

  test("the staged one, when there is one, and the last of several", async () => {
    const provider = scripted([done({ text: "never said" })], async ({ bus }) => {
      await bus.call("reply", { text: "one" });
      await bus.call("remember", { content: "x" });
      await bus.call("reply", { text: "two" });
    });
    const turn = await run(question, { provider });
    expect(turn.effects.map((effect) => effect.type)).toEqual(["reply", "remember"]);
    expect(replyOf(turn)).toBe("two");
  });

  test.each([
    ["the provider fails", scripted([failed()]), "provider: the endpoint is down"],
    ["the provider says nothing", scripted([done({ text: "  " })]), "scripted said nothing"],
    [
      "the provider ends without a result",
      scripted([{ type: "delta", text: "hal" }]),
      "scripted ended without a result",
    ],
    ["the provider throws", scripted([], () => Promise.reject(new Error("boom"))), "scripted: boom"],
    [
      "the provider asks as only a Planner may",
      scripted([done({ status: "needs_input", question: "which?" })]),
      "no valid result",
    ],
    [
      "the provider hands in a wrong type",
      scripted([done({ resultType: "text", result: { text: "x" } })]),
      'a teller cannot hand in "text"',
    ],
  ])("an honest one, when %s", async (_, provider, error) => {
    const turn = await run(question, { provider });
    expect(replyOf(turn)).toContain("I could not finish this reply");
    expect(replyOf(turn)).toContain(error);
    expect(turn.retryable).toBe(false);
  });

  test("in the user's language, naming the results that were to be reported", async () => {
    const turn = turnOf({ messages: [messageOf("你好")], results: [reportOf({})] });
    const reply = replyOf(await run(turn, { provider: scripted([failed()]) }));
    expect(reply).toContain("抱歉");
    expect(reply).toContain("t-000001.0.0");
  });

  test("a turn that failed changes nothing: what it had staged is dropped", async () => {
    const provider = scripted([failed()], ({ bus }) => bus.call("delegate", { prompt: "half a thought" }));
    expect((await run(question, { provider })).effects.map((effect) => effect.type)).toEqual(["reply"]);
  });

  test("nobody waits for the answer to an event, so silence is allowed there", async () => {
    expect((await run(turnOf({}), { provider: scripted([done()]) })).effects).toEqual([]);
  });

  test("a reply that is too long is cut, and says so", async () => {
    const reply = replyOf(await run(question, { provider: scripted([done({ text: "x".repeat(300_000) })]) }));
    expect(reply).toHaveLength(200_000);
    expect(reply.endsWith("[truncated]")).toBe(true);
  });
});

describe("a plan", () => {
  test("is the ids of what it delegated", async () => {
    const provider = scripted([done()], async ({ bus }) => {
      await bus.call("cancel_task", { id: "t-000001.0" });
      await bus.call("delegate", { prompt: "a" });
      await bus.call("delegate", { prompt: "b" });
    });
    expect(await run(plan, { provider })).toMatchObject({
      status: "done",
      resultType: "plan",
      result: { tasks: ["t-000007.0.0", "t-000007.0.1"] },
    });
  });

  test("of nothing is no valid result", async () => {
    expect(await run(plan, { provider: scripted([done()]) })).toMatchObject({
      status: "failed",
      failureReason: "invalid_result",
      retryable: false,
    });
  });

  test("that needs to know more starts nothing", async () => {
    const provider = scripted([done({ status: "needs_input", question: "which repo?" })], ({ bus }) =>
      bus.call("delegate", { prompt: "a" }),
    );
    expect(await run(plan, { provider })).toMatchObject({
      status: "needs_input",
      question: "which repo?",
      effects: [],
    });
  });

  test("that fails starts nothing, and may be tried again where the provider says so", async () => {
    const provider = scripted([failed()], ({ bus }) => bus.call("delegate", { prompt: "a" }));
    expect(await run(plan, { provider })).toMatchObject({
      status: "failed",
      failureReason: "provider",
      retryable: true,
      effects: [],
      result: null,
    });
  });
});

describe("a piece of work", () => {
  test.each([
    ["text", { text: "x" }],
    ["code_change", { files: [{ path: "a", action: "created", summary: "b" }], commitMessage: "c" }],
    ["analysis", { findings: ["a"], references: [] }],
    ["summary", { summary: "a", keyPoints: [] }],
  ])("may be of type %s", async (resultType, result) => {
    expect(await run(piece, { provider: scripted([done({ resultType, result })]) })).toMatchObject({
      status: "done",
      resultType,
      result,
    });
  });

  test.each([
    ["nothing", {}],
    ["the wrong shape", { resultType: "analysis", result: { findings: "one" } }],
    ["a plan", { resultType: "plan", result: { tasks: [] } }],
    ["too much", { resultType: "analysis", result: { findings: ["x".repeat(RESULT_JSON_CHARS_MAX)] } }],
    ["a question without words", { status: "needs_input", question: " " }],
  ])("that hands in %s has failed for good", async (_, part) => {
    const ran = await run(piece, { provider: scripted([done(part)]) });
    expect(ran).toMatchObject({ status: "failed", failureReason: "invalid_result", retryable: false, result: null });
  });

  test("with a long text keeps its end, and all of it in a file", async () => {
    const text = `BEGIN${"x".repeat(RESULT_TEXT_CHARS_MAX)}END`;
    const ran = await run(piece, { provider: scripted([done({ result: { text } })]) });
    const path = join(ran.runDir, TEXT_FILE);
    expect(ran.result).toEqual({ text: text.slice(-RESULT_TEXT_CHARS_MAX), artifact: path });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("that failed keeps what it got so far", async () => {
    const ran = await run(piece, { provider: scripted([failed({ resultType: "text", result: { text: "half" } })]) });
    expect(ran).toMatchObject({ status: "failed", result: { text: "half" } });
  });

  test("has no tools", async () => {
    let answer: unknown;
    const provider = scripted([done({ result: { text: "" } })], async ({ bus }) => {
      answer = await bus.call("delegate", { prompt: "more" });
    });
    expect((await run(piece, { provider })).effects).toEqual([]);
    expect(answer).toMatchObject({ ok: false, code: "not_allowed" });
  });

  test("whose provider throws because it was stopped says why it was stopped", async () => {
    const controller = new AbortController();
    const provider = scripted([], async () => {
      controller.abort("cancelled");
      throw new Error("aborted");
    });
    expect(await run(piece, { provider, signal: controller.signal })).toMatchObject({ failureReason: "cancelled" });
  });

  test("what is said after the last event counts no more, and the provider may clean up", async () => {
    let cleaned = false;
    const provider: Provider = {
      name: "scripted",
      async *run() {
        try {
          yield done({ result: { text: "first" } });
          yield done({ result: { text: "second" } });
        } finally {
          cleaned = true;
        }
      },
    };
    expect((await run(piece, { provider })).result).toEqual({ text: "first" });
    expect(cleaned).toBe(true);
  });
});

test("a provider that does not stop is left behind, and the turn still has its reply", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const provider: Provider = {
    name: "deaf",
    async *run() {
      yield { type: "delta", text: "…" };
      await new Promise<never>(() => {});
    },
  };
  const controller = new AbortController();
  const running = run(question, { provider, signal: controller.signal, onStream: () => controller.abort("timeout") });
  await vi.advanceTimersByTimeAsync(STOP_MS_MAX);
  const turn = await running;
  expect(turn).toMatchObject({ status: "failed", failureReason: "timeout", error: "deaf did not stop when told to" });
  expect(replyOf(turn)).toContain("timeout");
});

describe("who answers", () => {
  const config = (part: object) => Config.parse(part);

  test("without a choice it is the offline engine", () => {
    expect(chooseProvider("teller", config({})).name).toBe("offline");
  });

  test("a role's own choice wins", () => {
    const mixed = config({ provider: "codex", providers: { worker: "offline" } });
    expect(chooseProvider("worker", mixed).name).toBe("offline");
    expect(() => chooseProvider("planner", mixed)).toThrow(UnusableProvider);
  });

  test("a provider that is not there is named, with those that are", () => {
    expect(() => chooseProvider("teller", config({ provider: "codex" }))).toThrow(
      'the provider "codex" for the teller is not in this version; there is: auto, offline, openai',
    );
  });
});

test("the limits of the roles come from the configuration", () => {
  const config = Config.parse({ maxConcurrency: 5 });
  const limits = Object.values(ROLE_DEFINITIONS).map((each) => [
    each.role,
    each.timeoutSec(config),
    each.concurrency(config),
  ]);
  expect(limits).toEqual([
    ["teller", 180, 1],
    ["planner", 600, 1],
    ["worker", 600, 5],
  ]);
});
