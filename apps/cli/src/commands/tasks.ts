/** Lists, shows and cancels tasks. Reads and writes the state directory itself, so it works with everything down. */

import { Role } from "@mimikit/protocol/base/role";
import { type TaskDetail, TaskState, type TaskSummary } from "@mimikit/protocol/wire/api";
import { actions, command } from "../arguments/command.ts";
import { withState } from "../instance/state.ts";
import { cancellableId, listTasks, readTask } from "../instance/task-list.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";

const LIST_DEFAULT = 20;
const LIST_MAX = 500;

export const tasks = command({
  usage: "tasks [action] [id]",
  summary: "list tasks, show one, cancel one",
  examples: [
    ["mimikit tasks", "the newest tasks"],
    ["mimikit tasks list --state running --role worker", "what the workers do now"],
    ["mimikit tasks show t-000042.1", "everything about one task"],
    ["mimikit tasks cancel t-000042.1", "cancel it and everything below it"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "show", "cancel"))
      .positional("id", { type: "string", describe: "the task, for show and cancel" })
      .option("state", { choices: TaskState.options, describe: "list: only tasks in this state" })
      .option("role", { choices: Role.options, describe: "list: only tasks of this role" })
      .option("limit", { type: "number", default: LIST_DEFAULT, describe: `list: how many, at most ${LIST_MAX}` }),
  async run({ json, action, id, state, role, limit }) {
    if (action !== "list" && id === undefined)
      throw new Failure("usage", `say which task: mimikit tasks ${action} <id>`);
    if (action === "cancel") await cancel(id ?? "", json);
    else if (action === "show") {
      const task = await withState((state) => readTask(state, id ?? ""));
      if (json) printJson(task);
      else show(task);
    } else {
      if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
        throw new Failure("usage", `--limit is a whole number from 1 to ${LIST_MAX}`);
      const all = await withState(listTasks);
      const fitting = all.filter(
        (task) => (state === undefined || task.state === state) && (role === undefined || task.role === role),
      );
      if (json) printJson({ tasks: fitting.slice(0, limit) });
      else list(fitting.slice(0, limit));
    }
  },
});

async function cancel(given: string, json: boolean): Promise<void> {
  const { home, taskId } = await withState(async (state) => ({
    home: state.home,
    taskId: cancellableId(given, await listTasks(state)),
  }));
  const { id, outcome } = await ask(home, { kind: "cancel", taskId });
  if (outcome !== null && outcome !== "cancelled") throw new Failure("failed", `${taskId}: ${outcome}`);
  if (json) printJson({ id, taskId, outcome });
  else printLine(outcome === null ? `${taskId} (kept; it is cancelled when Mimikit runs)` : `${taskId} is cancelled`);
}

function list(found: readonly TaskSummary[]): void {
  const rows = found.map(({ id, role, state, createdAt, failureReason, title }) => [
    id,
    role,
    failureReason === undefined ? state : `${state} (${failureReason})`,
    new Date(createdAt).toLocaleTimeString(),
    title,
  ]);
  printTable(["id", "role", "state", "created", "title"], rows, "there are no tasks");
}

function show(task: TaskDetail): void {
  printLine(styled("bold", `${task.id}  ${plainLine(task.title)}`));
  const after = task.after === undefined ? "" : `, after ${task.after.join(", ")}`;
  printLine(`${task.role}, ${task.state}, attempts ${task.attempts}, priority ${task.priority}${after}`);
  for (const { at, event } of task.timeline) printLine(`  ${new Date(at).toLocaleString()}  ${plainLine(event)}`);
  if (task.prompt !== "") section("prompt", task.prompt);
  if (task.error !== undefined)
    section(`error${task.failureReason === undefined ? "" : ` (${task.failureReason})`}`, task.error);
  if (task.result !== null && task.result !== undefined) section("result", textOf(task.result));
}

function section(title: string, text: string): void {
  printLine();
  printLine(styled("bold", title));
  printLine(plainText(text));
}

/** A result of type `text` as it is, any other as JSON. */
function textOf(result: unknown): string {
  if (typeof result === "object" && result !== null && "text" in result && typeof result.text === "string")
    return result.text;
  return JSON.stringify(result, null, 2);
}
