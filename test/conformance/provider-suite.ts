/**
 * What every provider promises, whatever happens to it: a user's turn ends in exactly one reply, within its time, and
 * nothing that was not meant is done. A provider with a model endpoint is shown every way in which one goes wrong.
 */
import type { Provider } from "@mimikit/agent/provider";
import type { Outcome } from "@mimikit/agent/run-task";
import { REPLY_CHARS_MAX } from "@mimikit/protocol/effect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageOf, type Ran, replyOf, run, turnOf } from "../agent/fixtures.ts";
import { type ModelRequest, ModelServer, type Script, type Step } from "../support/model-server.ts";

/** The time limit of every turn here. One that reaches it has failed its test. */
const LIMIT_MS = 20_000;
/** How long an endpoint may be silent, where silence is tested. */
const SILENCE_MS = 150;

export interface Candidate {
  name: string;
  /** @param silenceMs how long the endpoint may be silent; @param tries how often it may be asked in all. */
  create(model: ModelServer, options: { silenceMs: number; tries: number }): Provider;
  /** Does it answer with a model of its endpoint? */
  hasModel: boolean;
}

const QUESTION = "what is new?";
const TRIES = 3;

/** Declares the tests of one provider. */
export function describeProvider({ name, create, hasModel }: Candidate): void {
  describe(`the provider ${name}`, () => {
    let model: ModelServer;
    beforeEach(async () => {
      model = await ModelServer.start({ teller: [{ say: "Nothing is new." }] });
    });
    afterEach(() => model.close());

    async function turn(
      script: Script["teller"],
      { text = QUESTION, silenceMs = LIMIT_MS, signal = AbortSignal.timeout(LIMIT_MS) } = {},
    ): Promise<Ran> {
      model.script = { ...model.script, ...(script !== undefined && { teller: script }) };
      const provider = create(model, { silenceMs, tries: TRIES });
      const ran = await run(turnOf({ messages: [messageOf(text)] }), { provider, signal });
      expect(ran.failureReason).not.toBe("timeout");
      expect(replyOf(ran)).not.toBe("");
      return ran;
    }

    test("answers a message with one reply", async () => {
      const ran = await turn(undefined);
      expect(ran).toMatchObject({ status: "done", effects: [{ type: "reply" }], provider: name });
    });

    test("shows what it says while it says it", async () => {
      const { lines, ...ran } = await turn(undefined);
      expect(lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("")).toBe(replyOf(ran));
    });

    test("replies to a message of 1 MB", async () => {
      const ran = await turn(undefined, { text: `${"word ".repeat(200_000)} ${QUESTION}` });
      expect(ran.status).toBe("done");
    });

    test("replies also when it is stopped before it began", async () => {
      await turn(undefined, { signal: AbortSignal.abort("cancelled") });
    });

    if (!hasModel) return;

    const ok: Step = { say: "Nothing is new." };
    const answers = (ran: Outcome) => expect(replyOf(ran)).toBe("Nothing is new.");
    const admits = (ran: Outcome, why: string | RegExp) => {
      expect(ran.status).toBe("failed");
      expect(replyOf(ran)).toContain("I could not finish this reply");
      expect(replyOf(ran)).toMatch(why);
    };
    const asked = () => model.of("teller").length;
    const hangUps = () => Promise.all(model.of("teller").map((request) => request.wasAborted));
    const lastResults = () => model.of("teller").at(-1)?.results ?? [];

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

      test("wants to be left alone for an hour", async () => {
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
      ])("%s", async (_, step, why) => {
        admits(await turn([step], { silenceMs: SILENCE_MS }), why);
        expect(await hangUps()).toEqual(Array(TRIES).fill(true));
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
        ["was busy for a moment", { status: 429, headers: { "retry-after": "0" } }],
        ["was broken for a moment", { status: 503 }],
        ["broke the connection once", { reset: true }],
        ["broke off once", { cut: "Noth" }],
        ["did not find the whole conversation", { status: 404 }],
        [
          "found the whole conversation too long",
          { status: 400, body: { error: { message: "context_length_exceeded" } } },
        ],
        ["was silent once", { say: "" }],
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

    test("counts what the endpoint counted, over all its answers", async () => {
      const { usage } = await turn([{ calls: [{ name: "list_tasks" }] }, ok]);
      expect(usage).toEqual({ inputTokens: 200, cachedTokens: 120, outputTokens: 14, costUsd: 0 });
    });

    test("hangs up when it is stopped, and says why it was", async () => {
      const controller = new AbortController();
      const waitThenStop = (): Step => {
        setImmediate(() => controller.abort("cancelled"));
        return { hang: "Noth" };
      };
      const ran = await turn(waitThenStop, { signal: controller.signal });
      expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled" });
      expect(await hangUps()).toEqual([true]);
    });

    test("does not go on trying when it is stopped", async () => {
      const controller = new AbortController();
      const script = (): Step => {
        controller.abort("cancelled");
        return { status: 429, headers: { "retry-after": "30" } };
      };
      expect(await turn(script, { signal: controller.signal })).toMatchObject({ failureReason: "cancelled" });
    });

    describe("of the calls of a model", () => {
      const remember = (content: string) => ({ name: "remember", args: { content } });
      const remembered = ({ effects }: Outcome) =>
        effects.flatMap((effect) => (effect.type === "remember" ? [effect.content] : []));

      test("makes those that are good, and gives the answers back", async () => {
        const ran = await turn([{ calls: [remember("a"), remember("b")] }, ok]);
        answers(ran);
        expect(remembered(ran)).toEqual(["a", "b"]);
        expect(lastResults()).toEqual(['{"id":"t-000007.0"}', '{"id":"t-000007.1"}']);
      });

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
