/** Lists, shows and cancels tasks. Reads and writes the state directory itself, so it works with everything down. */

import { againId } from "@mimikit/protocol/base/id";
import { Role } from "@mimikit/protocol/base/role";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import { type TaskDetail, TaskState, type TaskSummary } from "@mimikit/protocol/wire/api";
import type { TaskFile } from "@mimikit/protocol/wire/task-files";
import { fits } from "@mimikit/protocol/wire/task-filter";
import type { TranscriptLine } from "@mimikit/protocol/wire/transcript";
import { filesOfTask } from "@mimikit/runtime/workspace/task-files";
import { readWholeTranscript } from "@mimikit/store/views/transcript";
import type { Argv } from "yargs";
import { type CommonOptions, command, commandGroup } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { clockText, momentText, withLocalMoments } from "../i18n/moments.ts";
import { withState } from "../instance/state.ts";
import { cancellableId, listTasks, readTask } from "../instance/task-list.ts";
import { ask } from "../instance/write-command.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { padded, plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";
import { runningWorkDir } from "../processes/instance.ts";

const LIST_DEFAULT = 20;
const LIST_MAX = 500;

const listCommand = command({
  usage: "list",
  summary: "the newest tasks",
  examples: [
    ["mimikit tasks list", "mimikit tasks alone is the same"],
    ["mimikit tasks list --state running --role worker", "the tasks that Workers run now"],
  ],
  options: (yargs) =>
    yargs
      .option("state", { choices: TaskState.options, describe: "only tasks in this state" })
      .option("role", { choices: Role.options, describe: "only tasks of this role" })
      .option("text", { type: "string", describe: "only tasks whose title, prompt or id contains it" })
      .option("limit", {
        type: "number",
        default: LIST_DEFAULT,
        describe: t("how many, at most {max}", { max: LIST_MAX }),
      }),
  async run({ json, state, role, text, limit }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
      throw new Failure("usage", t("--limit is a whole number from 1 to {max}", { max: LIST_MAX }));
    const all = await withState(listTasks);
    const fitting = all.filter((task) => fits(task, { state, role, text }));
    if (json) printJson({ tasks: fitting.slice(0, limit) });
    else list(fitting.slice(0, limit));
  },
});

const showCommand = command({
  usage: "show <id>",
  summary: "one task in full, or its transcript",
  examples: [
    ["mimikit tasks show t-000042.1", "its prompt, timeline, result and files"],
    ["mimikit tasks show t-000042.1 --transcript", "its messages, tool calls and their output"],
  ],
  options: (yargs) =>
    idArgument(yargs).option("transcript", {
      type: "boolean",
      default: false,
      describe: "its messages and tool calls, step by step",
    }),
  async run({ json, id, transcript }) {
    if (transcript) return showTranscript(id, json);
    const { home, task } = await readKept(id);
    const files = await filesIn(home, task);
    if (json) printJson({ ...task, files });
    else show(task, files);
  },
});

const cancelCommand = command({
  usage: "cancel <id>",
  summary: "cancel a task and everything below it",
  examples: [["mimikit tasks cancel t-000042.1", "its title is understood, too"]],
  options: idArgument,
  run: ({ json, id }) => cancel(id, json),
});

const againCommand = command({
  usage: "again <id>",
  summary: "run a task once more after it has ended",
  examples: [
    ["mimikit tasks again t-000042.1", "with the same prompt"],
    ["mimikit tasks again t-000042.1 --with 'count the lines of b.txt'", "with another prompt"],
  ],
  options: (yargs) =>
    idArgument(yargs).option("with", { type: "string", describe: "a prompt that replaces the former one" }),
  run: ({ json, id, with: text }) => again(id, text, json),
});

export const tasks = commandGroup({
  name: "tasks",
  summary: "tasks: list, show, cancel and repeat them",
  subCommands: [listCommand, showCommand, cancelCommand, againCommand],
  alone: listCommand,
});

function idArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("id", { type: "string", demandOption: true, describe: "the task" });
}

async function cancel(given: string, json: boolean): Promise<void> {
  const { home, taskId } = await withState(async (state) => ({
    home: state.home,
    taskId: cancellableId(given, await listTasks(state)),
  }));
  const { id, outcome } = await ask(home, { kind: "cancel", taskId });
  if (outcome !== null && outcome !== "cancelled") throw new Failure("failed", `${taskId}: ${told(outcome)}`);
  if (json) printJson({ id, taskId, outcome });
  else
    printLine(
      outcome === null
        ? t("{taskId} (queued; it is cancelled when Mimikit runs)", { taskId })
        : t("{taskId} is cancelled", { taskId }),
    );
}

async function again(given: string, text: string | undefined, json: boolean): Promise<void> {
  const { home, task } = await readKept(given);
  if (task.completedAt === undefined) throw new Failure("failed", t("{id} has not ended yet", { id: task.id }));
  const command = { kind: "again" as const, taskId: task.id, ...(text !== undefined && { text }) };
  const { id, outcome } = await ask(home, command);
  const newId = againId(task.id, id);
  if (json) printJson({ id, taskId: newId, outcome });
  else
    printLine(
      outcome === null
        ? t("{newId} (saved; it is queued when Mimikit runs)", { newId })
        : t("{newId} is queued", { newId }),
    );
}

function list(found: readonly TaskSummary[]): void {
  const rows = found.map(({ id, role, state, createdAt, failureReason, limitedUntil, title }) => [
    id,
    role,
    limitedUntil !== undefined && Date.parse(limitedUntil) > Date.now()
      ? t("{state}, rate limit until {moment}", { state: nameIn(state), moment: momentText(limitedUntil) })
      : failureReason === undefined
        ? nameIn(state)
        : t("{state} ({reason})", { state: nameIn(state), reason: nameIn(failureReason) }),
    clockText(createdAt),
    title,
  ]);
  printTable(["id", "role", "state", "created", "title"], rows, t("there are no tasks"));
}

function readKept(given: string): Promise<{ home: string; task: TaskDetail }> {
  return withState(async (state) => ({ home: state.home, task: await readTask(state, given) }));
}

/** Of the workspace that the processes were started with, where any runs. */
async function filesIn(home: string, task: TaskDetail): Promise<TaskFile[]> {
  const workDir = (await runningWorkDir(home)) ?? currentPlace().workDir;
  return filesOfTask({ home, workDir }, task, await readWholeTranscript(home, task.id), Date.now());
}

function show(task: TaskDetail, files: readonly TaskFile[]): void {
  printLine(styled("bold", `${task.id}  ${plainLine(task.title)}`));
  const after = task.after === undefined ? "" : t(", after {tasks}", { tasks: task.after.join(", ") });
  printLine(
    t("{role}, {state}, attempts {attempts}, priority {priority}{after}", {
      role: task.role,
      state: nameIn(task.state),
      attempts: task.attempts,
      priority: task.priority,
      after,
    }),
  );
  if (task.againOf !== undefined) printLine(t("another try of {againOf}", { againOf: task.againOf }));
  for (const { at, event } of task.timeline)
    printLine(`  ${momentText(at)}  ${plainLine(withLocalMoments(told(event)))}`);
  if (task.prompt !== "") section(t("prompt"), task.prompt);
  if (task.error !== undefined)
    section(
      task.failureReason === undefined
        ? t("error")
        : t("{state} ({reason})", { state: t("error"), reason: nameIn(task.failureReason) }),
      told(task.error),
    );
  if (task.result !== null && task.result !== undefined) section(t("result"), textOf(task));
  if (files.length > 0) section(t("files"), files.map(fileLine).join("\n"));
}

function fileLine({ change, path, bytes }: TaskFile): string {
  const size =
    bytes === null ? (change === "deleted" ? "" : t(" (not there any more)")) : t(" ({bytes} bytes)", { bytes });
  return `${padded(nameIn(change), "changed".length)}  ${path}${size}`;
}

/** Shows the transcript; those of old tasks are not kept. */
async function showTranscript(given: string, json: boolean): Promise<void> {
  const { home, task } = await readKept(given);
  const lines = await readWholeTranscript(home, task.id);
  if (json) return printJson({ lines });
  if (lines.length === 0) return printLine(t("no transcript is kept"));
  for (const line of lines) printLine(plainText(lineText(line)));
}

function lineText(line: TranscriptLine): string {
  switch (line.type) {
    case "begin":
      return styled("dim", `— ${t("attempt {n}, {moment}", { n: line.attempt, moment: momentText(line.at) })}`);
    case "said":
      return line.text;
    case "thought":
      return styled("dim", line.text);
    case "call":
      return styled("bold", `→ ${line.tool} ${line.input}`);
    case "output":
      return line.text.trimEnd().replaceAll(/^/gm, line.ok ? "  " : "! ");
    case "steer":
      return t("you: {text}", { text: line.text });
  }
}

function section(title: string, text: string): void {
  printLine();
  printLine(styled("bold", title));
  printLine(plainText(text));
}

/** A text as it is, a plan in words, any other result as JSON. */
function textOf({ resultType, result }: Pick<TaskDetail, "resultType" | "result">): string {
  const plan = resultType === "plan" ? RESULT_SCHEMAS.plan.safeParse(result).data : undefined;
  if (plan !== undefined) {
    const made =
      plan.tasks.length === 0 ? t("it made no task") : t("it made {tasks}", { tasks: plan.tasks.join(", ") });
    return plan.note === undefined ? made : `${made}\n\n${plan.note}`;
  }
  if (typeof result === "object" && result !== null && "text" in result && typeof result.text === "string")
    return result.text;
  return JSON.stringify(result, null, 2);
}
