/** An ended task is done once more, as a new one that follows from the command. */
import { againId, ancestorsOf } from "@mimikit/protocol/base/id";
import type { AgainCommand } from "@mimikit/protocol/records/inbox";
import { Task } from "@mimikit/protocol/records/task";
import { expect, test } from "vitest";
import { again } from "../../../packages/core/src/rules/again.ts";
import { done, NOON, NOON_MS, snapshot, task } from "../facts.ts";

const command = (taskId: string, id = "again-00ff", text?: string): AgainCommand => ({
  ...{ kind: "again", id, at: NOON, taskId, mac: "seal" },
  ...(text !== undefined && { text }),
});
const first = done(task("t-000001.0.1", { prompt: "count", priority: 7, parentId: "t-000001.0", triggerId: "trg-1" }));
const took = (inbox: AgainCommand[], more: Parameters<typeof snapshot>[0] = {}) =>
  again(snapshot({ inbox, ended: { [first.id]: first }, ...more }), NOON_MS);

test("it is the same order, from the user and below nothing, and says of which task it is another try", () => {
  const [action] = took([command(first.id)]);
  if (action?.type !== "again") throw new Error(`it is ${JSON.stringify(action)}`);
  const { parentId, triggerId, ...made } = Task.parse(action.task);
  expect(made).toMatchObject({ prompt: "count", priority: 7, kind: "work", consumer: "teller", againOf: first.id });
  expect([parentId, triggerId, ancestorsOf(made.id)]).toEqual([undefined, undefined, []]);
});

test("one command makes one task, whoever decides it how often; another command makes another", () => {
  const ids = (commands: AgainCommand[]) => took(commands).map((action) => action.type === "again" && action.task.id);
  expect(ids([command(first.id)])).toEqual(ids([command(first.id)]));
  expect(new Set(ids([command(first.id), command(first.id, "again-00fe")])).size).toBe(2);
  expect(took([command(first.id)], { archive: ["again-00ff"] })).toEqual([]);
});

test("it can be asked in other words, and tried again itself under an id that does not grow", () => {
  const [action] = took([command(first.id, "again-00ff", "count twice")]);
  expect(action).toMatchObject({ task: { prompt: "count twice", title: "count twice" } });
  expect(againId(againId("t-000001.0.1", "again-00ff"), "again-00fe")).toBe("t-000001-0-1--again-00fe");
});

test("what has not ended, and what nobody ordered, is refused", () => {
  const step = done(task("eval-000001", { kind: "evaluation", evaluation: [item], consumer: "supervisor" }));
  const refusal = (asked: AgainCommand, ended = {}) => again(snapshot({ inbox: [asked], ended }), NOON_MS);
  const refused = (outcome: RegExp) => [{ type: "answer-command", outcome: expect.stringMatching(outcome) }];
  expect(refusal(command("t-000009.0"))).toMatchObject(refused(/^refused: no task of this id has ended$/));
  expect(refusal(command(step.id), { [step.id]: step })).toMatchObject(
    refused(/^refused: only a task that was requested/),
  );
});

const item = { id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Does it rain?" };
