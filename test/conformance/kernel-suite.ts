/**
 * Promises of providers whose model works in our own loop: how often an endpoint is asked, in which words its faults are
 * told, and the limits of a loop.
 */
import { REPLY_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { describe, expect, test } from "vitest";
import { replyOf } from "../agent/fixtures.ts";
import type { ModelRequest, Step } from "../support/model-server.ts";
import {
  type Ability,
  admits,
  answers,
  type Candidate,
  CHAT_FAULTS,
  createBench,
  ok,
  remember,
  remembered,
  waitsAnHour,
} from "./provider-suite.ts";

/** How often an endpoint is asked in all before a turn fails. A candidate of the kernel is made so. */
export const TRIES = 3;

/** Declares the tests of one provider of the kernel. */
export function describeKernelProvider(candidate: Candidate): void {
  const { name, server } = candidate;
  const lacks = (ability: Ability) => server?.lacks.has(ability) === true;
  describe(`the kernel with ${name}${server === undefined ? "" : ` at ${server.name}`}`, () => {
    const bench = createBench(candidate);
    const { turn, asked, lastResults } = bench;
    const wire = candidate.wire ?? CHAT_FAULTS;

    describe("says the truth about an endpoint that", () => {
      test("refuses the key, without asking again", async () => {
        admits(
          await turn([{ status: 401 }]),
          new RegExp(`${name} at .* does not accept the key.*HTTP 401.*mimikit connect ${name}`),
        );
        expect(asked()).toBe(1);
      });

      test.skipIf(lacks("send any error code"))("has no credit left, without asking again", async () => {
        const body = { error: { message: "You exceeded your current quota", code: "insufficient_quota" } };
        admits(await turn([{ status: 429, body }]), /quota/);
        expect(asked()).toBe(1);
      });

      test("is not found, after one more try", async () => {
        admits(await turn([{ status: 404 }]), /HTTP 404/);
        expect(asked()).toBe(2);
      });

      test("wants to be left alone for an hour: it waits until then, without asking again", async () => {
        const ran = await turn([{ status: 429, headers: { "retry-after": "3600" } }]);
        waitsAnHour(ran);
        expect(ran.error).toMatch(/HTTP 429/);
        expect(asked()).toBe(1);
      });

      test.each<[string, Step, RegExp]>([
        ["is always busy", { status: 429 }, /HTTP 429/],
        ["is always broken", { status: 500 }, /HTTP 500/],
        ["always breaks the connection", { reset: true }, /broke the connection/],
        ["always breaks off in the middle", { cut: "Nothing is" }, /middle of an answer|broke the connection/],
      ])("%s, after as many tries as it may", async (_, step, why) => {
        admits(await turn([step]), why);
        expect(asked()).toBe(TRIES);
      });

      test.skipIf(lacks("send any bytes")).each<[string, Step, RegExp]>([
        ["sends no JSON", { stream: "data: {oops\n\n" }, wire.badJson],
        ["sends JSON of another shape", { stream: wire.otherShape }, /what is no answer/],
        ["reports an error in a stream", { stream: wire.errorEvent }, /out of memory/],
        ["ends without a word", { stream: "" }, /middle of an answer/],
      ])("%s, after as many tries as it may", async (_, step, why) => {
        admits(await turn([step]), why);
        expect(asked()).toBe(TRIES);
      });

      test("never begins to answer, after as many tries as it may", async () => {
        admits(await turn([{ hang: true }], { silenceMs: 150 }), /did not begin to answer/);
        expect(asked()).toBe(TRIES);
      });

      test.skipIf(lacks("fall silent in the middle"))("falls silent in the middle, after as many tries", async () => {
        admits(await turn([{ hang: "Nothing" }], { silenceMs: 150 }), /was silent/);
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

      test.skipIf(!wire.hasWhole || lacks("answer in one piece"))("does not stream", async () =>
        answers(await turn([{ ...ok, whole: true }])),
      );

      test.skipIf(lacks("withhold the usage"))("does not count tokens: they are estimated", async () => {
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

    describe("of what a model thinks", () => {
      const thinking: Step = { think: "They want to hear what is new.", calls: [remember("a")] };

      test("shows it while it comes, and says none of it", async () => {
        const ran = await turn([{ ...ok, think: "They want to hear what is new." }]);
        answers(ran);
        const thought = ran.lines.flatMap((line) => (line.type === "thought" ? [line.text] : [])).join("");
        expect(thought).toBe("They want to hear what is new.");
      });

      test.skipIf(lacks("check thoughts"))(
        "gives it back with the calls that came of it, word for word: the endpoint refuses them otherwise",
        async () => {
          const ran = await turn([thinking, thinking, ok]);
          answers(ran);
          const thoughts = bench.model.of("teller").map(({ messages }) => messages.map(({ thought }) => thought?.text));
          expect(thoughts.map((each) => each.filter((text) => text !== undefined).length)).toEqual([0, 1, 2]);
        },
      );
    });

    describe("of the calls of a model", () => {
      test("makes three of one answer, and answers the others too", async () => {
        const ran = await turn([{ calls: ["a", "b", "c", "d", "e"].map(remember) }, ok]);
        expect(remembered(ran)).toEqual(["a", "b", "c"]);
        expect(lastResults().slice(3)).toEqual(Array(2).fill(expect.stringContaining("not executed: at most 3")));
      });

      const torn: Step = { calls: [remember("torn")], finish: "length" };
      const cut: [string, Step, string][] = [["is whole in an answer that is torn", torn, "was cut off"]];
      test.each<[string, Step, string]>([
        ...(lacks("cut off calls") ? [] : cut),
        ["names no tool", { calls: [{ name: "rm", args: { path: "/" } }] }, 'there is no tool \\"rm\\"'],
        ["names a tool of another role", { calls: [{ name: "bash", args: { command: "ls" } }] }, "there is no tool"],
        ["has wrong arguments", { calls: [{ name: "remember", args: { text: "x" } }] }, "bad_input"],
      ])("never makes one that %s, and says so to the model", async (_, step, why) => {
        const ran = await turn([step, ok]);
        answers(ran);
        expect(remembered(ran)).toEqual([]);
        expect(lastResults()).toEqual([expect.stringContaining(why)]);
      });

      test.skipIf(!wire.hasTornCalls || lacks("tear calls")).each<[string, Step, string]>([
        ["is torn", { calls: [{ name: "remember", raw: '{"content": "tor' }], finish: "length" }, "was cut off"],
        ["has bad JSON", { calls: [{ name: "remember", raw: "{content: x}" }] }, "not valid JSON"],
      ])("never makes one that %s, and says so to the model", async (_, step, why) => {
        const ran = await turn([step, ok]);
        answers(ran);
        expect(remembered(ran)).toEqual([]);
        expect(lastResults()).toEqual([expect.stringContaining(why)]);
      });

      test("sends no half of a character of one back: an endpoint refuses the whole request otherwise", async () => {
        const half: Step = { say: "It is \ud83d", calls: [{ name: "query_history", raw: '{"query": "tea \\ud83d"}' }] };
        answers(await turn([half, ok]));
        expect(asked()).toBe(2);
      });

      test("makes no more when the same is called three times in a row", async () => {
        const ran = await turn([{ calls: [{ name: "list_tasks" }] }]);
        admits(ran, /said nothing, even when it was asked again/);
        // Three times with tools, and twice without, for an answer that it does not give.
        expect(asked()).toBe(5);
      });

      test.skipIf(lacks("tell that no tool may be called")).each<[string, (request: ModelRequest) => Step]>([
        ["makes the same call", () => ({ calls: [{ name: "list_tasks" }] })],
        ["meets the same error", ({ nth }) => ({ calls: [{ name: "rm", args: { n: nth } }] })],
      ])(
        "asks a model once more without tools that %s three times in a row, and takes its answer",
        async (_, again) => {
          const ran = await turn((request) => (request.tools.length === 0 ? ok : again(request)));
          answers(ran);
          expect(asked()).toBe(4);
        },
      );

      test("makes no more when the same error comes three times in a row", async () => {
        const again = ({ nth }: ModelRequest): Step => ({ calls: [{ name: "rm", args: { n: nth } }] });
        admits(await turn(again), /said nothing, even when it was asked again/);
        expect(asked()).toBe(5);
      });

      test.skipIf(lacks("tell that no tool may be called"))(
        "ends an endless loop of different calls by asking once more without tools",
        async () => {
          const ran = await turn(({ tools, nth }) =>
            tools.length === 0 ? ok : { calls: [{ name: "query_history", args: { query: `q${nth}` } }] },
          );
          answers(ran);
          expect(asked()).toBe(7);
        },
      );

      test("makes none when it was not offered any", async () => {
        const ran = await turn(({ nth }) => ({ say: "Enough.", calls: [remember(`n${nth}`)] }));
        expect(replyOf(ran)).toBe("Enough.");
        expect(remembered(ran)).toHaveLength(6);
      });
    });
  });
}
