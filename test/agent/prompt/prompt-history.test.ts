import { HISTORY_MESSAGES_MIN, MESSAGE_CHARS, talkWithin } from "@mimikit/agent/prompt/recent-history";
import { estimateTokens, shareOut, shorten } from "@mimikit/agent/prompt/tokens";
import { budgetsFor } from "@mimikit/agent/talk/budgets";
import { SAVED_CHARS_MIN, shortenAtBorders } from "@mimikit/agent/talk/shorten-message";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { saidOf } from "../prompt-fixtures.ts";

const SMALL = budgetsFor(14_336);
const LARGE = budgetsFor(198_000);

/** The user and the assistant in turn. */
const talk = (count: number, text: (i: number) => string, from = 0): HistoryMessage[] =>
  Array.from({ length: count }, (_, i) => {
    const n = from + i;
    return i % 2 === 0
      ? saidOf(n, text(n))
      : saidOf(n, text(n), { id: `t-${String((n + 1) / 2).padStart(6, "0")}.reply`, role: "assistant" });
  });
const shownOf = (history: HistoryMessage[], budgets = SMALL) => talkWithin(history, [], budgets).shown;
const idsOf = (shown: readonly { message: HistoryMessage }[]) => shown.map(({ message }) => message.id);

describe("the conversation that is shown", () => {
  test("is whole while it fits, in any window", () => {
    const history = talk(10, (i) => `message ${i}. ${"word ".repeat(200)}`);
    for (const budgets of [SMALL, LARGE]) {
      const shown = shownOf(history, budgets);
      expect(idsOf(shown)).toEqual(history.map(({ id }) => id));
      expect(shown.every(({ isWhole }) => isWhole)).toBe(true);
    }
  });

  test("has twenty messages and a few more in a small window, and as many as fit in a large one", () => {
    const history = talk(300, (i) => `message ${i}`);
    const small = idsOf(shownOf(history));
    expect(small.length).toBeGreaterThanOrEqual(20);
    expect(small.length).toBeLessThan(25);
    expect(small).toEqual(idsOf([...history.slice(-small.length)].map((message) => ({ message }))));
    expect(shownOf(history, LARGE)).toHaveLength(300);
  });

  test("keeps to its tokens in any script, and what was said before it is left to the summary", () => {
    for (const script of ["字", "x", "한", "{\n", "word "])
      for (const budgets of [SMALL, LARGE]) {
        const history = talk(200, () => script.repeat(700).trim());
        const { shown, left } = talkWithin(history, [], budgets);
        expect(estimateTokens(shown.map(({ text }) => text).join("\n"))).toBeLessThanOrEqual(budgets.history);
        expect(shown.length).toBeGreaterThanOrEqual(HISTORY_MESSAGES_MIN - 2);
        expect([...left.map(({ id }) => id), ...idsOf(shown)]).toEqual(history.map(({ id }) => id));
      }
  });

  test("shows the newest exchange whole, both sides, up to a quarter of the window", () => {
    const recipe = Array.from({ length: 40 }, (_, i) => `${i}. stir ${"well ".repeat(10)}`).join("\n\n");
    const history = [...talk(40, (i) => `old ${i} ${"and so on ".repeat(60)}`), ...talk(2, () => recipe, 40)];
    expect(estimateTokens(recipe)).toBeLessThan(SMALL.message);
    const [asked, answered] = shownOf(history).slice(-2);
    expect([asked?.text, answered?.text]).toEqual([recipe, recipe]);
    const longer = recipe.repeat(4);
    const [cut] = shownOf([...history, saidOf(99, longer)]).slice(-1);
    expect(estimateTokens(cut?.text ?? "")).toBeLessThanOrEqual(SMALL.message * 1.1);
    expect(shownOf([...history, saidOf(99, longer)], LARGE).at(-1)?.text).toBe(longer);
  });

  test("shortens old messages before they leave, at a border, and never to save less than 200 characters", () => {
    const text = Array.from({ length: 12 }, (_, i) => `Paragraph ${i}. ${"It rains. ".repeat(8)}`.trim()).join("\n\n");
    const shown = shownOf(talk(20, () => text));
    const [oldest] = shown;
    expect(oldest?.isWhole).toBe(false);
    expect(oldest?.text).toMatch(/^Paragraph 0\..*\n\n\[… \d+ characters left out …\]\n\nParagraph \d+\./s);
    expect(oldest?.text.length).toBeLessThanOrEqual(MESSAGE_CHARS);
    expect(shown.at(-1)?.isWhole).toBe(true);
    fc.assert(
      fc.property(fc.string({ minLength: 0, maxLength: 3_000 }), fc.integer({ min: 0, max: 2_000 }), (any, max) => {
        const saved = any.length - shortenAtBorders(any, max).length;
        expect(saved === 0 || saved >= SAVED_CHARS_MIN - 1).toBe(true);
      }),
    );
  });

  test("only grows at its end for many turns, and loses old messages in blocks", () => {
    for (const budgets of [SMALL, LARGE]) {
      const history = talk(300, (i) => `message ${i}. ${"word ".repeat(60)}`);
      let breaks = 0;
      let before: string[] = [];
      for (let n = 2; n <= history.length; n += 2) {
        const now = shownOf(history.slice(0, n), budgets).map(({ message, text }) => `${message.id} ${text}`);
        if (!before.every((each, i) => now[i] === each)) breaks++;
        before = now;
      }
      // 150 turns.
      expect(breaks).toBeLessThan(budgets === SMALL ? 62 : 5);
    }
  });

  test("does not change all the time when the view loses its oldest messages one by one", () => {
    const history = talk(1_200, (i) => `message ${i}. ${"word ".repeat(30)}`);
    let breaks = 0;
    let before: string[] = [];
    for (let n = 800; n <= history.length; n += 8) {
      const now = idsOf(shownOf(history.slice(n - 800, n), LARGE));
      if (!before.every((id, i) => now[i] === id)) breaks++;
      before = now;
    }
    // 50 steps of four turns.
    expect(breaks).toBeLessThan(10);
  });

  test("says nothing twice, and nothing that stands elsewhere in the prompt", () => {
    const [a, b, c] = [0, 1, 2].map((i) => saidOf(i, `message ${i}`)) as [
      HistoryMessage,
      HistoryMessage,
      HistoryMessage,
    ];
    const sameMoment = { ...b, id: "h-other" };
    expect(idsOf(talkWithin([a, b, sameMoment, c, c], [a], SMALL).shown)).toEqual(["h-other", "h-2"]);
    expect(idsOf(talkWithin([a, b], [{ ...b, id: "m-1" }], SMALL).shown)).toEqual([a.id]);
  });

  test("has no notice of the code and no filler in it, and a question has its options", () => {
    const reply = (n: number, text: string, part: Partial<HistoryMessage>) =>
      saidOf(n, text, { id: `t-00000${n}.reply`, role: "assistant", ...part });
    const history = [
      saidOf(1, "how is the weather?"),
      reply(2, "I'm on it.", { answers: ["h-1"], taskIds: ["t-000002.0"] }),
      reply(3, "Sorry, I could not finish this reply", { spoken: 0 }),
      saidOf(4, "I cannot answer at the moment", { role: "system", problem: { cause: "down", provider: "openai" } }),
      reply(5, "It will rain.\n\nStopped.", { spoken: 13, stopped: true }),
      saidOf(6, "Which day?", { id: "t-000006.0", role: "assistant", options: ["Monday", "Tuesday"] }),
    ];
    expect(shownOf(history).map(({ text }) => text)).toEqual([
      "how is the weather?",
      "It will rain.",
      "Which day?\n\n1. Monday\n2. Tuesday",
    ]);
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
