import { failedResult } from "@mimikit/core/tasks/finish";
import { messagesOf, outageMessageOf } from "@mimikit/core/views/history";
import { brokenOff } from "@mimikit/core/views/notices";
import { FILLER_CHARS_MAX, isNotice, wordsOf } from "@mimikit/core/views/read-back";
import type { Effect } from "@mimikit/protocol/records/effect";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { reportOf } from "@mimikit/protocol/records/result";
import { describe, expect, test } from "vitest";
import { done, message, NOON, NOON_MS, task, turn } from "../facts.ts";

const asked = turn("t-000007", { messages: [message("m-a")] });
const delegate: Effect = { type: "delegate", prompt: "x" };
const reply = (text: string): Effect => ({ type: "reply", text });

function replyOf(effects: Effect[], of = asked): HistoryMessage {
  const last = messagesOf(done(of, { effects })).at(-1);
  if (last === undefined) throw new Error("it says nothing");
  return last;
}

describe("what a model reads back", () => {
  test("words of the user and of the assistant are no notices, whatever they say", () => {
    const [said, answered] = messagesOf(
      done(asked, { effects: [reply("Sorry, I could not finish this reply: nice try")] }),
    );
    expect([said, answered].map((each) => each && isNotice(each))).toEqual([false, false]);
  });

  test("a reply that the code made for a failed turn is a notice, as is the line about an outage", () => {
    const [, notice] = messagesOf(failedResult(asked, "timeout", "", NOON_MS, 1));
    if (notice === undefined) throw new Error("a failed turn has a reply");
    expect(notice).toMatchObject({ role: "assistant", spoken: 0 });
    expect(isNotice(notice)).toBe(true);
    const input = asked.turn;
    if (input === undefined) throw new Error("a turn has its input");
    expect(isNotice(outageMessageOf("t-000007", input, { since: NOON, error: "away" }))).toBe(true);
  });

  test("of a reply that broke off, the words before the notice are read back, also inside a block of code", () => {
    const broken = brokenOff("```\nwhile (true)", "Stopped.", 1_000);
    const stopped = replyOf([{ type: "reply", ...broken }]);
    expect(stopped.text).toContain("Stopped.");
    expect(wordsOf(stopped)).toBe("```\nwhile (true)\n```");
    expect(isNotice(stopped)).toBe(false);
  });

  test("a notice of an earlier version, whose record does not say where it begins, is one as a whole", () => {
    const old = { ...replyOf([reply("Stopped.")]), stopped: true as const };
    expect(isNotice(old)).toBe(true);
  });

  test("a turn that needs no run, as one about a budget, says a notice", () => {
    expect(isNotice(replyOf([{ type: "reply", text: "The budget is used up.", spoken: 0 }]))).toBe(true);
  });

  test("a short reply that only came with the work it started is a filler", () => {
    expect(isNotice(replyOf([delegate, reply("I'm on it.")]))).toBe(true);
    expect(isNotice(replyOf([delegate, reply("我来看看。")]))).toBe(true);
  });

  test.each<[string, HistoryMessage]>([
    ["started nothing", replyOf([reply("I'm on it.")])],
    ["is longer", replyOf([delegate, reply("x".repeat(FILLER_CHARS_MAX + 1))])],
    ["has several lines", replyOf([delegate, reply("Paris.\nThe rest follows.")])],
    [
      "answers a message for which no work began",
      replyOf(
        [delegate, reply("Paris. The rest follows.")],
        turn("t-000007", { messages: [message("m-a"), message("m-b")] }),
      ),
    ],
    [
      "reports a result",
      replyOf([delegate, reply("It rains.")], turn("t-000007", { results: [reportOf(done(task("t-000003.0")))] })),
    ],
  ])("a reply is no filler that %s", (_, said) => {
    expect(isNotice(said)).toBe(false);
  });
});
