import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderEvent, Run } from "@mimikit/agent/provider";
import { DEFINITIONS } from "@mimikit/agent/roles/index";
import { Circuits } from "@mimikit/agent/run/circuit";
import { RESULT_JSON_CHARS_MAX, STOP_MS_MAX, TEXT_FILE } from "@mimikit/agent/run/run-task";
import { Role } from "@mimikit/protocol/base/role";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { RESULT_TEXT_CHARS_MAX } from "@mimikit/protocol/records/result";
import { Config } from "@mimikit/runtime/config/config";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { messageOf, replyOf, reportOf, run, taskOf, turnOf } from "../fixtures.ts";

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

  test("with what of memory it was shown; a reply that only says what went wrong was shown nothing", async () => {
    const shown = [{ source: "memory.md", text: "the boiler is called Ignatius" }];
    const look = async ({ bus }: Run) => bus.show(shown);
    expect(await run(question, { provider: scripted([done({ text: "hi" })], look) })).toMatchObject({ shown });
    for (const provider of [scripted([failed()], look), scripted([done({ text: "hi" })])])
      expect(await run(question, { provider })).not.toHaveProperty("shown");
  });

  test("what it asks the user, when it says nothing else", async () => {
    const ask = (...calls: [string, object][]) =>
      scripted([done()], async ({ bus }) => {
        for (const [name, input] of calls) await bus.call(name, input);
      });
    const questions = ask(["ask_user", { question: "Which branch?" }], ["ask_user", { question: "Now?" }]);
    expect(replyOf(await run(question, { provider: questions }))).toBe("Which branch?\n\nNow?");
    expect(replyOf(await run(question, { provider: ask(["restart_server", {}]) }))).toBe("Restart Mimikit now?");
  });

  test.each([
    ["the provider fails", scripted([failed()]), "(the endpoint is down)"],
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
  expect(replyOf(turn)).toContain("it timed out");
});

/** No connection: nothing was done, and it may be otherwise later. */
const outage = (name: string, act?: (run: Run) => Promise<unknown>): Provider => ({
  ...scripted([failed({ isOutage: true, error: `${name} cannot be reached` })], act),
  name,
});

describe("who cannot be reached", () => {
  test("lets nothing be made up: the turn has no reply, no effect and no result, and stays open", async () => {
    const ran = await run(question, { provider: outage("away") });
    expect(ran).toMatchObject({
      status: "failed",
      isOutage: true,
      retryable: true,
      error: "away cannot be reached",
      effects: [],
      result: null,
      provider: "away",
    });
  });

  test("is passed over: the next in the chain answers, says so, and is named in the result", async () => {
    const standIn = { ...scripted([done({ text: "hi" })]), name: "stand-in" };
    const ran = await run(question, { providers: [outage("away"), outage("gone"), standIn] });
    expect(replyOf(ran)).toBe("hi");
    expect(ran).toMatchObject({ status: "done", provider: "stand-in" });
    expect(ran.isOutage).toBeUndefined();
    expect(ran.lines).toContainEqual({
      type: "progress",
      step: "stand-in takes over: away cannot be reached; gone cannot be reached",
    });
  });

  test("is not asked again while its circuit is open, and then the stand-in answers at once", async () => {
    let asked = 0;
    const away = outage("away", async () => asked++);
    const standIn = { ...scripted([done({ text: "hi" })]), name: "stand-in" };
    const circuits = new Circuits(() => ({ first: 5_000, max: 60_000 }));
    for (let nth = 0; nth < 3; nth++) await run(question, { providers: [away, standIn], circuits });
    expect(asked).toBe(1);
    await run(question, { providers: [away, standIn], circuits, monotonicMs: 5_000 });
    expect(asked).toBe(2);
  });

  test("leaves the reason behind for those who are not let in", async () => {
    const circuits = new Circuits(() => ({ first: 5_000, max: 60_000 }));
    await run(question, { provider: outage("away"), circuits });
    const ran = await run(question, { provider: scripted([done({ text: "hi" })]), circuits });
    expect(ran.status).toBe("done");
    const refused = await run(question, { provider: { ...scripted([done({ text: "hi" })]), name: "away" }, circuits });
    expect(refused).toMatchObject({ isOutage: true, error: "away cannot be reached" });
  });

  test("in the middle of the work leaves it to the next attempt: nobody else goes on without knowing of it", async () => {
    const standIn = { ...scripted([done({ text: "hi" })]), name: "stand-in" };
    const spent = { ...scripted([failed({ isOutage: true, usage })]), name: "away" };
    expect(await run(question, { providers: [spent, standIn] })).toMatchObject({ isOutage: true, usage });
    const busy = outage("away", ({ bus }) => bus.call("delegate", { prompt: "half a thought" }));
    expect(await run(question, { providers: [busy, standIn] })).toMatchObject({ isOutage: true, effects: [] });
  });

  test("is back as soon as a trial is answered: a reply does not wait for the long work that tried", async () => {
    const circuits = new Circuits(() => ({ first: 5_000, max: 60_000 }));
    await run(question, { provider: outage("model"), circuits });
    let reply = "";
    const atWork: Provider = {
      name: "model",
      async *run() {
        yield { type: "delta", text: "I begin." };
        const answers = { ...scripted([done({ text: "hi" })]), name: "model" };
        reply = replyOf(await run(question, { provider: answers, circuits, monotonicMs: 5_000 }));
        yield done({ result: { text: "" } });
      },
    };
    await run(piece, { provider: atWork, circuits, monotonicMs: 5_000 });
    expect(reply).toBe("hi");
  });

  test("is also who lacks what it needs: a stand-in takes over, or the task stays open", async () => {
    const problems = ['the provider "codex" for the teller lacks the program codex'];
    const ran = await run(question, { problems, provider: scripted([done({ text: "hi" })]) });
    expect(replyOf(ran)).toBe("hi");
    expect(ran.lines).toEqual([{ type: "progress", step: `scripted takes over: ${problems[0]}` }]);
    expect(await run(question, { problems, providers: [] })).toMatchObject({
      isOutage: true,
      effects: [],
      error: problems[0],
    });
  });

  test("is told from a failure, which no stand-in hides: the user hears the truth", async () => {
    const standIn = { ...scripted([done({ text: "hi" })]), name: "stand-in" };
    const ran = await run(question, { providers: [scripted([failed()]), standIn] });
    expect(replyOf(ran)).toContain("I could not finish this reply");
    expect(ran.provider).toBe("scripted");
  });
});

describe("a model that has reached its limit", () => {
  const HOUR_MS = 3_600_000;
  const why = { cause: "limit", host: "api.test", error: "slow down" } as const;
  const limited = (part: object = { retryAfterMs: HOUR_MS }): Provider => ({
    ...scripted([failed({ waits: true, ...why, ...part })]),
    name: "vendor",
    model: "large",
  });
  const standIn = { ...scripted([done({ text: "hi" })]), name: "stand-in" };

  test("keeps the turn and the work waiting until then: nothing has failed, and nothing is replied", async () => {
    for (const task of [question, piece]) {
      const ran = await run(task, { provider: limited() });
      expect(ran).toMatchObject({ status: "failed", isOutage: true, effects: [], problem: { cause: "limit" } });
      const untilMs = Date.parse(ran.problem?.until ?? "") - Date.now();
      expect(untilMs).toBeGreaterThan(HOUR_MS - 60_000);
      expect(untilMs).toBeLessThanOrEqual(HOUR_MS);
    }
  });

  test("also in the middle of the work, whose next attempt goes on", async () => {
    const spent = { ...scripted([failed({ waits: true, ...why, retryAfterMs: HOUR_MS, usage })]), name: "vendor" };
    expect(await run(piece, { providers: [spent, standIn] })).toMatchObject({ isOutage: true, usage });
  });

  test("is stood in for at once, and is not asked again meanwhile", async () => {
    const circuits = new Circuits(() => ({ first: 5_000, max: 60_000 }));
    for (let nth = 0; nth < 2; nth++)
      expect(replyOf(await run(question, { providers: [limited(), standIn], circuits }))).toBe("hi");
    const told = await run(question, { provider: limited(), circuits, monotonicMs: 60_000 });
    expect(told).toMatchObject({ isOutage: true, problem: { cause: "limit", model: "large" } });
    expect(circuits.of("vendor").stateAt(0)).toBe("closed");
  });

  test("and does not say until when: work waits, a stand-in answers, and without one the user hears it at once", async () => {
    const part = { cause: "busy" as const };
    expect(await run(piece, { provider: limited(part) })).toMatchObject({ isOutage: true });
    expect(replyOf(await run(question, { providers: [limited(part), standIn] }))).toBe("hi");
    expect(replyOf(await run(question, { provider: limited(part) }))).toContain("I could not finish this reply");
  });
});

test.each<[string, ProviderEvent, string]>([
  ["failures before a word was said", failed(), "open"],
  ["time-outs before a word was said", failed({ failureReason: "timeout" }), "open"],
  ["refusals, which will not pass by waiting", failed({ retryable: false }), "closed"],
  ["bad output of the model", failed({ failureReason: "invalid_result", retryable: false }), "closed"],
  ["failures that came after something was done", failed({ usage }), "closed"],
  ["stops", failed({ failureReason: "cancelled" }), "closed"],
])("after three %s in a row its circuit is as it should be", async (_, event, state) => {
  const circuits = new Circuits(() => ({ first: 5_000, max: 60_000 }));
  for (let nth = 0; nth < 3; nth++) await run(question, { provider: scripted([event]), circuits });
  expect(circuits.of("scripted").stateAt(0)).toBe(state);
});

test("the limits of the roles come from the configuration", () => {
  const config = Config.parse({ maxConcurrency: 5 });
  const limits = Role.options.map((role) => [
    role,
    DEFINITIONS[role].timeoutSec(config),
    DEFINITIONS[role].concurrency(config),
  ]);
  const known = [
    ["teller", 180, 1],
    ["planner", 600, 1],
    ["worker", 600, 5],
    ["reviewer", 300, 1],
  ];
  expect(limits).toEqual(expect.arrayContaining(known));
});
