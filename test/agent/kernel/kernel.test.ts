/** The tool loop with a scripted model: a Worker's day, and a Planner's. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { estimateTokens } from "@mimikit/agent/prompt/tokens";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { conclude } from "../../../packages/agent/src/conclusion/conclusion.ts";
import {
  CALLS_PER_ROUND_MAX,
  CALLS_TOTAL_MAX,
  limitsOf,
  ROUNDS_MAX,
} from "../../../packages/agent/src/kernel/limits.ts";
import { Repetition } from "../../../packages/agent/src/kernel/repetition.ts";
import { CALLS_KEPT_MAX, planRound, replayable } from "../../../packages/agent/src/kernel/round.ts";
import { TRACE_FILE } from "../../../packages/agent/src/kernel/trace.ts";
import { type ModelRequest, ModelServer, type Script, type Step } from "../../support/model-server.ts";
import {
  messageOf,
  questionOf,
  type Ran,
  replyOf,
  taskOf,
  temporaryDirectory,
  triggerSummaryOf,
  turnOf,
} from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start();
});
afterEach(() => model.close());

const runWith = (script: Script, task: Task, options?: Parameters<typeof runKernelTask>[3]) =>
  runKernelTask(model, script, task, options);

const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
const plan = taskOf({ id: "t-000007.0", role: "planner", prompt: "plan it" });
const call = (name: string, args: unknown) => ({ name, args });
const shownIn = (lines: Ran["lines"]) => lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("");
const lastOf = (role: "worker" | "planner" | "teller") => model.of(role).at(-1);
const traceOf = ({ runDir }: Ran) =>
  readFileSync(join(runDir, TRACE_FILE), "utf8")
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));

describe("a Worker", () => {
  test("writes, reads, edits and runs in the workspace, and its last text is its result", async () => {
    const steps: Step[] = [
      { calls: [call("write_text_file", { path: "src/a.txt", content: "one\ntwo\n" })] },
      { calls: [call("read_text_file", { path: "src/a.txt" })] },
      { calls: [call("edit_text_file", { path: "src/a.txt", oldText: "two", newText: "$& three" })] },
      { calls: [call("bash", { command: "cat src/a.txt; echo oops >&2; exit 3" })] },
      { say: "It is there." },
    ];
    const ran = await runWith({ worker: steps }, piece);
    expect(ran).toMatchObject({ status: "done", resultType: "text", result: { text: "It is there." }, effects: [] });
    expect(lastOf("worker")?.results).toEqual([
      "created src/a.txt (8 bytes)",
      "one\ntwo",
      "edited src/a.txt",
      "[exit code 3]\none\n$& three\noops\n",
    ]);
    expect(readFileSync(join(ran.workDir, "src/a.txt"), "utf8")).toBe("one\n$& three\n");
    const shown = ran.lines.flatMap((line) => (line.type === "progress" ? [line.step] : []));
    expect(shown[3]).toBe("bash: cat src/a.txt; echo oops >&2; exit 3");
    expect(ran.lines.some((line) => line.type === "delta")).toBe(false);
  });

  test("tells of every call once, and its trace of every answer, without what was in them", async () => {
    const steps: Step[] = [
      { calls: [call("bash", { command: "echo a-secret-word" }), call("read_text_file", { path: "gone" })] },
      { say: "Done." },
    ];
    const ran = await runWith({ worker: steps }, piece);
    expect(ran.calls).toMatchObject([
      { tool: "bash", requestId: "call_1", ok: true, artifact: join(ran.runDir, "bash-1.txt") },
      { tool: "read_text_file", requestId: "call_2", ok: false, errorCode: "failed" },
    ]);
    expect(traceOf(ran)).toMatchObject([
      { event: "answer", round: 1, calls: 2, isTruncated: false, inputTokens: 100, outputTokens: 7 },
      { event: "answer", round: 2, calls: 0 },
    ]);
    expect(JSON.stringify([ran.calls, traceOf(ran)])).not.toContain("a-secret-word");
  });

  test("gets further than a Teller, and is asked for its result at the end", async () => {
    const script = ({ nth, tools }: ModelRequest): Step =>
      tools.length === 0
        ? { say: "So far." }
        : { calls: Array.from({ length: 10 }, (_, i) => call("read_text_file", { path: `${nth}-${i}` })) };
    const { callsPerRound, callsTotal } = limitsOf("worker");
    // Every file is missing under another name, so no error comes three times.
    const ran = await runWith({ worker: script }, piece);
    expect(ran).toMatchObject({ status: "done", result: { text: "So far." } });
    expect(ran.calls).toHaveLength(callsTotal);
    expect(model.of("worker")).toHaveLength(callsTotal / callsPerRound + 1);
  });

  test("whose command is running is stopped with it", async () => {
    const workDir = temporaryDirectory();
    const controller = new AbortController();
    const command = "sleep 60 & setsid sleep 60 & touch started; wait";
    const running = runWith({ worker: [{ calls: [call("bash", { command })] }] }, piece, {
      workDir,
      signal: controller.signal,
    });
    await expect.poll(() => existsSync(join(workDir, "started")), { timeout: 20_000 }).toBe(true);
    controller.abort("cancelled");
    const ran = await running;
    expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled", retryable: true });
    expect(await findMarked(ran.mark)).toEqual([]);
  });

  test("may hand in a result with a shape, in a fence or bare", async () => {
    const findings = { resultType: "analysis", result: { findings: ["slow"] } };
    const fenced = `Here it is.\n\`\`\`json\n${JSON.stringify(findings, null, 2)}\n\`\`\``;
    for (const say of [JSON.stringify(findings), fenced])
      expect(await runWith({ worker: [{ say }] }, piece)).toMatchObject({ status: "done", ...findings });
  });

  test("is told once what is wrong with its result, and has failed when it is wrong again", async () => {
    const bad = '{"resultType": "analysis", "result": {"findings": "slow"}}';
    const good = '{"resultType": "analysis", "result": {"findings": ["slow"]}}';
    const mended = await runWith({ worker: [{ say: bad }, { say: good }] }, piece);
    expect(mended).toMatchObject({ status: "done", resultType: "analysis" });
    expect(lastOf("worker")?.messages.at(-1)?.content).toContain("no analysis: findings:");
    const { length } = model.requests;
    expect(await runWith({ worker: () => ({ say: bad }) }, piece)).toMatchObject({
      status: "failed",
      failureReason: "invalid_result",
      retryable: false,
    });
    expect(model.requests).toHaveLength(length + 2);
  });

  test("may ask, and may say that it has failed", async () => {
    const ask = '{"status": "needs_input", "question": "Which one?"}';
    expect(await runWith({ worker: [{ say: ask }] }, piece)).toMatchObject({
      status: "needs_input",
      question: "Which one?",
    });
    const failed = '{"status": "failed", "error": "no such branch"}';
    expect(await runWith({ worker: [{ say: failed }] }, piece)).toMatchObject({
      status: "failed",
      failureReason: "error",
      error: "no such branch",
      retryable: false,
    });
  });

  test("that loses its endpoint may be tried again; one that is refused may not", async () => {
    expect(await runWith({ worker: [{ status: 500 }] }, piece)).toMatchObject({
      failureReason: "provider",
      retryable: true,
    });
    expect(await runWith({ worker: [{ status: 401 }] }, piece)).toMatchObject({
      failureReason: "provider",
      retryable: false,
    });
  });
});

describe("a Planner", () => {
  test("chains tasks by the ids that its calls answered with", async () => {
    const ran = await runWith(
      {
        planner: ({ results }) => {
          if (results.length === 0) return { calls: [call("delegate", { prompt: "first" })] };
          if (results.length > 1) return { say: "" };
          const { id: taskId } = JSON.parse(results[0] ?? "") as { id: string };
          return {
            calls: [call("delegate", { prompt: "second", condition: { type: "task_done", params: { taskId } } })],
          };
        },
      },
      plan,
    );
    expect(ran).toMatchObject({ status: "done", result: { tasks: ["t-000007.0.0", "t-000007.0.1"] } });
    expect(ran.effects[1]).toMatchObject({ condition: { params: { taskId: "t-000007.0.0" } } });
  });

  const delegate = (prompt: string) => call("delegate", { prompt });
  const noteOf = ({ result }: Ran) => RESULT_SCHEMAS.plan.parse(result).note;

  test("that speaks beside its tasks has all of it in the note, and none of what it said while it looked around", async () => {
    const steps: Step[] = [
      { say: "Let me see.", calls: [call("query_history", { query: "printer" })] },
      { say: "No key for the printer.", calls: [delegate("a")] },
      { calls: [delegate("b")] },
      { say: "No paper either.", calls: [delegate("c")] },
      { say: "" },
    ];
    const ran = await runWith({ planner: steps }, plan);
    expect(noteOf(ran)).toBe("No key for the printer.\n\nNo paper either.");
  });

  test("that asks beside its tasks has them done, and its question in the note", async () => {
    const asked = '{"status": "needs_input", "question": "Which printer?", "findings": ["two"]}';
    const ran = await runWith({ planner: [{ calls: [delegate("a")] }, { say: asked }] }, plan);
    expect(ran).toMatchObject({ status: "done", result: { tasks: ["t-000007.0.0"], note: "Which printer?" } });
  });

  test("whose note is too long has its beginning, and what it reached first of all", async () => {
    const chinese = { ...plan, prompt: "打印一封信" };
    const script = ({ tools, turn }: ModelRequest): Step =>
      tools.length === 0
        ? { say: "长".repeat(5_000) }
        : { calls: [turn === 0 ? delegate("a") : call("query_history", { query: `q${turn}` })] };
    const note = noteOf(await runWith({ planner: script }, chinese)) ?? "";
    expect(note).toMatch(/^规划达到 30 步的上限后停止，你的要求里可能还有一部分没有安排。\n\n长+…$/);
    expect(note).toHaveLength(4_000);
  });

  test("that hands in JSON which is no question is told so, and its JSON is no question", async () => {
    for (const say of ['{"status": "needs_input"}', '{"resultType": "analysis", "result": {"findings": []}}']) {
      const script = ({ turn }: ModelRequest): Step => ({ say: turn === 0 ? say : "Which printer?" });
      const mended = await runWith({ planner: script }, plan);
      expect(mended).toMatchObject({ status: "needs_input", question: "Which printer?" });
      expect(lastOf("planner")?.messages.at(-1)?.content).toContain("You have planned nothing.");
    }
  });

  test("may make forty tasks in one answer: those that are too many for one are made in the next", async () => {
    const all = Array.from({ length: 40 }, (_, i) => `task ${i}`);
    let made = 0;
    const script = (): Step => {
      const calls = all.slice(made).map(delegate);
      made += limitsOf("planner").callsPerRound;
      return { calls };
    };
    const ran = await runWith({ planner: script }, plan);
    expect(ran.effects.map((effect) => effect.type === "delegate" && effect.prompt)).toEqual(all);
    expect(noteOf(ran)).toBeUndefined();
  });

  test("that plans nothing asks what it says", async () => {
    expect(await runWith({ planner: [{ say: "Which repository?" }] }, plan)).toMatchObject({
      status: "needs_input",
      question: "Which repository?",
    });
  });

  test("that says nothing at all is told so, and may still plan", async () => {
    const steps: Step[] = [{ say: "" }, { calls: [call("delegate", { prompt: "x" })] }, { say: "" }];
    expect(await runWith({ planner: steps }, plan)).toMatchObject({
      status: "done",
      result: { tasks: ["t-000007.0.0"] },
    });
  });
});

describe("a Teller", () => {
  test("that ends as if all calls of an answer had been made is told that some were left out, and makes them", async () => {
    const orders = ["a", "b", "c", "d"];
    const delegate = (prompt: string) => call("delegate", { prompt });
    const script: Step[] = [
      { calls: orders.map(delegate) },
      { say: "I am on it." },
      { calls: [delegate("d")] },
      { say: "I am on all four." },
    ];
    const messages = orders.map((text, i) => messageOf(text, { id: `m-${i}` }));
    const ran = await runWith({ teller: script }, turnOf({ messages }));
    expect(ran.effects).toMatchObject([...orders.map((prompt) => ({ type: "delegate", prompt })), { type: "reply" }]);
    expect(replyOf(ran)).toBe("I am on all four.");
    expect(model.of("teller").at(2)?.messages.at(-1)?.content).toContain("Not all calls");
  });

  const question = turnOf({ messages: [messageOf("hello")] });

  test("that says something and then nothing has said something", async () => {
    const steps: Step[] = [{ say: "I am on it.", calls: [call("delegate", { prompt: "x" })] }, { say: "" }];
    const ran = await runWith({ teller: steps }, question);
    expect(replyOf(ran)).toBe("I am on it.");
    expect(ran.effects.map((effect) => effect.type)).toEqual(["delegate", "reply"]);
  });

  test("that says nothing is asked once more, and shown no message of its own that says nothing", async () => {
    const ran = await runWith({ teller: [{ say: "" }, { say: "Hi." }] }, question);
    expect(replyOf(ran)).toBe("Hi.");
    expect(lastOf("teller")?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(lastOf("teller")?.messages[1]?.content).toContain("You have said nothing.");
  });

  test("shows the texts of several answers apart", async () => {
    const steps: Step[] = [{ say: "One moment.", calls: [call("list_tasks", {})] }, { say: "Nothing runs." }];
    const ran = await runWith({ teller: steps }, question);
    expect(shownIn(ran.lines)).toBe("One moment.\n\nNothing runs.");
    expect(replyOf(ran)).toBe("Nothing runs.");
  });

  test("that breaks off and is asked again takes back what was shown of it", async () => {
    const ran = await runWith({ teller: [{ cut: "Noth" }, { say: "Nothing runs." }] }, question);
    expect(replyOf(ran)).toBe("Nothing runs.");
    const begin = ran.lines.findIndex(({ type }) => type === "begin");
    expect(shownIn(ran.lines.slice(0, begin))).toBe("Noth");
    expect(shownIn(ran.lines.slice(begin))).toBe("Nothing runs.");
  });

  test("that is asked again before it has said anything takes nothing back", async () => {
    const ran = await runWith({ teller: [{ status: 503 }, { say: "Nothing runs." }] }, question);
    expect(ran.lines.map(({ type }) => type)).not.toContain("begin");
  });

  test("is offered the tools of its role, each with a schema", async () => {
    await runWith({ teller: [{ say: "Hi." }] }, question);
    expect(lastOf("teller")?.tools).toEqual(
      expect.arrayContaining(["reply", "delegate", "remember", "cancel_task", "list_tasks", "query_history"]),
    );
    expect(lastOf("teller")?.tools).not.toContain("bash");
  });

  const context = {
    history: [{ id: "m-0", role: "user" as const, text: "an old story", at: "2026-11-21T00:00:00.000Z" }],
    triggers: [triggerSummaryOf({ id: "trg-1", title: "an old alarm" })],
    questions: [questionOf({ id: "t-000001.0", question: "An old question?" })],
  };

  test("whose endpoint does not find the whole conversation is asked the question alone", async () => {
    const ran = await runWith({ teller: [{ status: 404 }, { say: "Hi." }] }, question, { context });
    const [first, second] = model.requests;
    for (const around of ["an old story", "an old alarm", "An old question?"]) {
      expect(first?.prompt).toContain(around);
      expect(second?.prompt).not.toContain(around);
    }
    expect(second?.prompt).toContain("hello");
    expect(second?.system).toBe(first?.system);
    expect(traceOf(ran)[0]).toMatchObject({ event: "retry", reason: "404_fallback", retry: 1 });
  });

  test("whose conversation is too long is asked with less, and keeps what it has staged", async () => {
    const steps: Step[] = [
      { calls: [call("remember", { content: "x" })] },
      { status: 400, body: { error: { message: "prompt is too long" } } },
      { say: "Noted." },
    ];
    const ran = await runWith({ teller: steps }, question, { context });
    expect(ran.effects.map((effect) => effect.type)).toEqual(["remember", "reply"]);
    expect(model.requests[2]?.bytes).toBeLessThan(model.requests[1]?.bytes ?? 0);
  });

  test("never has more in its window than fits", async () => {
    const long = "word ".repeat(20_000);
    const steps: Step[] = [{ calls: [call("query_history", { query: "word" })] }, { say: "Hi." }];
    const history = Array.from({ length: 30 }, (_, i) => ({
      ...context.history[0],
      id: `m-${i}`,
      text: `${i} ${long}`,
    }));
    await runWith({ teller: steps }, turnOf({ messages: [messageOf(long)] }), {
      context: { history: history as typeof context.history },
      endpoint: { tokensMax: 6_000 },
    });
    expect(model.requests).toHaveLength(2);
    for (const { messages } of model.requests) {
      const tokens = messages.map((message) => estimateTokens(message.content)).reduce((sum, each) => sum + each, 0);
      expect(tokens).toBeLessThan(6_000);
    }
  });
});

describe("the key", () => {
  const endpoint = { apiKey: "sk-a-very-secret-key" };

  test("goes to the endpoint and nowhere else, even when the endpoint repeats it", async () => {
    const body = { error: { message: `Incorrect API key provided: ${endpoint.apiKey}` } };
    const ran = await runWith({ worker: [{ status: 401, body }] }, piece, { endpoint });
    expect(lastOf("worker")?.headers.authorization).toBe(`Bearer ${endpoint.apiKey}`);
    expect(JSON.stringify(ran)).not.toContain(endpoint.apiKey);
    expect(ran.error).toContain("[key]");
  });

  test("does not follow the endpoint to another address", async () => {
    const step = { status: 307, headers: { location: `${model.baseUrl}/elsewhere` } };
    const ran = await runWith({ worker: [step] }, piece, { endpoint });
    expect(ran).toMatchObject({ failureReason: "provider" });
    expect(model.requests.length).toBe(2);
  });
});

describe("the calls of one answer", () => {
  const limits = limitsOf("teller");
  const torn = { id: "1", name: "reply", arguments: '{"text": "to' };
  const good = { id: "2", name: "reply", arguments: '{"text":"x"}' };

  test("are limited for a round and for a run", () => {
    expect(limits).toEqual({ rounds: ROUNDS_MAX, callsPerRound: CALLS_PER_ROUND_MAX, callsTotal: CALLS_TOTAL_MAX });
    const refusedAt = (made: number) =>
      planRound({ calls: Array(5).fill(good), isTruncated: false }, made, limits).map((each) => "refused" in each);
    expect(refusedAt(0)).toEqual([false, false, false, true, true]);
    expect(refusedAt(14)).toEqual([false, true, true, true, true]);
  });

  test("are answered all, but nobody answers a thousand", () => {
    expect(planRound({ calls: Array(1_000).fill(good), isTruncated: false }, 0, limits)).toHaveLength(CALLS_KEPT_MAX);
  });

  test("without arguments have none, and torn ones are not shown to the endpoint again", () => {
    const [bare] = planRound({ calls: [{ ...good, arguments: " " }], isTruncated: false }, 0, limits);
    expect(bare).toMatchObject({ input: {} });
    expect(replayable(torn).arguments).toBe("{}");
    expect(replayable(good)).toBe(good);
  });
});

describe("going in circles", () => {
  test("is the same call three times in a row, whatever the order of its arguments", () => {
    const repetition = new Repetition();
    expect(repetition.noteCall("bash", { a: 1, b: { c: 1, d: 2 } })).toBeNull();
    expect(repetition.noteCall("bash", { b: { d: 2, c: 1 }, a: 1 })).toBeNull();
    expect(repetition.noteCall("bash", { a: 1, b: { c: 1, d: 2 } })).toContain("bash 3 times in a row");
  });

  test("is not running the tests again after each edit, nor meeting an error again after a success", () => {
    const repetition = new Repetition();
    for (let i = 0; i < 5; i++) {
      expect(repetition.noteCall("bash", { command: "npm test" })).toBeNull();
      expect(repetition.noteEnd("bash", "failed")).toBeNull();
      expect(repetition.noteCall("edit_text_file", { path: "a" })).toBeNull();
      expect(repetition.noteEnd(null, "ok")).toBeNull();
    }
  });
});

describe("a Worker's last text", () => {
  const conclusionOf = (text: string) => conclude(piece, text, []);

  test.each([
    "All is well.",
    '{"name": "mimikit", "version": 1}',
    '{"status": "ok"}',
    'See:\n```json\n{"a": 1}\n```',
    '{"status": "needs_input", "question": "torn',
    "```\n{}\n```\nand more",
  ])("%j is text", (text) => {
    expect(conclusionOf(text)).toEqual({
      event: { type: "done", status: "done", resultType: "text", result: { text } },
    });
  });

  test.each(["", '{"resultType": "analysis", "result": {"find', '{"resultType": "plan", "result": {"tasks": []}}'])(
    "%j is nothing that can be handed in",
    (text) => {
      expect(conclusionOf(text)).toEqual({ problem: expect.any(String) });
    },
  );

  test("that is a shaped result has the shape of its type", () => {
    const conclusion = conclusionOf(
      '```json\n{"resultType":"summary","result":{"summary":"s","keyPoints":[],"more":1}}\n```',
    );
    expect(conclusion).toMatchObject({ event: { resultType: "summary" } });
    if ("event" in conclusion && "result" in conclusion.event) RESULT_SCHEMAS.summary.parse(conclusion.event.result);
  });
});
