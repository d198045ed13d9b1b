import type { Quoted } from "@mimikit/agent/prompt/quote";
import {
  MESSAGE_CHARS,
  OWN_CHARS_WHEN_TIGHT,
  RECENT_MESSAGES_MAX,
  recentHistory,
} from "@mimikit/agent/prompt/recent-history";
import { estimateTokens, shareOut, shorten } from "@mimikit/agent/prompt/tokens";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { saidOf } from "../prompt-fixtures.ts";

const HISTORY_TOKENS = 4_096;
const messages = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => saidOf(i, text(i)));

function recent(
  history: HistoryMessage[],
  elsewhere: HistoryMessage[] = [],
  tokensMax = HISTORY_TOKENS,
): HistoryMessage[] {
  const shown = recentHistory(history, elsewhere, tokensMax, (message) => JSON.stringify(message) as Quoted);
  return shown.map(({ text }) => JSON.parse(text));
}

describe("the history in a prompt", () => {
  test("is the newest twenty messages, oldest first", () => {
    const history = messages(50, (i) => `message ${i}`);
    expect(recent(history)).toEqual(history.slice(-RECENT_MESSAGES_MAX));
  });

  test("is as many of the newest as fit, and at least five, in any script", () => {
    for (const script of ["字", "x", "한", "{\n"]) {
      const history = messages(50, () => script.repeat(1_000));
      const shown = recent(history);
      expect(shown.length).toBeGreaterThanOrEqual(5);
      expect(shown.map(({ id }) => id)).toEqual(history.slice(-shown.length).map(({ id }) => id));
      expect(estimateTokens(shown.map((each) => JSON.stringify(each)).join("\n"))).toBeLessThanOrEqual(HISTORY_TOKENS);
    }
  });

  test("is bounded by tokens: six messages of 500 Chinese characters, twenty of 500 Latin ones", () => {
    const shownOf = (script: string, tokensMax: number) =>
      recentHistory(
        messages(50, (i) => `${script.repeat(MESSAGE_CHARS - 2)}${String(i).padStart(2, "0")}`),
        [],
        tokensMax,
        ({ text }) => text as Quoted,
      );
    // 498 · 1.17 + 2 · 0.85, rounded up, and one for the line break: 586 each.
    expect(shownOf("字", 4_096).map(({ text }) => text.slice(-2))).toEqual("44 45 46 47 48 49".split(" "));
    expect(shownOf("字", 3_516)).toHaveLength(6);
    expect(shownOf("字", 3_515)).toHaveLength(5);
    // 498 / 3.7 + 2 · 0.85, rounded up, and one: 138 each.
    expect(shownOf("x", 4_096)).toHaveLength(20);
    expect(shownOf("x", 2_760)).toHaveLength(20);
    expect(shownOf("x", 2_759)).toHaveLength(19);
  });

  test("cuts each message to 500 characters", () => {
    const [message] = recent([saidOf(1, `${"a".repeat(2_000)}?`)]);
    expect(message?.text.length).toBeLessThanOrEqual(MESSAGE_CHARS);
    expect(message?.text).toMatch(/^a+ \[… \d+ characters left out …\] a+\?$/);
    expect(recent([saidOf(1, "a".repeat(MESSAGE_CHARS))])[0]?.text).toBe("a".repeat(MESSAGE_CHARS));
  });

  test("cuts the assistant's own words first", () => {
    const history = messages(20, () => "字".repeat(MESSAGE_CHARS)).map(
      (message, i): HistoryMessage => ({
        ...message,
        role: i % 2 === 0 ? "user" : "assistant",
      }),
    );
    const shown = recent(history);
    for (const { role, text } of shown) {
      if (role === "user") expect(text).toBe("字".repeat(MESSAGE_CHARS));
      else expect(text.length).toBeLessThanOrEqual(OWN_CHARS_WHEN_TIGHT);
    }
    expect(shown.length).toBeGreaterThan(recent(history.map((message) => ({ ...message, role: "user" }))).length);
  });

  test("says nothing twice, and nothing that stands elsewhere in the prompt", () => {
    const [a, b, c] = messages(3, (i) => `message ${i}`) as [HistoryMessage, HistoryMessage, HistoryMessage];
    const sameMoment = { ...b, id: "h-other" };
    expect(recent([a, b, sameMoment, c, c], [a]).map(({ id }) => id)).toEqual(["h-other", "h-2"]);
    expect(recent([a, b], [{ ...b, id: "m-1" }])).toEqual([a]);
  });
});

describe("the length of a text", () => {
  test.each([
    ["", 0],
    ["a".repeat(37), 10],
    ["汉".repeat(100), 118],
    ["かな、한글。", 7],
    [`${"𠀀".repeat(4)}${"a".repeat(37)}`, 24],
  ])("%j is estimated at %i tokens", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test("a shortened text keeps to its bound, begins and ends as before, and says how much is missing", () => {
    const texts = fc.string({ unit: "grapheme", minLength: 200, maxLength: 800 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 60, max: 150 }), (text, max) => {
        const chars = [...text];
        const [, head = "", missing, tail = ""] =
          /^(.*) \[… (\d+) characters left out …\] (.*)$/s.exec(shorten(text, max, () => 1)) ?? [];
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect([...head].length + Number(missing) + [...tail].length).toBe(chars.length);
        expect([...shorten(text, max, () => 1)].length).toBeLessThanOrEqual(max);
        expect(shorten(text, chars.length, () => 1)).toBe(text);
      }),
    );
  });

  test("fair shares use up what there is, and give nobody more than needed or less than an equal part", () => {
    const costs = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 5_000 }), (wanted, total) => {
        const shares = shareOut(wanted, total);
        const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
        expect(sum(shares)).toBeCloseTo(Math.min(total, sum(wanted)));
        for (const [i, share] of shares.entries()) {
          expect(share).toBeLessThanOrEqual(wanted[i] ?? 0);
          expect(share).toBeGreaterThanOrEqual(Math.min(wanted[i] ?? 0, total / wanted.length) - 1e-6);
        }
      }),
    );
  });
});
