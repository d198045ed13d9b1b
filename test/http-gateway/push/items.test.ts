import type { ChatMessage, QuestionView, TaskSummary } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { itemsOf, nextItem, PUSH_AGE_MS_MAX, PUSH_ITEMS_MAX } from "../../../apps/http-gateway/src/push/items.ts";

const NOW_MS = Date.parse("2026-11-25T12:00:00.000Z");
const at = (secondsAgo: number) => new Date(NOW_MS - secondsAgo * 1_000).toISOString();

const reply = (turn: number, more: Partial<ChatMessage> = {}): ChatMessage => ({
  id: `t-00000${turn}.reply`,
  role: "assistant",
  text: `reply ${turn}`,
  at: at(100 - turn),
  answers: [],
  taskIds: [],
  ...more,
});

const task = (id: string, state: TaskSummary["state"] = "done"): TaskSummary => ({
  id,
  role: "worker",
  type: "text",
  title: `title of ${id}`,
  prompt: "",
  state,
  priority: 0,
  attempts: 1,
  createdAt: at(200),
});

const question = (id: string, more: Partial<QuestionView> = {}): QuestionView => ({
  id,
  at: at(50),
  expiresAt: at(-3_600),
  question: "Which?",
  options: ["a", "b"],
  isChoice: false,
  ...more,
});

const idsOf = (look: Partial<Parameters<typeof itemsOf>[0]>, nowMs = NOW_MS) =>
  itemsOf({ messages: [], tasks: [], questions: [], ...look }, nowMs).map(({ id }) => id);

test("a reply to what was said is no news, also where it began work; one that tells of work, or answers nothing, is", () => {
  const messages = [
    reply(1, { answers: ["m-1"] }),
    reply(2, { answers: ["m-2"], taskIds: ["t-000002.0"] }),
    reply(3, { answers: ["m-3"], taskIds: ["t-000002.0"] }),
    reply(4, { taskIds: ["t-000002.1", "trg-1--20261125t090000z"] }),
    reply(5),
  ];
  const tasks = [task("t-000002.0"), task("t-000002.1", "failed")];
  expect(idsOf({ messages, tasks })).toEqual(["t-000003.reply", "t-000004.reply", "t-000005.reply"]);
  const [, report] = itemsOf({ messages, tasks, questions: [] }, NOW_MS);
  expect(report).toMatchObject({ kind: "report", tasks: [{ id: "t-000002.1", state: "failed" }] });
});

test("a turn that calls for attention itself does it once, in its own words", () => {
  const notify: ChatMessage = {
    id: "t-000001.1",
    role: "system",
    text: "Leave now",
    at: at(60),
    notification: { title: "Train" },
  };
  const messages = [notify, reply(1), reply(2)];
  expect(itemsOf({ messages, tasks: [], questions: [] }, NOW_MS)).toEqual([
    { id: "t-000002.reply", at: at(98), text: "reply 2", kind: "report", tasks: [] },
    { id: "t-000001.1", at: at(60), text: "Leave now", kind: "notification", title: "Train" },
  ]);
});

test("what is on its way, what the user stopped, questions as messages, and what is older than a day are no news", () => {
  const ageSec = PUSH_AGE_MS_MAX / 1_000;
  const messages = [
    reply(1, { pending: true }),
    reply(2, { stopped: true }),
    { ...reply(3), id: "t-000003.0", answers: undefined },
    reply(4, { at: at(ageSec) }),
    reply(5, { at: at(ageSec - 1) }),
  ];
  expect(idsOf({ messages })).toEqual(["t-000005.reply"]);
});

test("an open question is news until its time is over; the oldest comes first", () => {
  const questions = [question("q-2", { at: at(10) }), question("q-1"), question("q-0", { expiresAt: at(0) })];
  expect(idsOf({ questions })).toEqual(["q-1", "q-2"]);
  expect(idsOf({ questions }, NOW_MS + 3_600_000)).toEqual([]);
});

test("of more than can be read only the newest are news, and what was sent is none", () => {
  const messages = Array.from({ length: PUSH_ITEMS_MAX + 5 }, (_, n) =>
    reply(1, { id: `t-${String(n + 1).padStart(6, "0")}.reply`, at: at(1_000 - n) }),
  );
  const items = itemsOf({ messages, tasks: [], questions: [] }, NOW_MS);
  expect(items.map(({ id }) => id)).toEqual(messages.slice(5).map(({ id }) => id));
  const sent = items.slice(0, -1).map(({ id }) => id);
  expect(nextItem(items, sent)).toBe(items.at(-1));
  expect(nextItem(items, [...sent, items.at(-1)?.id ?? ""])).toBeUndefined();
});
