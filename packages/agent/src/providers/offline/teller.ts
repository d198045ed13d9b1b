/**
 * The Teller without a model: it answers every pending message, starts what is to be run by delegating it, and reports
 * what came back. It says what it does, never a result that it has not seen.
 */

import { nextOf } from "@mimikit/core/schedule/schedule";
import { isSame } from "@mimikit/core/tasks/question";
import { type FoundEntry, findEntries } from "@mimikit/memory/sources/find-entries";
import { tokenize } from "@mimikit/memory/text/tokenize";
import { TITLE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { ancestorsOf } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { BACKLOG_ITEM_CHARS_MAX, REMEMBER_CHARS_MAX } from "@mimikit/protocol/records/effect";
import type { Event, FiredEvent, Message } from "@mimikit/protocol/records/inbox";
import { isMessage } from "@mimikit/protocol/records/memory-entry";
import type { Question } from "@mimikit/protocol/records/question";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { HISTORY_QUERY_CHARS_MAX } from "@mimikit/protocol/wire/api";
import type { PersonZone } from "@mimikit/runtime/clock/person-zone";
import { z } from "zod";
import type { ToolAnswer } from "../../bus.ts";
import { clockOf, isoIn } from "../../prompt/clock.ts";
import { memoryShown, saidShown } from "../../prompt/shown-memory.ts";
import type { ProviderEvent, Run } from "../../provider.ts";
import { orderOf, titleOf } from "./order.ts";
import {
  type DueOrder,
  type Intent,
  type ParsedSchedule,
  type ParseProblem,
  parseDue,
  parseMessage,
  type Steps,
} from "./parse.ts";
import { describeResults } from "./report.ts";
import { type ParsedWhen, withHalves } from "./when.ts";
import { asTyped, type Language, languageOf, WORDS, type Words } from "./words.ts";

const TASKS_SHOWN_MAX = 20;
const ENDED_SHOWN_MAX = 5;
const FOUND_MAX = 5;
const TRIGGERS_SHOWN_MAX = 20;
const QUOTE_CHARS = 80;

const Staged = z.object({ id: z.string() });

/** A request that commands be run. */
interface Ordering {
  orders: Steps[];
  language: Language;
}

/** A pending message, understood. */
interface Request extends Ordering {
  message: Message;
  intents: Intent[];
}

/** A trigger that is due. */
interface DueTrigger extends Ordering {
  due: DueOrder;
  /** How it says that it comes late; null where it is on time. */
  late: string | null;
}

/** Runs a turn. Every paragraph is streamed as it is found, and all of them together are the reply. */
export async function* tell(run: Run): AsyncGenerator<ProviderEvent> {
  const { messages = [], events = [], results = [] } = run.task.turn ?? {};
  const requests = messages.map((message) => understand(message, run.context.zone));
  const due = new Map<Event, DueTrigger>(
    events.flatMap((event) => (event.name === "cron_trigger" ? [[event, dueOf(event, run.context.zone)]] : [])),
  );
  const started = await delegateOrders([...due.values(), ...requests], run);
  const paragraphs: string[] = [];
  const say = (text: string): ProviderEvent => {
    paragraphs.push(text);
    return { type: "delta", text: paragraphs.length > 1 ? `\n\n${text}` : text };
  };
  if (results.length > 0) yield say(describeResults(results));
  for (const asked of run.context.questions) if (isAbout(asked, results)) yield say(describeQuestion(asked));
  for (const event of events) {
    const trigger = due.get(event);
    yield say(trigger === undefined ? describeEvent(event) : answerDue(trigger, started.get(trigger)));
  }
  for (const request of requests) {
    if (requests.length > 1) yield say(`> ${quote(request.message.text)}`);
    for (const text of await answer(request, started.get(request), run)) yield say(text);
    const files = filesWith(request.message, run);
    if (files.length > 0) yield say(WORDS[request.language].received(files));
  }
  yield { type: "done", status: "done", text: paragraphs.join("\n\n"), usage: NO_USAGE };
}

/** The files of a message, a line each: their type and place, so that a command can be run on them. */
function filesWith({ id }: Message, { context }: Run): string[] {
  const own = (context.evidence ?? []).filter(({ messageId }) => messageId === id);
  return own.map(({ file: { name = "", type, bytes }, path }) => {
    const what = `${name.replace(/\s+/g, " ")} (${type}, ${bytes} bytes)`.trim();
    return path === null ? `- ${asCode(what)}` : `- ${asCode(what)}: ${asCode(path)}`;
  });
}

/** A name may come from anywhere: as code, it is no Markdown. */
function asCode(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function understand(message: Message, zone: PersonZone | undefined): Request {
  const { text, isQuoting } = message;
  const intents: Intent[] = isQuoting === true ? [{ kind: "other", text }] : parseMessage(text, clockOf(message, zone));
  const orders = intents.flatMap((intent) => (intent.kind === "run" ? [intent.steps] : []));
  return { message, language: languageOf(text), intents, orders };
}

/** An order later than this was missed, and is made up for. */
const LATE_MS = 60_000;

function dueOf({ at, data: { prompt, occurrence } }: FiredEvent, zone: PersonZone | undefined): DueTrigger {
  const clock = clockOf({ at }, zone);
  const due = parseDue(prompt, clock);
  const language = languageOf(prompt);
  const dueMs = Date.parse(occurrence);
  const isLate = clock.nowMs - dueMs > LATE_MS;
  return {
    due,
    language,
    orders: due.kind === "run" ? due.orders : [],
    late: isLate ? WORDS[language].late(timeIn(dueMs, clock.timeZone)) : null,
  };
}

function answerDue({ due, orders, language, late }: DueTrigger, started: ToolAnswer | undefined): string {
  const words = WORDS[language];
  const text = () => {
    if (due.kind === "remind") return words.reminder(due.text);
    if (due.kind === "other") return words.dueOther(due.text);
    if (started?.ok === false) return words.notDelegated(started.message);
    return words.dueRun(orders.map((steps) => orderOf(steps, words)).join("; "));
  };
  return late === null ? text() : `${text()}\n\n${late}`;
}

/** An event of the system, as the user is told it. */
function describeEvent({ name, text, data }: Event): string {
  if (name !== "question_answered" && name !== "question_expired") return text;
  const { question, answer = null } = data;
  if (question === undefined) return text;
  const words = WORDS[languageOf(question)];
  if (name === "question_answered" && answer !== null) return words.answered(question, answer);
  return words.unanswered(question, answer);
}

/** Is it whether to go on behind one of these failures? */
function isAbout({ purpose }: Question, reports: readonly Report[]): boolean {
  return purpose.type === "go_on" && reports.some(({ id }) => id === purpose.failedId);
}

/** The question, and where it is answered: an answer carries authority that a message has not (docs/file-protocol.md#commands). */
function describeQuestion({ id, question, options }: Question): string {
  return WORDS[languageOf(question)].openQuestion(question, options, id);
}

function quote(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > QUOTE_CHARS ? `${beginningOf(line, QUOTE_CHARS - 1)}…` : line;
}

/** One plan for each message or trigger that orders something, so that each is reported by itself. */
async function delegateOrders(all: readonly Ordering[], run: Run): Promise<Map<Ordering, ToolAnswer>> {
  const started = new Map<Ordering, ToolAnswer>();
  for (const ordering of all) {
    const { orders, language } = ordering;
    const [first] = orders;
    if (first === undefined) continue;
    const words = WORDS[language];
    const quoted = orders.map((steps) => `> ${orderOf(steps, words)}`);
    const answer = await run.bus.call("delegate", {
      title: titleOf(first, words, TITLE_CHARS_MAX),
      prompt: `${words.planPrompt}\n${quoted.join("\n")}`,
    });
    started.set(ordering, answer);
  }
  return started;
}

/** The paragraphs that answer one message. All its orders are one paragraph, where the first of them stands. */
async function answer(request: Request, started: ToolAnswer | undefined, run: Run): Promise<string[]> {
  const words = WORDS[request.language];
  const orders = request.orders.map((steps) => orderOf(steps, words));
  const texts: string[] = [];
  let saidOrders = false;
  for (const intent of request.intents) {
    if (intent.kind !== "run") texts.push(await answerOne(intent, request, run));
    else if (!saidOrders && started !== undefined) {
      saidOrders = true;
      texts.push(started.ok ? words.onIt(orders.join("; ")) : words.notDelegated(started.message));
    }
  }
  return texts;
}

async function answerOne(intent: Exclude<Intent, { kind: "run" }>, request: Request, run: Run): Promise<string> {
  const words = WORDS[request.language];
  switch (intent.kind) {
    case "remember": {
      const stored = await run.bus.call("remember", { content: intent.content, longTerm: true });
      return stored.ok ? words.remembered(intent.content) : words.tooLong(REMEMBER_CHARS_MAX);
    }
    case "forget":
      return answerForget(intent.what, run, words);
    case "schedule":
      return answerSchedule(intent.schedule, request, run);
    case "schedules":
      return answerSchedules(request, run);
    case "tasks":
      return answerTasks(run, words);
    case "status":
      return answerStatus(run, words);
    case "help":
      return `${words.helpIntro}\n\n${words.help}\n\n${words.connect}`;
    case "cancel":
      return answerCancel(intent.id, request, run);
    case "backlog":
      return answerBacklog(intent, run, words);
    case "search":
      return answerSearch(intent.query, request, run);
    case "greeting":
      return `${words.greeting}\n\n${words.firstSteps}\n\n${words.connect}`;
    case "elsewhere":
      return words.elsewhere[intent.what];
    case "unclear":
      return about(intent.text, request, whyUnclear(intent.problem, intent.text, words));
    case "other": {
      const asked = run.context.questions.find(({ options }) => options.some((option) => isSame(option, intent.text)));
      if (asked !== undefined) return `${words.noAnswer}\n\n${describeQuestion(asked)}`;
      return request.intents.length > 1
        ? about(intent.text, request, words.notUnderstood)
        : `${words.noModel}\n\n${words.help}\n\n${words.connect}`;
    }
  }
}

/** Takes out the one entry that says so; of several, or of none, nothing goes. */
async function answerForget(what: string, { bus, context }: Run, words: Words): Promise<string> {
  const found = await findEntries(what, context.memoryPlace);
  const [first] = found;
  if (first === undefined || found.every(({ entry }) => isMessage(entry))) {
    // Words that were only said are forgotten, too.
    const { ok } = await bus.call("forget", { line: what });
    return ok ? words.forgetting(what) : words.forgetUnknown(what);
  }
  const lineOf = ({ document, entry }: FoundEntry) => `[${document}] ${entry.text.replaceAll("\n", " ")}`;
  if (found.length > 1)
    return `${words.forgetWhich}\n\n${found
      .slice(0, FOUND_MAX)
      .map((each) => `- ${lineOf(each)}`)
      .join("\n")}`;
  for (let k = 0; k < first.count; k++) {
    const forgotten = await bus.call("forget", { line: lineOf(first) });
    if (!forgotten.ok) return words.forgetFailed(forgotten.message);
  }
  return words.forgetting(first.entry.text);
}

/** Why a request is not clear; where it can be said so that it is, with it in those words. */
function whyUnclear(problem: ParseProblem, text: string, words: Words): string {
  const why = words.unclear[problem];
  return problem === "half_day" ? `${why}\n\n${asTyped(...withHalves(text))}` : why;
}

/** Of several requests in one message, the one that is meant is quoted. */
function about(text: string, request: Request, answer: string): string {
  return request.intents.length > 1 ? `> ${quote(text)}\n\n${answer}` : answer;
}

/** Scheduled text comes back to the Teller, which reads it again then: a reminder as text, an order as an order. */
async function answerSchedule({ when, said, action }: ParsedSchedule, request: Request, run: Run): Promise<string> {
  const words = WORDS[request.language];
  const isRun = action.type === "run";
  const what = isRun ? orderOf(action.steps, words) : words.doRemind(action.text);
  const answer = await run.bus.call("schedule", {
    title: isRun ? titleOf(action.steps, words, TITLE_CHARS_MAX) : beginningOf(what, TITLE_CHARS_MAX),
    prompt: isRun ? what : words.remindPrompt(action.text),
    ...inputOf(when),
  });
  if (!answer.ok) return words.notScheduled(answer.message);
  const { id } = Staged.parse(answer.data);
  return words.scheduled(describeWhen(when, said, words), what, nextOccurrence(when, request, run), id);
}

function inputOf(when: ParsedWhen) {
  if (when.kind === "scheduled") return { runAt: when.runAt };
  if (when.kind === "conditional") {
    const type = when.becomes === "changed" ? "file_changed" : "file_exists";
    return { condition: { type, params: { path: when.path } } };
  }
  return "cron" in when ? { cron: when.cron, timezone: when.timeZone } : { interval: when.intervalSec };
}

function describeWhen(when: ParsedWhen, said: string, words: Words): string {
  if (when.kind === "scheduled") return words.whenScheduled(shortTime(when.runAt), when.timeZone);
  if (when.kind === "conditional")
    return when.becomes === "changed" ? words.whenChanged(when.path) : words.whenThere(when.path);
  if ("cron" in when) return words.whenCron(said, when.cron, when.timeZone);
  return words.whenInterval(said, when.intervalSec);
}

/** On the user's clock; null if a moment has been named already, or it is unknown. */
function nextOccurrence(when: ParsedWhen, { message }: Request, { context }: Run): string | null {
  if (when.kind !== "recurring") return null;
  const schedule = "cron" in when ? { cron: when.cron, timezone: when.timeZone } : { interval: when.intervalSec };
  const nextMs = nextOf(schedule, Date.parse(context.now));
  return nextMs === null ? null : timeIn(nextMs, clockOf(message, context.zone).timeZone);
}

function answerSchedules({ message, language }: Request, { context }: Run): string {
  const words = WORDS[language];
  const { timeZone } = clockOf(message, context.zone);
  const lines = context.triggers.slice(0, TRIGGERS_SHOWN_MAX).map(({ id, title, paused, next }) => {
    const waits = next === null ? words.onCondition : words.nextAt(timeIn(Date.parse(next), timeZone));
    return `- \`${id}\` ${title}: ${paused ? words.paused : waits}`;
  });
  return lines.length === 0 ? words.noSchedules : `${words.schedules}\n\n${lines.join("\n")}`;
}

function answerTasks({ context }: Run, words: Words): string {
  const { tasks } = context;
  const isOpen = (task: (typeof tasks)[number]) => ["waiting", "queued", "running"].includes(task.state);
  const line = ({ id, title, state, after = [] }: (typeof tasks)[number]) =>
    `- \`${id}\` ${title}: ${words.states[state]}${after.length === 0 ? "" : `, ${words.waitsFor(after)}`}`;
  const open = tasks.filter(isOpen).slice(0, TASKS_SHOWN_MAX).map(line);
  const ended = tasks
    .filter((task) => !isOpen(task))
    .slice(0, ENDED_SHOWN_MAX)
    .map(line);
  if (open.length + ended.length === 0) return words.noTasks;
  const parts: string[] = [];
  if (open.length > 0) parts.push(`${words.openTasks}\n\n${open.join("\n")}`);
  if (ended.length > 0) parts.push(`${words.endedTasks}\n\n${ended.join("\n")}`);
  return parts.join("\n\n");
}

function answerStatus({ context }: Run, words: Words): string {
  const providers = Object.entries(context.providers).map(([role, name]) => `${role} = ${name}`);
  const open = context.tasks.filter((task) => ["waiting", "queued", "running"].includes(task.state));
  const backlog = context.backlog.filter((each) => !each.done);
  return words.status(context.version, providers.join(", "), open.length, backlog.length);
}

async function answerCancel(id: string | null, request: Request, run: Run): Promise<string> {
  const words = WORDS[request.language];
  if (id === null) return `${words.cancelWhich}\n\n${answerSchedules(request, run)}\n\n${answerTasks(run, words)}`;
  const cancelled = await run.bus.call("cancel_task", { id });
  const isTrigger = run.context.triggers.some((trigger) => trigger.id === id);
  if (cancelled.ok) return isTrigger ? words.unscheduling(id) : words.cancelling(id);
  const isKnown = run.context.tasks.some((task) => task.id === id || ancestorsOf(task.id).includes(id));
  return isKnown ? words.cancelTooLate(id) : words.cancelUnknown(id);
}

async function answerBacklog(intent: Extract<Intent, { kind: "backlog" }>, run: Run, words: Words): Promise<string> {
  const { backlog } = run.context;
  if (intent.op === "list")
    return backlog.length === 0 ? words.backlogEmpty : `${words.backlog}\n\n${listBacklog(backlog)}`;
  const candidates = intent.op === "add" ? [intent.item] : findItems(intent.item, backlog);
  const [item] = candidates;
  if (item === undefined) return words.backlogUnknown(intent.item);
  if (candidates.length > 1) return `${words.backlogAmbiguous(intent.item)}\n\n${listBacklog(backlog)}`;
  const changed = await run.bus.call("update_backlog", { op: intent.op, item });
  if (!changed.ok) return words.tooLong(BACKLOG_ITEM_CHARS_MAX);
  if (intent.op === "add") return words.backlogAdding(item);
  return intent.op === "done" ? words.backlogDoing(item) : words.backlogRemoving(item);
}

function listBacklog(backlog: Run["context"]["backlog"]): string {
  return backlog.map(({ item, done }, i) => `${i + 1}. [${done ? "x" : " "}] ${item}`).join("\n");
}

/** The items meant by a number of the list, by their text, or by a part of it that only they have. */
function findItems(wanted: string, backlog: Run["context"]["backlog"]): string[] {
  const items = backlog.map((each) => each.item);
  const numbered = /^\d+$/.test(wanted) ? items[Number(wanted) - 1] : undefined;
  const exact = items.find((item) => item === wanted) ?? numbered;
  if (exact !== undefined) return [exact];
  const part = wanted.toLowerCase();
  return [...new Set(items.filter((item) => item.toLowerCase().includes(part)))];
}

async function answerSearch(query: string, request: Request, { context, bus }: Run): Promise<string> {
  const words = WORDS[request.language];
  const { timeZone } = clockOf(request.message, context.zone);
  const wanted = new Set(tokenize(query));
  const remembered = context.memory.filter((hit) => tokenize(hit.text).some((word) => wanted.has(word)));
  const hits = remembered.map((hit) => `- [${hit.source}] ${hit.text}`);
  const found = await context.said.search({ query: beginningOf(query, HISTORY_QUERY_CHARS_MAX), limit: FOUND_MAX });
  bus.show([...memoryShown(remembered), ...saidShown(found)]);
  const said = found.map(
    ({ role, at, text }) =>
      `- ${words.speaker[role]}, ${shortTime(isoIn(Date.parse(at), timeZone))}: ${text.replace(/\s+/g, " ")}`,
  );
  if (hits.length + said.length === 0) return words.foundNothing(query);
  return `${words.found(query)}\n\n${[...hits, ...said].join("\n")}`;
}

/** `2026-11-22 10:10 (Asia/Shanghai)`. */
function timeIn(ms: number, timeZone: string): string {
  return `${shortTime(isoIn(ms, timeZone))} (${timeZone})`;
}

/** `2026-11-22T10:10:00+08:00` → `2026-11-22 10:10`. */
function shortTime(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}
