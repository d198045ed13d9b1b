/**
 * What a provider promises besides whose model works in our own loop: how often an endpoint is asked, in which words its
 * faults are told, and the limits of a loop.
 */
import { REPLY_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { describe, expect, test } from "vitest";
import { replyOf } from "../agent/fixtures.ts";
import type { ModelRequest, Step } from "../support/model-server.ts";
import { admits, answers, type Candidate, createBench, ok, remember, remembered } from "./provider-suite.ts";

/** How often an endpoint is asked in all before a turn fails. A candidate of the kernel is made so. */
export const TRIES = 3;

/** Declares the tests of one provider of the kernel. */
export function describeKernelProvider(candidate: Candidate): void {
  describe(`the kernel with ${candidate.name}`, () => {
    const bench = createBench(candidate);
    const { turn, asked, lastResults } = bench;

    describe("says the truth about an endpoint that", () => {
      test("refuses the key, without asking again", async () => {
        admits(await turn([{ status: 401 }]), /HTTP 401.*OPENAI_API_KEY/);
        expect(asked()).toBe(1);
      });

      test("has no credit left, without asking again", async () => {
        const body = { error: { message: "You exceeded your current quota", code: "insufficient_quota" } };
        admits(await turn([{ status: 429, body }]), /quota/);
        expect(asked()).toBe(1);
      });

      test("is not found, after one more try", async () => {
        admits(await turn([{ status: 404 }]), /HTTP 404/);
        expect(asked()).toBe(2);
      });

      test("wants to be left alone for an hour, without asking again", async () => {
        admits(await turn([{ status: 429, headers: { "retry-after": "3600" } }]), /HTTP 429/);
        expect(asked()).toBe(1);
      });

      test.each<[string, Step, RegExp]>([
        ["is always busy", { status: 429 }, /HTTP 429/],
        ["is always broken", { status: 500 }, /HTTP 500/],
        ["always breaks the connection", { reset: true }, /cannot be reached/],
        ["always breaks off in the middle", { cut: "Nothing is" }, /middle of an answer|cannot be reached/],
        ["sends no JSON", { stream: "data: {oops\n\n" }, /not valid JSON/],
        ["sends JSON of another shape", { stream: 'data: {"choices":"none"}\n\n' }, /what is no answer/],
        [
          "reports an error in a stream",
          { stream: 'data: {"error":{"message":"out of memory"}}\n\n' },
          /out of memory/,
        ],
        ["ends without a word", { stream: "" }, /middle of an answer/],
      ])("%s, after as many tries as it may", async (_, step, why) => {
        admits(await turn([step]), why);
        expect(asked()).toBe(TRIES);
      });

      test.each<[string, Step, RegExp]>([
        ["never begins to answer", { hang: true }, /did not begin to answer/],
        ["falls silent in the middle", { hang: "Nothing" }, /was silent/],
      ])("%s, after as many tries as it may", async (_, step, why) => {
        admits(await turn([step], { silenceMs: 150 }), why);
        expect(asked()).toBe(TRIES);
      });

      test("finds the conversation too long even when it is short", async () => {
        const body = { error: { message: "This model's maximum context length is 10 tokens" } };
        admits(await turn([{ status: 400, body }]), /maximum context length/);
        expect(asked()).toBe(2);
      });

      test("says nothing, after one more try", async () => {
        admits(await turn([{ say: "" }]), /said nothing/);
        expect(asked()).toBe(2);
      });
    });

    describe("answers in spite of an endpoint that", () => {
      test.each<[string, Step]>([
        ["did not find the whole conversation", { status: 404 }],
        [
          "found the whole conversation too long",
          { status: 400, body: { error: { message: "context_length_exceeded" } } },
        ],
      ])("%s", async (_, step) => {
        answers(await turn([step, ok]));
        expect(asked()).toBe(2);
      });

      test("does not stream", async () => answers(await turn([{ ...ok, whole: true }])));

      test("does not count tokens: they are estimated", async () => {
        const { usage } = await turn([{ ...ok, withoutUsage: true }]);
        expect(usage.inputTokens).toBeGreaterThan(100);
        expect(usage.outputTokens).toBeGreaterThan(0);
      });

      test("answers with 1 MB: the reply says that it is cut", async () => {
        const reply = replyOf(await turn([{ say: "word ".repeat(200_000) }]));
        expect(reply).toHaveLength(REPLY_CHARS_MAX);
        expect(reply.endsWith("[truncated]")).toBe(true);
      });
    });

    describe("of the calls of a model", () => {
      test("makes three of one answer, and answers the others too", async () => {
        const ran = await turn([{ calls: ["a", "b", "c", "d", "e"].map(remember) }, ok]);
        expect(remembered(ran)).toEqual(["a", "b", "c"]);
        expect(lastResults().slice(3)).toEqual(Array(2).fill(expect.stringContaining("not executed: at most 3")));
      });

      test.each<[string, Step, string]>([
        ["is torn", { calls: [{ name: "remember", raw: '{"content": "tor' }], finish: "length" }, "was cut off"],
        ["is whole in an answer that is torn", { calls: [remember("torn")], finish: "length" }, "was cut off"],
        ["has bad JSON", { calls: [{ name: "remember", raw: "{content: x}" }] }, "not valid JSON"],
        ["names no tool", { calls: [{ name: "rm", args: { path: "/" } }] }, 'there is no tool \\"rm\\"'],
        ["names a tool of another role", { calls: [{ name: "bash", args: { command: "ls" } }] }, "there is no tool"],
        ["has wrong arguments", { calls: [{ name: "remember", args: { text: "x" } }] }, "bad_input"],
      ])("never makes one that %s, and says so to the model", async (_, step, why) => {
        const ran = await turn([step, ok]);
        answers(ran);
        expect(remembered(ran)).toEqual([]);
        expect(lastResults()).toEqual([expect.stringContaining(why)]);
      });

      test("makes no more when the same is called three times in a row", async () => {
        const ran = await turn([{ calls: [{ name: "list_tasks" }] }]);
        admits(ran, /called list_tasks 3 times in a row/);
        expect(asked()).toBe(3);
      });

      test("stops when the same error comes three times in a row", async () => {
        const again = ({ nth }: ModelRequest): Step => ({ calls: [{ name: "rm", args: { n: nth } }] });
        admits(await turn(again), /same error 3 times in a row/);
      });

      test("ends an endless loop of different calls by asking once more without tools", async () => {
        const ran = await turn(({ tools, nth }) =>
          tools.length === 0 ? ok : { calls: [{ name: "query_history", args: { query: `q${nth}` } }] },
        );
        answers(ran);
        expect(asked()).toBe(7);
      });

      test("makes none when it was not offered any", async () => {
        const ran = await turn(({ nth }) => ({ say: "Enough.", calls: [remember(`n${nth}`)] }));
        expect(replyOf(ran)).toBe("Enough.");
        expect(remembered(ran)).toHaveLength(6);
      });
    });
  });
}
