/** Which triggers are named as a problem, because models give no usable answer. */
import { unansweredTriggers } from "@mimikit/core/triggers/unanswered";
import { NO_EVIDENCE } from "@mimikit/protocol/records/trigger";
import { expect, test } from "vitest";
import { conditional, NOON, recurring } from "../facts.ts";

const inVain = (...counts: number[]) => ({
  evidence: {
    ...NO_EVIDENCE,
    unanswered: Object.fromEntries(counts.map((count, leaf) => [leaf, { number: 9, count, since: NOON, at: NOON }])),
  },
});

test("a question that was asked in vain twice in a row is a problem of its trigger, as long as that is awake", () => {
  const triggers = [
    recurring("clock"),
    conditional("answered"),
    conditional("once", inVain(1)),
    conditional("often", inVain(1, 3, 2)),
    conditional("paused", { ...inVain(5), paused: true }),
    conditional("over", { ...inVain(5), over: "deleted" }),
  ];
  expect(unansweredTriggers(triggers)).toEqual([{ id: "often", title: "title of often", count: 3, at: NOON }]);
});
