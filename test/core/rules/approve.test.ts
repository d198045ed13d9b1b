/** A call that needs a yes: asked once, decided once, and the task runs again with the answer, whatever that is (SPEC I10). */
import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { candidateOf } from "@mimikit/core/tasks/dispatch";
import type { ApprovalVerdict, AskedCall } from "@mimikit/protocol/approvals/approval";
import { cancelMark } from "@mimikit/protocol/base/id";
import { type ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import { expect, test } from "vitest";
import { NOON, NOON_MS, snapshot, task } from "../facts.ts";

const ASKS: AskedCall = {
  tool: "bash",
  digest: "a".repeat(64),
  shown: "npm install x",
  cwd: "/w",
  reaches: ["network"],
  prefix: ["npm", "install"],
};
const WORK = task("t-000001.0", { title: "Install it" });
const ID = "t-000001.0.a1.approve";
const PERMIT = "t-000001.0.a1.approved";

const attempt = (more: Partial<AskedCall> = {}, number = 1): AttemptFacts => ({
  role: "worker",
  attempt: number,
  ownerAlive: true,
  failed: {
    id: WORK.id,
    attempt: number,
    failureReason: "needs_approval",
    error: "waits",
    at: NOON,
    retryAt: NOON,
    asks: { ...ASKS, ...more },
  },
});
const waiting = { queue: [WORK], attempts: { [WORK.id]: [attempt()] } };

function asked(facts: Parameters<typeof snapshot>[0] = waiting): Question {
  const [action] = decide(snapshot(facts), NOON_MS);
  if (action?.type !== "ask") throw new Error("nothing is asked");
  return action.question;
}
const closed = (answer: string | null, outcome: ClosedQuestion["outcome"] = "answered"): ClosedQuestion => ({
  kind: "question",
  id: ID,
  at: NOON,
  question: asked(),
  outcome,
  answer,
});

test("it is asked once, for a day, with all that the call does; the last option is taken where nobody answers", () => {
  expect(asked()).toMatchObject({
    id: ID,
    expiresAt: "2026-11-23T12:00:00.000Z",
    options: ["yes, once", "yes, for this task", "always npm install", "no"],
    default: "no",
    purpose: { type: "approve", taskId: WORK.id, attempt: 1 },
  });
  expect(asked().question).toBe(
    '"Install it" wants to use bash, with the network:\n\n```\nnpm install x\n```\n\nin /w. Allow it?',
  );
  expect(decide(snapshot({ ...waiting, questions: [asked()] }), NOON_MS)).toEqual([]);
});

test("a call whose text holds a fence cannot end the block that shows it", () => {
  const attempts = { [WORK.id]: [attempt({ shown: "echo '```'\n```\nAllow: nothing" })] };
  expect(asked({ ...waiting, attempts }).question).toContain("\n\n````\necho '```'\n```\nAllow: nothing\n````\n\n");
});

test.each([
  [
    "a title",
    { title: "Ls\n\n```\nls\n```\n\nin /w. Allow it?" },
    {},
    "````Ls⟨2 line breaks⟩```⟨line break⟩ls⟨line break⟩",
  ],
  [
    "a title in Markdown",
    { title: "[Fix](https://evil.example) **it**" },
    {},
    "`[Fix](https://evil.example) **it**` wants to use",
  ],
  ["a title that turns around", { title: "Fix\u202E it" }, {}, '"Fix⟨U+202E⟩ it" wants to use'],
  [
    "a tool",
    {},
    { tool: "bash to list:\n\n```\nls\n```" },
    "wants to use ```` bash to list:⟨2 line breaks⟩```⟨line break⟩ls",
  ],
  ["a directory", {}, { cwd: "/w\n\n**fine**. Allow it?" }, "in `/w⟨2 line breaks⟩**fine**. Allow it?`. Allow it?"],
  ["a long directory", {}, { cwd: `/${"d".repeat(5_000)}` }, "ddd…⟨4501 more characters⟩. Allow it?"],
])("%s cannot pass for a part of the question", (_what, work, asks, expected) => {
  const facts = { ...waiting, queue: [{ ...WORK, ...work }], attempts: { [WORK.id]: [attempt(asks)] } };
  const { question } = asked(facts);
  expect(question).toContain(expected);
  // The one block of code is that of the call.
  expect(question.split("\n").filter((line) => /^`{3,}$/.test(line))).toHaveLength(2);
  expect(question.split("\n").indexOf("npm install x")).toBe(3);
});

test("a word that mixes scripts is named, and letters from right to left are announced", () => {
  const shown = "curl https://\u0430pple.com; rm \u05D0";
  const { question } = asked({ ...waiting, attempts: { [WORK.id]: [attempt({ shown })] } });
  expect(question).toContain("Note: \u0430pple.com mixes letters of several scripts: ⟨U+0430⟩pple.com. ");
  expect(question).toContain("written from right to left");
  const work = task(WORK.id, { title: "安装依赖" });
  const chinese = asked({ ...waiting, queue: [work], attempts: { [WORK.id]: [attempt({ shown })] } });
  expect(chinese.question).toContain("实际是 ⟨U+0430⟩pple.com。");
});

test("the longest call with the longest names is a question all the same", () => {
  const shown = `${"\u0430a.".repeat(600)}`;
  const work = { ...WORK, title: "*\u202E".repeat(100) };
  const attempts = { [WORK.id]: [attempt({ shown, cwd: "\u202E".repeat(4_000), tool: "\u202E".repeat(200) })] };
  expect(Question.safeParse(asked({ ...waiting, queue: [work], attempts })).error).toBeUndefined();
});

test("it is asked in Chinese where the title is", () => {
  const work = task(WORK.id, { title: "安装依赖" });
  expect(asked({ ...waiting, queue: [work] }).options).toEqual([
    "允许一次",
    "本任务内允许",
    "始终允许 npm install",
    "不允许",
  ]);
});

test.each<[string | null, ClosedQuestion["outcome"], ApprovalVerdict]>([
  ["yes, once", "answered", "once"],
  ["yes, for this task", "answered", "task"],
  ["no", "answered", "no"],
  ["no", "expired", "expired"],
  [null, "cancelled", "no"],
])("%j, %s: the permit says %s, and nothing is allowed for good", (answer, outcome, verdict) => {
  const facts = { ...waiting, closed: { [ID]: closed(answer, outcome) }, archive: [ID] };
  expect(decide(snapshot(facts), NOON_MS)).toEqual([
    { type: "permit", permit: { kind: "permit", id: PERMIT, at: NOON, taskId: WORK.id, attempt: 1, verdict } },
  ]);
});

test("always is a record of its own, of the words and the reasons that were asked", () => {
  const facts = { ...waiting, closed: { [ID]: closed("always npm install") }, archive: [ID] };
  expect(decide(snapshot(facts), NOON_MS)).toMatchObject([
    {
      type: "permit",
      permit: { verdict: "always" },
      approval: { id: ID, prefix: ["npm", "install"], reaches: ["network"] },
    },
  ]);
});

test("what is allowed for good is taken back behind its permit: before that, a permit that was cut off would make it again", () => {
  const command = { kind: "revoke", id: "revoke-00000001", at: NOON, approvalId: ID, mac: "sealed" } as const;
  const facts = { ...waiting, closed: { [ID]: closed("always npm install") }, inbox: [command] };
  const actions = (...archive: string[]) => decide(snapshot({ ...facts, archive }), NOON_MS).map(({ type }) => type);
  expect(actions(ID)).toEqual(["permit"]);
  expect(actions(ID, PERMIT)).toEqual(["revoke"]);
});

test("an answer that cannot be read any more is a no", () => {
  const actions = decide(snapshot({ ...waiting, archive: [ID] }), NOON_MS);
  expect(actions).toMatchObject([{ type: "permit", permit: { verdict: "no" } }]);
});

test("nothing is asked or permitted twice, nor for a task that is cancelled", () => {
  expect(decide(snapshot({ ...waiting, archive: [ID, PERMIT] }), NOON_MS)).toEqual([]);
  const actions = decide(snapshot({ ...waiting, archive: [cancelMark(WORK.id)] }), NOON_MS);
  expect(actions.filter(({ type }) => type === "ask" || type === "permit")).toEqual([]);
});

test("the pool leaves it alone until there is a permit; having asked is no failure, however often", () => {
  const known = (permits: string[], attempts: AttemptFacts[]) =>
    candidateOf(
      WORK,
      { attempts: new Map([[WORK.id, attempts]]), hasOutcome: () => false, permits: new Set(permits) },
      NOON_MS,
    );
  expect(known([], [attempt()])).toBeNull();
  expect(known([PERMIT], [attempt()])).toMatchObject({ attempt: 2, earlier: [], interrupted: false });
  const often = [1, 2, 3, 4].map((number) => attempt({}, number));
  expect(known(["t-000001.0.a4.approved"], often)).toMatchObject({ attempt: 5, earlier: [] });
});
