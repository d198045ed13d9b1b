/** The summary that a turn makes of the conversation before it, if that must be compressed. */

import { HISTORY_MESSAGES_MIN } from "@mimikit/agent/prompt/recent-history";
import { compress, summarizeTalk } from "@mimikit/agent/run/compress";
import { CONVERSATION_SUMMARY_CHARS_MAX, Effect } from "@mimikit/protocol/records/effect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ModelServer, type Step } from "../../support/model-server.ts";
import { messageOf, replyOf, taskOf, turnOf } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";
import { saidOf } from "../prompt-fixtures.ts";

const talk = {
  history: [
    saidOf(1, "Plan a trip to Kiel. It must not cost more than 300 euros."),
    saidOf(2, "I have decided on the train. Which day suits you?", { role: "assistant" }),
    saidOf(3, "Friday is fine."),
    saidOf(4, "A new conversation", { role: "system" }),
  ],
  summary: "",
};
const BY_RULE = `Goal:
- Plan a trip to Kiel. It must not cost more than 300 euros.

Constraints:
- Plan a trip to Kiel.
- It must not cost more than 300 euros.
- Friday is fine.

Decisions:
- I have decided on the train.

Open Items:
- Which day suits you?`;
const reply: Effect = { type: "reply", text: "Done." };

describe("the summary of a conversation by rule", () => {
  test("is what the user wants, what was decided and what is open", () => {
    expect(summarizeTalk(talk)).toBe(BY_RULE);
  });

  test("begins with what was summed up before", () => {
    expect(summarizeTalk({ ...talk, summary: "They like trains." })).toBe(`They like trains.\n\n${BY_RULE}`);
  });

  test("fits where it is kept, in any script", () => {
    for (const script of ["字。", "𠀀！", "words must not end. "]) {
      const history = Array.from({ length: 210 }, (_, i) => saidOf(i, `${i}${script.repeat(300)}`));
      const summary = summarizeTalk({ history, summary: script.repeat(4_000) });
      expect(summary.length).toBeGreaterThan(1_000);
      expect(summary.length).toBeLessThanOrEqual(CONVERSATION_SUMMARY_CHARS_MAX);
      expect(Effect.safeParse({ type: "compress_context", summary }).success).toBe(true);
    }
  });

  test("of nothing is nothing", () => {
    expect(summarizeTalk({ history: [], summary: "" })).toBe("");
  });
});

describe("the effects of a turn", () => {
  const long = { ...talk, history: Array.from({ length: HISTORY_MESSAGES_MIN + 1 }, (_, i) => saidOf(i, `no ${i}`)) };

  test("have the Teller's own summary, or one by rule, in the same place", () => {
    const own: Effect = { type: "compress_context", summary: "Kiel." };
    expect(compress([own, reply], talk, true)).toEqual([own, reply]);
    expect(compress([{ type: "compress_context" }, reply], talk, false)).toEqual([
      { type: "compress_context", summary: BY_RULE },
      reply,
    ]);
    expect(compress([{ type: "compress_context" }], { history: [], summary: "" }, false)).toEqual([
      { type: "compress_context" },
    ]);
  });

  test("have one at their end where the model could not take what it was shown, and there is more than a little", () => {
    expect(compress([reply], long, true)).toEqual([reply, { type: "compress_context", summary: summarizeTalk(long) }]);
    expect(compress([reply], long, false)).toEqual([reply]);
    expect(compress([reply], { ...long, history: long.history.slice(1) }, true)).toEqual([reply]);
    const full = Array.from({ length: 64 }, () => reply);
    expect(compress(full, long, true)).toEqual(full);
  });

  test("have none where nothing is said: the conversation would begin anew nowhere", () => {
    const quiet: Effect = { type: "cancel_task", id: "t-000001.0" };
    expect(compress([quiet], long, true)).toEqual([quiet]);
  });
});

describe("a conversation that is too long for its model", () => {
  let model: ModelServer;
  beforeEach(async () => {
    model = await ModelServer.start();
  });
  afterEach(() => model.close());
  const tooLong: Step = { status: 400, body: { error: { message: "too long", code: "context_length_exceeded" } } };
  const rules = "Never push to main.";
  const history = Array.from({ length: 30 }, (_, i) => saidOf(i, `message ${i} must stay`));
  const question = turnOf({ messages: [messageOf("And now?")] });

  test("is told once more, without what stands around the question, and compressed for the turns after it", async () => {
    const ran = await runKernelTask(model, { teller: [tooLong, { say: "Now this." }] }, question, {
      context: { history, rules, persona: "Be brief.", summary: "Kiel." },
    });
    expect(replyOf(ran)).toBe("Now this.");
    expect(ran.effects.at(-1)).toEqual({
      type: "compress_context",
      summary: summarizeTalk({ history, summary: "Kiel." }),
    });
    const [first, second] = model.requests;
    expect(first?.prompt).toContain("message 29 must stay");
    expect(second?.prompt).not.toMatch(/must stay|Be brief|Kiel/);
    expect(second?.prompt).toContain("And now?");
    for (const request of model.requests) expect(request.system).toContain(`<M:rules>\n    ${rules}\n</M:rules>`);
  });

  test("is compressed even if that did not help, so that the next turn has a chance", async () => {
    const ran = await runKernelTask(model, { teller: [tooLong] }, question, { context: { history } });
    expect(ran.status).toBe("failed");
    expect(ran.effects.map(({ type }) => type)).toEqual(["reply", "compress_context"]);
  });

  test("leaves a Worker's result as it is", async () => {
    const task = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
    const ran = await runKernelTask(model, { worker: [tooLong, { say: "Done." }] }, task, { context: { history } });
    expect(ran).toMatchObject({ status: "done", effects: [] });
  });
});
