import { type AwayAttempt, answerTo, dueFor } from "@mimikit/core/pools/attempt-step";
import { describe, expect, test } from "vitest";

const LEASE_MS = 60_000;
const OURS = "a".repeat(16);
const OTHER = "b".repeat(16);
const waiting: AwayAttempt = { isOver: false, isOfThisEpoch: true, hasPool: true, permit: null, silentMs: 0 };
const begun: AwayAttempt = { ...waiting, permit: OURS };

describe("without a word from the machine", () => {
  test("an attempt that nobody was permitted to begin is offered, however long that takes", () => {
    expect(dueFor(waiting, LEASE_MS)).toBe("add");
    expect(dueFor({ ...waiting, silentMs: 100 * LEASE_MS }, LEASE_MS)).toBe("add");
  });

  test("one that may have begun is never offered again", () => {
    expect(dueFor(begun, LEASE_MS)).toBe("wait");
    expect(dueFor({ ...begun, silentMs: 2 * LEASE_MS }, LEASE_MS)).toBe("wait");
  });

  test("it is given up after two leases of silence, and not before", () => {
    expect(dueFor({ ...begun, silentMs: 2 * LEASE_MS + 1 }, LEASE_MS)).toBe("give-up");
  });

  test("one that has ended otherwise is taken back, whatever else is so", () => {
    for (const attempt of [waiting, begun])
      expect(dueFor({ ...attempt, isOver: true, isOfThisEpoch: false, hasPool: false }, LEASE_MS)).toBe("withdraw");
  });

  test("one of a former life of the home, or of a machine that it has let go, is cut off", () => {
    for (const attempt of [waiting, begun]) {
      expect(dueFor({ ...attempt, isOfThisEpoch: false }, LEASE_MS)).toBe("disown");
      expect(dueFor({ ...attempt, hasPool: false }, LEASE_MS)).toBe("disown");
    }
  });
});

describe("a machine that wants a file of the attempt", () => {
  const want = { kind: "want", nonce: OURS } as const;

  test("gets it before and after it is permitted to begin", () => {
    expect(answerTo(want, waiting)).toBe("lay");
    expect(answerTo(want, begun)).toBe("lay");
  });
  test("is stopped where another run was permitted, or the attempt is over", () => {
    expect(answerTo({ ...want, nonce: OTHER }, begun)).toBe("stop");
    expect(answerTo(want, { ...begun, isOver: true })).toBe("stop");
    expect(answerTo(want, { ...waiting, isOfThisEpoch: false })).toBe("stop");
  });
});

describe("a machine that asks to begin", () => {
  const ask = { kind: "ask", nonce: OURS } as const;

  test("is permitted to where nobody was", () => expect(answerTo(ask, waiting)).toBe("grant"));
  test("is told so again where it was", () => expect(answerTo(ask, begun)).toBe("confirm"));
  test("is refused where another run was", () => expect(answerTo({ ...ask, nonce: OTHER }, begun)).toBe("refuse"));
  test("is refused where the attempt is over, or is of a former life of the home", () => {
    for (const attempt of [waiting, begun]) {
      expect(answerTo(ask, { ...attempt, isOver: true })).toBe("refuse");
      expect(answerTo(ask, { ...attempt, isOfThisEpoch: false })).toBe("refuse");
    }
  });
});

describe("a machine that runs", () => {
  test("is believed where its run has the permit", () => {
    expect(answerTo({ kind: "runs", nonce: OURS }, begun)).toBe("note");
    expect(answerTo({ kind: "lines", nonce: OURS }, begun)).toBe("show");
    expect(answerTo({ kind: "ended", nonce: OURS }, begun)).toBe("take");
    expect(answerTo({ kind: "lost", nonce: OURS }, begun)).toBe("interrupted");
  });

  test.each([
    ["another run has the permit", { ...begun, permit: OTHER }],
    ["nobody has it", waiting],
    ["the attempt is over", { ...begun, isOver: true }],
    ["it is of a former life of the home", { ...begun, isOfThisEpoch: false }],
  ])("is told to stop, and nothing of it is taken, where %s", (_why, attempt) => {
    expect(answerTo({ kind: "runs", nonce: OURS }, attempt)).toBe("stop");
    expect(answerTo({ kind: "lines", nonce: OURS }, attempt)).toBe("stop");
    expect(answerTo({ kind: "ended", nonce: OURS }, attempt)).toBe("dismiss");
    expect(answerTo({ kind: "lost", nonce: OURS }, attempt)).toBe("dismiss");
  });
});
