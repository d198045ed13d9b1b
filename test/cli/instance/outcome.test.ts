import type { ChatMessage, QuestionView, TaskSummary } from "@mimikit/protocol/wire/api";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../../../apps/cli/src/instance/outcome.ts";

const at = "2026-11-22T00:00:00.000Z";
const asked: ChatMessage = { id: "m-1", role: "user", text: "do it", at };
const said = (id: string, answers: string[], taskIds: string[]): ChatMessage => ({
  id: `${id}.reply`,
  role: "assistant",
  text: id,
  at,
  answers,
  taskIds,
});
const task = (id: string, state: TaskSummary["state"], role: TaskSummary["role"] = "worker"): TaskSummary => ({
  id,
  role,
  type: "oneshot",
  title: id,
  prompt: "",
  state,
  priority: 5,
  attempts: 1,
  createdAt: at,
});

const question = (id: string, taskId?: string): QuestionView => ({
  id,
  at,
  expiresAt: "2026-11-22T01:00:00.000Z",
  question: "Go on?",
  options: ["go on", "stop"],
  isChoice: true,
  ...(taskId !== undefined && { taskId }),
});

test("before there is a reply everything is still to come, whatever else is said", () => {
  expect(outcomeOf("m-1", [asked, said("t-000001", ["m-0"], [])], [])).toEqual({
    replies: [],
    tasks: [],
    questions: [],
    state: "waiting",
  });
});

test("a reply that started nothing is the whole answer", () => {
  const reply = said("t-000002", ["m-1"], []);
  expect(outcomeOf("m-1", [asked, reply], [task("t-000001.0", "running")])).toEqual({
    replies: [reply],
    tasks: [],
    questions: [],
    state: "complete",
  });
});

test("a reply that started work is not, while anything of it is open, or not yet listed", () => {
  const interim = said("t-000002", ["m-1"], ["t-000002.0"]);
  expect(outcomeOf("m-1", [asked, interim], []).state).toBe("settled");
  for (const state of ["queued", "running", "waiting"] as const) {
    const tasks = [task("t-000002.0.1", state), task("t-000002.0", "done", "planner")];
    expect(outcomeOf("m-1", [asked, interim], tasks).state).toBe("working");
  }
});

test("when all has ended the report is still to come, and completes the answer", () => {
  const interim = said("t-000002", ["m-1"], ["t-000002.0"]);
  const tasks = [task("t-000002.0.1", "failed"), task("t-000002.0.0", "done"), task("t-000002.0", "done", "planner")];
  expect(outcomeOf("m-1", [asked, interim], tasks).state).toBe("settled");
  const partly = said("t-000003", [], ["t-000002.0.1"]);
  expect(outcomeOf("m-1", [asked, interim, partly], tasks).state).toBe("settled");
  const rest = said("t-000004", ["m-7"], ["t-000002.0.0"]);
  const outcome = outcomeOf("m-1", [asked, interim, partly, rest], tasks);
  expect(outcome.state).toBe("complete");
  expect(outcome.replies).toEqual([interim, partly, rest]);
  expect(outcome.tasks.map(({ id }) => id)).toEqual(["t-000002.0", "t-000002.0.0", "t-000002.0.1"]);
});

test("an answer that only a question holds up asks, once what failed was reported", () => {
  const interim = said("t-000002", ["m-1"], ["t-000002.0"]);
  const goOn = question("t-000002.0.1.go-on", "t-000002.0.1");
  const chain = [task("t-000002.0.2", "waiting"), task("t-000002.0.1", "failed"), task("t-000002.0.0", "done")];
  expect(outcomeOf("m-1", [asked, interim], chain, [goOn]).state).toBe("settled");
  const report = said("t-000003", [], ["t-000002.0.1"]);
  expect(outcomeOf("m-1", [asked, interim, report], chain, [goOn])).toMatchObject({
    state: "asking",
    questions: [goOn],
  });
  const beside = [...chain, task("t-000002.0.3", "running")];
  expect(outcomeOf("m-1", [asked, interim, report], beside, [goOn]).state).toBe("working");
  expect(outcomeOf("m-1", [asked, interim, report], chain, []).state).toBe("working");
});

test("a task that may not run again unasked is held up by its question, in whatever state it is listed", () => {
  const interim = said("t-000002", ["m-1"], ["t-000002.0"]);
  for (const state of ["queued", "running"] as const) {
    const again = question("t-000002.0.a1.run-again", "t-000002.0");
    expect(outcomeOf("m-1", [asked, interim], [task("t-000002.0", state)], [again]).state).toBe("asking");
    expect(outcomeOf("m-1", [asked, interim], [task("t-000002.0", state)], [question("t-000009.1")])).toMatchObject({
      state: "working",
      questions: [],
    });
  }
});

test("a plan that failed is reported under its own name", () => {
  const interim = said("t-000002", ["m-1"], ["t-000002.0"]);
  const tasks = [task("t-000002.0", "failed", "planner")];
  expect(outcomeOf("m-1", [asked, interim], tasks).state).toBe("settled");
  expect(outcomeOf("m-1", [asked, interim, said("t-000003", [], ["t-000002.0"])], tasks).state).toBe("complete");
});

test("what was cancelled needs no report", () => {
  const interim = said("t-000002", ["m-1"], ["t-000002.0"]);
  expect(outcomeOf("m-1", [asked, interim], [task("t-000002.0", "cancelled", "planner")]).state).toBe("complete");
});

test("turns with similar numbers are not confused", () => {
  const reply = said("t-000002", ["m-1"], ["t-000002.1"]);
  const others = [task("t-0000021.0", "running"), said("t-000020", [], ["t-000020.0"])] as const;
  const outcome = outcomeOf("m-1", [asked, reply, others[1]], [others[0], task("t-000002.1", "cancelled")]);
  expect(outcome).toMatchObject({ state: "complete", replies: [reply] });
});

describe("what was said meanwhile", () => {
  const said: ChatMessage = { id: "s-1", role: "user", text: "only ten", at, meanwhile: true };
  const reply = (id: string, answers: string[] = []): ChatMessage => ({
    id,
    role: "assistant",
    text: "ok",
    at,
    answers,
  });

  test("to a turn is answered by that turn", () => {
    const messages = [asked, said, reply("t-000001.reply", ["m-1", "s-1"])];
    expect(outcomeOf("s-1", messages, [])).toMatchObject({ state: "complete", replies: [{ id: "t-000001.reply" }] });
  });

  test("to a task is answered by the turn that reports it, once it stands in the history", () => {
    const before = reply("t-000001.reply", ["m-1"]);
    expect(outcomeOf("s-1", [asked, before, { ...said, pending: true }], []).state).toBe("waiting");
    const messages = [asked, before, said, reply("t-000002.reply")];
    expect(outcomeOf("s-1", messages, [])).toMatchObject({ state: "complete", replies: [{ id: "t-000002.reply" }] });
  });

  test("and heard by nobody is answered as the message that it became", () => {
    const message: ChatMessage = { id: "m-s-1", role: "user", text: "only ten", at, replaces: "s-1" };
    expect(outcomeOf("s-1", [asked, message], []).state).toBe("waiting");
    const messages = [asked, message, reply("t-000002.reply", ["m-s-1"])];
    expect(outcomeOf("s-1", messages, [])).toMatchObject({ state: "complete", replies: [{ id: "t-000002.reply" }] });
  });
});
