/** The summaries of a turn: of the conversation before it, and of tasks' results (SPEC F3, G). */

import { compressedAfter, messagesOf, sinceCompressed, summaryIn } from "@mimikit/core/views/history";
import type { Effect } from "@mimikit/protocol/records/effect";
import { reportOf } from "@mimikit/protocol/records/result";
import { describe, expect, test } from "vitest";
import { settlementOf } from "../../../packages/core/src/rules/settle.ts";
import { done, message, NOON, NOON_MS, snapshot, task, turn } from "../facts.ts";

const asked = turn("t-000003", { messages: [message("m-c")] });
const turnWith = (...effects: Effect[]) => done(asked, { effects: [{ type: "reply", text: "Done." }, ...effects] });

describe("the summary of a result", () => {
  const sum = (taskId: string): Effect => ({ type: "summarize_task_result", taskId, summary: "It went well." });
  const settled = (result = turnWith(sum("t-000001.0.0"))) => {
    const facts = { queue: [asked], results: [result, done(task("t-000001.0.1"))], archive: ["t-000001.0.0"] };
    return settlementOf(result, snapshot(facts), NOON_MS);
  };

  test("is a record under a name that follows from its task", () => {
    expect(settled().summaries).toEqual([
      {
        kind: "result-summary",
        id: "t-000001.0.0.summary",
        at: NOON,
        taskId: "t-000001.0.0",
        summary: "It went well.",
      },
    ]);
  });

  test("may be of a task that this very turn reports, and of none that has not ended", () => {
    expect(settled(turnWith(sum("t-000001.0.1"), sum("t-000001.0.9"))).summaries).toMatchObject([
      { taskId: "t-000001.0.1" },
    ]);
  });

  test("is kept where another supervisor has put the reported result into the archive meanwhile", () => {
    const reporting = turn("t-000003", { results: [reportOf(done(task("t-000001.0.1")))] });
    const result = done(reporting, { effects: [{ type: "reply", text: "Done." }, sum("t-000001.0.1")] });
    const facts = { queue: [reporting], results: [result], archive: [] };
    expect(settlementOf(result, snapshot(facts), NOON_MS).summaries).toMatchObject([{ taskId: "t-000001.0.1" }]);
  });

  test("is the Teller's to make", () => {
    expect(settled(done(task("t-000003.0"), { effects: [sum("t-000001.0.0")] })).summaries).toEqual([]);
  });
});

test("what is remembered of a person keeps its target", () => {
  const effect: Effect = { type: "remember", content: "lives in Kiel", longTerm: false, target: "profile" };
  const { edits } = settlementOf(turnWith(effect), snapshot({ queue: [asked] }), NOON_MS);
  expect(edits).toEqual([
    { document: "memory", id: "t-000003.1", at: NOON, content: "lives in Kiel", longTerm: false, target: "profile" },
  ]);
});

describe("a conversation that was compressed", () => {
  const first = done(turn("t-000001", { messages: [message("m-a", "one")] }), {
    effects: [{ type: "reply", text: "1" }],
  });
  const compressing = turnWith({ type: "compress_context", summary: "It was about numbers." });
  const clear = { kind: "clear" as const, id: "clear-1", at: NOON, mac: "seal" };
  const last = done(turn("t-000004", { messages: [message("m-d", "four")] }));
  const said = (...turns: (typeof first)[]) => turns.flatMap(messagesOf);

  test("stays so until it is compressed anew, or begins anew", () => {
    expect(compressedAfter(first, undefined)).toBeUndefined();
    expect(compressedAfter(compressing, undefined)).toBe(3);
    expect(compressedAfter(compressing, 1)).toBe(3);
    expect(compressedAfter(last, 3)).toBe(3);
    expect(compressedAfter(done(turn("t-000004", { clear })), 3)).toBeUndefined();
    expect(summaryIn(compressing)).toBe("It was about numbers.");
  });

  test("is not where there was nothing to sum up", () => {
    expect(compressedAfter(turnWith({ type: "compress_context" }), 1)).toBe(1);
  });

  test("goes on with the turn that did it: what was said in it is in no summary", () => {
    const texts = (messages: ReturnType<typeof said>) => messages.map(({ text }) => text);
    expect(texts(sinceCompressed(said(first, compressing, last), compressing))).toEqual(["hello", "Done.", "four"]);
    expect(texts(sinceCompressed(said(compressing), compressing))).toEqual(["hello", "Done."]);
    // The view holds the newest messages only: that turn may have left it.
    expect(texts(sinceCompressed(said(last), compressing))).toEqual(["four"]);
  });
});
