/** The request to a model always fits, and the omitted parts are chosen: never the question, never half of a pair. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { estimateTokens } from "@mimikit/agent/prompt/tokens";
import { toolsOf } from "@mimikit/agent/tools/index";
import { summaryPath } from "@mimikit/store/disk/state";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type ConversationParts,
  cutPoint,
  fitConversation,
  measure,
  QUESTION_SHARE_MAX,
  RESULT_TOKENS_KEPT,
  SHARES,
  SUMMARY_MESSAGES_MIN,
  shortenTo,
  total,
} from "../../../packages/agent/src/kernel/budget.ts";
import type { KernelMessage } from "../../../packages/agent/src/kernel/model.ts";
import { nativeFormat, tagFormat } from "../../../packages/agent/src/kernel/tool-call-format.ts";
import { parseSummary } from "../../../packages/agent/src/session/summary.ts";
import { type ModelRequest, ModelServer, type Step } from "../../support/model-server.ts";
import { taskOf, temporaryDirectory } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

const cost = (message: KernelMessage) => measure([message], []);
const user = (content: string): KernelMessage => ({ role: "user", content });
const calls = (...ids: string[]): KernelMessage => ({
  role: "assistant",
  content: "",
  calls: ids.map((id) => ({ id, name: "bash", arguments: '{"command":"ls"}' })),
});
const tool = (callId: string, content: string, artifact?: string): KernelMessage => ({
  role: "tool",
  callId,
  tool: "bash",
  content,
  artifact,
});
const words = (tokens: number) => "abc ".repeat(Math.max(0, Math.ceil((tokens * 3.7) / 4)));
const rules: KernelMessage = { role: "system", content: words(100) };
const partsOf = (turns: KernelMessage[], question = user("What?"), cut = 0): ConversationParts => ({
  prompt: () => [rules, question],
  turns,
  cut,
  summary: (at, max) => (at === 0 ? null : user(`the first ${at}: ${words(Math.min(50, max - 20))}`)),
});
const rounds = (n: number, tokens: number) =>
  Array.from({ length: n }, (_, i) => [calls(`c${i}`), tool(`c${i}`, words(tokens), `/runs/${i}`)]).flat();

describe("a conversation", () => {
  test("that fits is shown as it is", () => {
    const turns = rounds(30, 10);
    expect(fitConversation(partsOf(turns), 5_000, cost)).toEqual({
      messages: [rules, user("What?"), ...turns],
      cut: 0,
    });
  });

  test("that is short loses the middle of the oldest answers first, and keeps their tool, id and artifact", () => {
    const turns = rounds(4, 1_000);
    const { messages, cut } = fitConversation(partsOf(turns), 3_000, cost);
    expect(cut).toBe(0);
    expect(total(messages, cost)).toBeLessThanOrEqual(3_000);
    expect(messages[3]?.content).toMatch(
      /^\[shortened: bash, call c0; all of it: \/runs\/0\]\nabc .*characters left out/s,
    );
    expect(messages.at(-1)).toEqual(turns.at(-1));
  });

  test("that is long has its old turns in the summary, and the newest whole", () => {
    const turns = rounds(20, 200);
    expect(turns.length).toBeGreaterThan(SUMMARY_MESSAGES_MIN);
    const { messages, cut } = fitConversation(partsOf(turns), 3_000, cost);
    expect(total(messages, cost)).toBeLessThanOrEqual(3_000);
    expect(cut).toBeGreaterThan(0);
    expect(messages[2]?.content).toContain(`the first ${cut}`);
    expect(messages.slice(3)).toEqual(turns.slice(cut));
    // The kept part leaves room for more, or the next request would summarize again.
    expect(total(turns.slice(cut), cost)).toBeLessThanOrEqual(
      (3_000 * SHARES.recent) / (SHARES.recent + SHARES.summary),
    );
  });

  test("that is short is summarized too where the model itself found it too long", () => {
    const turns = rounds(6, 400);
    expect(fitConversation(partsOf(turns), 2_000, cost).cut).toBe(0);
    expect(fitConversation(partsOf(turns), 2_000, cost, true).cut).toBeGreaterThan(0);
  });

  test("never takes back what the summary stands for", () => {
    const turns = rounds(20, 10);
    const { messages, cut } = fitConversation(partsOf(turns, user("What?"), 10), 100_000, cost);
    expect(cut).toBe(10);
    expect(messages.slice(3)).toEqual(turns.slice(10));
  });

  test("keeps its rules and its question whole, whatever came after them", () => {
    const question = user(words(1_500));
    const { messages } = fitConversation(partsOf(rounds(30, 500), question), 2_600, cost);
    expect(messages.slice(0, 2)).toEqual([rules, question]);
    expect(total(messages, cost)).toBeLessThanOrEqual(2_600);
  });

  test("whose question alone is too long loses the middle of it, and never the rules", () => {
    const { messages } = fitConversation(partsOf([], user(`begin ${words(9_000)} end`)), 2_000, cost);
    expect(total(messages, cost)).toBeLessThanOrEqual(2_000);
    expect(messages[0]).toEqual(rules);
    expect(messages[1]?.content).toMatch(/^begin .*characters left out.* end$/s);
  });
});

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc
    .tuple(fc.constantFrom("word ", "长文本", "\n", '{"a":"', "<M:x />\n", "\\"), fc.integer({ max: 900, min: 0 }))
    .map(([piece, times]) => piece.repeat(times)),
);
const exchange = fc.oneof(
  text.map((content) => [user(content)]),
  fc
    .tuple(text, fc.array(fc.tuple(text, text), { minLength: 0, maxLength: 3 }))
    .map(([said, made]): KernelMessage[] => [
      {
        role: "assistant",
        content: said,
        calls: made.map(([input], i) => ({ id: `c${i}`, name: "bash", arguments: JSON.stringify({ command: input }) })),
      },
      ...made.map(([, output], i) => tool(`c${i}`, output, i === 0 ? "/runs/x" : undefined)),
    ]),
);
const anyTurns = fc.array(exchange, { maxLength: 20 }).map((list) => list.flat());

describe.each([
  ["calls", nativeFormat(() => [])],
  ["tags", tagFormat(toolsOf("teller"))],
])("whatever was said, in a conversation with %s", (_, format) => {
  const costIn = (message: KernelMessage) => measure(format.write([message]), []);

  test("it is never over its budget, its pairs are whole, and so is its question", () => {
    fc.assert(
      fc.property(
        anyTurns,
        text,
        fc.integer({ min: 1_200, max: 8_000 }),
        fc.boolean(),
        (turns, asked, room, mustCut) => {
          const question = user(asked);
          const parts = partsOf(turns, question);
          const { messages, cut } = fitConversation(parts, room, costIn, mustCut);
          const written = format.write(messages);
          expect(measure(written, [])).toBeLessThanOrEqual(room);
          expect(messages[0]).toEqual(rules);
          // Only a question that leaves nothing of the window is shortened.
          if (total([rules, question], costIn) <= room - 600) expect(messages[1]).toEqual(question);
          const rest = messages.slice(cut > 0 ? 3 : 2);
          expect(rest.map(({ role }) => role)).toEqual(turns.slice(cut).map(({ role }) => role));
          let open: string[] = [];
          for (const message of rest) {
            if (message.role === "tool") expect(open.shift()).toBe(message.callId);
            else expect(open).toEqual([]);
            if (message.role === "assistant") open = message.calls.map(({ id }) => id);
            if (message.role === "assistant") for (const call of message.calls) JSON.parse(call.arguments);
          }
          expect(open).toEqual([]);
          expect(fitConversation(parts, room, costIn, mustCut)).toEqual({ messages, cut });
        },
      ),
      { numRuns: 150 },
    );
  });
});

test("a cut is never between a call and its result, and the newest answer always stays", () => {
  fc.assert(
    fc.property(anyTurns, fc.integer({ min: 0, max: 3_000 }), (turns, max) => {
      const cut = cutPoint(turns, max, cost);
      expect(turns[cut]?.role).not.toBe("tool");
      const lastAnswer = turns.findLastIndex(({ role }) => role === "assistant");
      if (lastAnswer >= 0) expect(cut).toBeLessThanOrEqual(lastAnswer);
    }),
  );
});

test("what is shortened once more keeps its names", () => {
  const once = shortenTo(tool("c1", words(1_000), "/runs/1"), RESULT_TOKENS_KEPT);
  const twice = shortenTo(once, 40);
  expect(twice.content).toMatch(/^\[shortened: bash, call c1; all of it: \/runs\/1\]\n(?!\[shortened)/);
  expect(estimateTokens(twice.content)).toBeLessThanOrEqual(40);
});

describe("in a run", () => {
  let model: ModelServer;
  beforeEach(async () => {
    model = await ModelServer.start();
  });
  afterEach(() => model.close());
  const task = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "Find the needle. You must not change anything." });
  const tokensMax = 4_500;

  /** Reads one long file after the other. */
  const reader =
    (n: number) =>
    (request: ModelRequest): Step =>
      request.nth > n
        ? { say: "Found." }
        : {
            say: `I decided to read ${request.nth}.`,
            calls: [{ name: "read_text_file", args: { path: `f${request.nth}` } }],
          };
  const workspace = () => {
    const workDir = temporaryDirectory();
    for (let i = 1; i <= 25; i++) writeFileSync(join(workDir, `f${i}`), `file ${i}\n${"hay ".repeat(400)}\n`);
    return workDir;
  };

  test("a long one is summarized on disk, and every request fits and holds the question", async () => {
    const ran = await runKernelTask(model, { worker: reader(25) }, task, {
      workDir: workspace(),
      endpoint: { tokensMax },
    });
    expect(ran).toMatchObject({ status: "done", result: { text: "Found." } });
    for (const { messages } of model.requests) {
      expect(messages.reduce((sum, { content }) => sum + estimateTokens(content), 0)).toBeLessThan(tokensMax);
      expect(messages[1]?.content).toContain("Find the needle. You must not change anything.");
    }
    const last = model.requests.at(-1);
    expect(last?.messages[1]?.content).toContain("<M:compressed_context>");
    const summary = parseSummary(readFileSync(join(ran.home, summaryPath(task.id)), "utf8"));
    expect(summary.goal).toEqual([task.prompt]);
    expect(summary.constraints).toEqual(["You must not change anything."]);
    expect(summary.decisions.length).toBeGreaterThan(0);
    expect(summary.toolFacts.at(-1)).toMatch(/^read_text_file \[call_\d+\] path=f\d+ → file \d+$/);
    // The session itself is whole.
    expect(ran.turns.filter((turn) => turn.type === "result")).toHaveLength(25);
  });

  test("one that fits has no summary", async () => {
    const ran = await runKernelTask(model, { worker: reader(3) }, task, { workDir: workspace() });
    expect(existsSync(join(ran.home, summaryPath(task.id)))).toBe(false);
  });

  test("one that the endpoint finds too long is summarized and sent once more", async () => {
    const tooLong = { status: 400, body: { error: { message: "prompt is too long" } } };
    const script = (request: ModelRequest): Step => (request.nth === 6 ? tooLong : reader(7)(request));
    const ran = await runKernelTask(model, { worker: script }, task, { workDir: workspace() });
    expect(ran.status).toBe("done");
    expect(model.requests[6]?.bytes).toBeLessThan((model.requests[5]?.bytes ?? 0) * 0.7);
    expect(model.requests[6]?.messages[1]?.content).toContain("<M:compressed_context>");
  });

  test("a question that is long is whole as long as it leaves room for an answer of a tool", async () => {
    const long = taskOf({ ...task, prompt: `${words(tokensMax * QUESTION_SHARE_MAX - 2_200)} the end` });
    await runKernelTask(model, { worker: reader(25) }, long, { workDir: workspace(), endpoint: { tokensMax } });
    for (const { messages } of model.requests) expect(messages[1]?.content).toContain(long.prompt.trimEnd());
  });
});
