import type { ChatMessage, TaskSummary } from "@mimikit/protocol/api";
import { expect, test } from "vitest";
import { outcomeOf } from "../../apps/cli/src/outcome.ts";

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

test("before there is a reply everything is still to come, whatever else is said", () => {
  expect(outcomeOf("m-1", [asked, said("t-000001", ["m-0"], [])], [])).toEqual({
    replies: [],
    tasks: [],
    state: "waiting",
  });
});

test("a reply that started nothing is the whole answer", () => {
  const reply = said("t-000002", ["m-1"], []);
  expect(outcomeOf("m-1", [asked, reply], [task("t-000001.0", "running")])).toEqual({
    replies: [reply],
    tasks: [],
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
