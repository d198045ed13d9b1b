/** Work of a machine that is silent for long: the owner is asked once, and it ends only if the owner says so (docs/pools.md). */
import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { cancelMark } from "@mimikit/protocol/base/id";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import { expect, test } from "vitest";
import { NOON, NOON_MS, snapshot, task } from "../facts.ts";

const WORK = task("t-000001.0", { title: "Train it", pool: "gpu-box" });
const ID = "t-000001.0.a1.give-up";
const away: AttemptFacts = { role: "worker", attempt: 1, ownerAlive: true, pool: "gpu-box" };
const facts = { queue: [WORK], attempts: { [WORK.id]: [away] }, settledTurn: 1 };
const silent = { ...facts, silentAway: [WORK.id] };
const now = (given: Parameters<typeof snapshot>[0]) => decide(snapshot(given), NOON_MS);

function asked(): Question {
  const [action] = now(silent);
  if (action?.type !== "ask") throw new Error("nothing is asked");
  return action.question;
}
const closed = (outcome: ClosedQuestion["outcome"], answer: string | null): ClosedQuestion => ({
  kind: "question",
  id: ID,
  at: NOON,
  question: asked(),
  outcome,
  answer,
});
const answered = (record: ClosedQuestion) => ({ questions: [asked()], closed: { [ID]: record }, archive: [ID] });

test("it is asked once, for a day, and goes on where nobody answers", () => {
  expect(asked()).toMatchObject({
    id: ID,
    options: ["yes", "no"],
    default: "no",
    expiresAt: "2026-11-23T12:00:00.000Z",
    purpose: { type: "give_up", taskId: WORK.id, attempt: 1, pool: "gpu-box" },
  });
  expect(now({ ...silent, questions: [asked()] })).toEqual([]);
  expect(now({ ...silent, archive: [ID] })).toEqual([]);
});

test.each([
  ["the machine is heard of", facts],
  ["another task waits for a silent machine", { ...facts, silentAway: ["t-000009.0"] }],
  [
    "the attempt runs here",
    { ...silent, attempts: { [WORK.id]: [{ role: "worker", attempt: 1, ownerAlive: true } as const] } },
  ],
])("nothing is asked where %s", (_why, given) => {
  expect(now(given)).toEqual([]);
});

test("a yes ends the task, and the answer is kept until it has", () => {
  const agreed = { ...silent, ...answered(closed("answered", "yes")) };
  const finish = {
    type: "finish",
    result: { id: WORK.id, status: "failed", failureReason: "interrupted", attempts: 1 },
  };
  expect(now(agreed)).toMatchObject([finish]);
  // Also where the machine has come back in the same moment.
  expect(now({ ...agreed, silentAway: [] })).toMatchObject([finish]);
});

test.each([
  ["no", closed("answered", "no")],
  ["nothing in time", closed("expired", "no")],
])("%s leaves the task to its machine", (_why, record) => {
  expect(now({ ...silent, ...answered(record) })).toMatchObject([{ type: "conclude-question", id: ID }]);
});

test.each([
  ["the machine is heard of again", facts],
  [
    "the attempt is over",
    {
      ...silent,
      attempts: {
        [WORK.id]: [
          {
            ...away,
            failed: {
              id: WORK.id,
              attempt: 1,
              failureReason: "interrupted",
              error: "",
              at: NOON,
              retryAt: NOON,
            } as const,
          },
        ],
      },
    },
  ],
])("the question closes by itself where %s", (_why, given) => {
  expect(now({ ...given, questions: [asked()] })).toMatchObject([
    { type: "close-question", closed: { outcome: "cancelled" } },
  ]);
});

test("the question closes with a cancelled task", () => {
  const actions = now({ ...silent, archive: [cancelMark(WORK.id)], questions: [asked()] });
  expect(actions).toContainEqual(
    expect.objectContaining({ type: "close-question", closed: expect.objectContaining({ outcome: "cancelled" }) }),
  );
});
