/**
 * The jobs, the triggers and the open questions as lines of a prompt, and of `list_tasks`. A job is a request of the
 * Teller's, or one firing of a trigger, with all the tasks below it.
 */
import { conditionText, durationText } from "@mimikit/core/schedule/trigger-words";
import { ancestorsOf, turnNumber } from "@mimikit/protocol/base/id";
import type { Question } from "@mimikit/protocol/records/question";
import type { Task } from "@mimikit/protocol/records/task";
import type { TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { Run } from "../provider.ts";
import { type ClockPlace, localTime } from "./clock.ts";
import { type Quoted, record } from "./quote.ts";
import { shorten } from "./tokens.ts";

const TITLE_CHARS = 120;
const ERROR_CHARS = 80;
const GIST_CHARS = 240;
const STEP_CHARS = 120;
const PARTS_MAX = 6;
const FILES_MAX = 5;
const QUESTION_CHARS = 300;
const ANSWER_CHARS = 200;
const PROMPT_CHARS = 400;
const SECOND_MS = 1_000;
const MINUTE_SEC = 60;

type Context = Run["context"];

/** The parts of a context that these lines are made of. */
export interface StateContext extends ClockPlace, Pick<Context, "summaries" | "questions"> {
  endings?: Context["endings"] | undefined;
  steps?: Context["steps"] | undefined;
}

const OPEN: readonly TaskSummary["state"][] = ["waiting", "queued", "running"];

export interface Job {
  id: string;
  /** The request itself, if it is known, and the tasks below it, in the order of the context. */
  tasks: readonly TaskSummary[];
  isOpen: boolean;
}

/** The id of the job that a task is part of: its topmost task that is no turn. */
export function jobOf(id: string): string {
  return [id, ...ancestorsOf(id)].findLast((each) => turnNumber(each) === 0) ?? id;
}

/** The jobs, open ones first, otherwise in the order of their newest task. @param own the running task: its job is left out. */
export function jobsIn(tasks: readonly TaskSummary[], own?: Pick<Task, "id">): Job[] {
  const families = Map.groupBy(tasks, ({ id }) => jobOf(id));
  if (own !== undefined) families.delete(jobOf(own.id));
  const jobs = [...families].map(([id, family]) => ({ id, tasks: family, isOpen: family.some(isOpen) }));
  return [...jobs.filter((job) => job.isOpen), ...jobs.filter((job) => !job.isOpen)];
}

/** @param reported the tasks whose results are shown beside this line: it repeats nothing of them, and what they ask is not asked yet. */
export function jobLine(job: Job, context: StateContext, reported: ReadonlySet<string> = new Set()): Quoted {
  const { id, tasks } = job;
  const request = tasks.find((task) => task.id === id) ?? tasks.at(-1);
  const below = tasks.filter((task) => task.id !== id);
  const question = context.questions.find(({ purpose }) => isAbout(purpose, tasks));
  const running = tasks.filter(({ state }) => state === "running");
  const told = tasks.filter((task) => !reported.has(task.id));
  const failure = told.find(({ error }) => error !== undefined)?.error;
  const family = new Set(tasks.map((task) => task.id));
  const after = [...new Set(tasks.flatMap((task) => task.after ?? []))].filter((other) => !family.has(other));
  const gists = told.flatMap((task) => context.summaries[task.id] ?? context.endings?.[task.id]?.gist ?? []);
  const files = new Set(tasks.flatMap((task) => context.endings?.[task.id]?.paths ?? []));
  return record({
    id,
    title: shortenChars(request?.title ?? "", TITLE_CHARS),
    state: question === undefined ? stateOf(tasks, reported) : "waits for the user",
    question: question?.id,
    created: request && localTime(request.createdAt, context),
    trigger: request?.triggerId,
    running: running.length === 0 ? undefined : elapsed(running, context),
    step: running.map((task) => context.steps?.[task.id]).flatMap((step) => (step ? [cut(step, STEP_CHARS)] : []))[0],
    tasks: job.isOpen && below.length > 0 ? partsOf(below) : undefined,
    after: after.join(", ") || undefined,
    error: failure === undefined ? undefined : cut(failure, ERROR_CHARS),
    gist: gists.length === 0 ? undefined : cut(gists.join(" | "), GIST_CHARS),
    files: [...files].slice(0, FILES_MAX).join(", ") || undefined,
  });
}

/** The condition is in the words of `mimikit triggers`. @param promptChars a longer prompt is shown in part. */
export function triggerLine(trigger: TriggerSummary, context: StateContext, promptChars = PROMPT_CHARS): Quoted {
  const { id, type, title, prompt, target, paused, schedule, condition, stableSec, cooldownSec, next } = trigger;
  const fired = trigger.recent.findLast(({ outcome }) => outcome === "fired");
  const stable = stableSec === undefined ? "" : `, for ${durationText(stableSec)}`;
  return record({
    id,
    type,
    title: shortenChars(title, TITLE_CHARS),
    target,
    ...(schedule !== undefined && ("interval" in schedule ? { every_sec: schedule.interval } : schedule)),
    when: condition === undefined ? undefined : `${conditionText(condition)}${stable}`,
    cooldown: cooldownSec === undefined ? undefined : durationText(cooldownSec),
    last: fired?.outcome === "fired" ? localTime(fired.at, context) : undefined,
    next: next === null ? undefined : localTime(next, context),
    paused: paused ? "yes" : undefined,
    prompt: shortenChars(prompt, promptChars),
  });
}

export function questionLine(question: Question, context: StateContext): Quoted {
  const { id, at, expiresAt, options, default: preset, purpose } = question;
  const leftSec = (Date.parse(expiresAt) - Date.parse(context.now)) / SECOND_MS;
  const listed = options.map((option, i) => `${i + 1}. ${cut(option, ANSWER_CHARS)}`);
  return record({
    id,
    asked: localTime(at, context),
    answered: purpose.type === "teller" ? undefined : "only by its buttons",
    question: shortenChars(question.question, QUESTION_CHARS),
    options: listed.length === 0 ? undefined : listed.join("; "),
    default: preset === undefined ? undefined : cut(preset, ANSWER_CHARS),
    left: minutesText(leftSec),
  });
}

function isOpen({ state }: TaskSummary): boolean {
  return OPEN.includes(state);
}

/** A task that needed an answer is open only until that is asked for: the question is open then, and after it the work is another job. */
function stateOf(tasks: readonly TaskSummary[], reported: ReadonlySet<string>): string {
  const has = (state: TaskSummary["state"]) => tasks.some((task) => task.state === state);
  const open = (["running", "queued", "waiting"] as const).find(has);
  if (open !== undefined) return open;
  const asking = tasks.filter(({ state }) => state === "needs_input");
  if (asking.some(({ id }) => reported.has(id))) return "needs_input";
  if (asking.length > 0) return "answered";
  return (["failed", "cancelled"] as const).find(has) ?? "done";
}

function isAbout(purpose: Question["purpose"], tasks: readonly TaskSummary[]): boolean {
  const about =
    purpose.type === "teller"
      ? purpose.about?.id
      : purpose.type === "go_on"
        ? purpose.failedId
        : purpose.type === "restart"
          ? undefined
          : purpose.taskId;
  return about !== undefined && tasks.some(({ id }) => id === about);
}

function partsOf(tasks: readonly TaskSummary[]): string {
  const parts = tasks.slice(0, PARTS_MAX).map(({ id, state }) => `${id} ${state}`);
  return [...parts, ...(tasks.length > PARTS_MAX ? [`${tasks.length - PARTS_MAX} more`] : [])].join(", ");
}

/** Since the first of them began. */
function elapsed(running: readonly TaskSummary[], { now }: StateContext): string | undefined {
  const starts = running.flatMap(({ startedAt }) => (startedAt === undefined ? [] : [Date.parse(startedAt)]));
  return starts.length === 0 ? undefined : minutesText((Date.parse(now) - Math.min(...starts)) / SECOND_MS);
}

/** `12 min`; under a minute in seconds. */
function minutesText(sec: number): string {
  return durationText(sec < MINUTE_SEC ? sec : Math.floor(sec / MINUTE_SEC) * MINUTE_SEC);
}

/** One line of text, its end left out where it is too long. */
function cut(text: string, charsMax: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const chars = [...line];
  return chars.length <= charsMax ? line : `${chars.slice(0, charsMax - 1).join("")}…`;
}

function shortenChars(text: string, charsMax: number): string {
  return shorten(text, charsMax, () => 1);
}
