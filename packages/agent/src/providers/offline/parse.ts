/**
 * Parses the user's requests, line by line, without a model. A command runs only where a line begins with the order to
 * run it: text that merely talks about running something never does. A line that looks like an order but is not clear is
 * answered as unclear, with the reason, instead of being guessed.
 */
import type { Clock } from "../../prompt/clock.ts";
import { readCodeSpan, withoutCode } from "./code-span.ts";
import { type BadWhen, type ParsedWhen, parseWhen, WHEN_CHARS_MAX } from "./when.ts";

/** More commands in one order are refused: a plan has at most 64 tasks. */
export const COMMANDS_MAX = 20;

/** Lines longer than this are no keyword, so they are not matched against all of them. */
const KEYWORD_CHARS_MAX = 60;

/** Of a longer message, the rest is text: people do not type so many orders, and pasted text must not become orders. */
export const LINES_MAX = 50;

/** Steps follow each other; the commands of a step run side by side. */
export type Steps = string[][];

export type OfflineAction = { type: "run"; steps: Steps } | { type: "remind"; text: string };

export interface ParsedSchedule {
  when: ParsedWhen;
  /** The words that `when` was read from. */
  said: string;
  action: OfflineAction;
}

export type ParseProblem =
  /** Something about running a command, but not as an order at the start of a line. */
  | "mention"
  /** An order to run, with words that are no part of one. */
  | "leftover"
  | "too_many"
  | "no_time"
  /** A command or a reminder for later, at a time that is not understood. */
  | "bad_time"
  /** "Every other Friday": no schedule counts like that. */
  | "every_other"
  /** A time, and nothing that can be done then without a model. */
  | "no_command"
  | BadWhen["problem"];

/** Requests that are made by a click or another command, and not by a message: the answer names both. */
export type Elsewhere = "undo" | "why";

export type Intent =
  | { kind: "greeting" }
  | { kind: "elsewhere"; what: Elsewhere }
  | { kind: "remember"; content: string }
  | { kind: "forget"; what: string }
  | { kind: "run"; steps: Steps }
  | { kind: "schedule"; schedule: ParsedSchedule }
  | { kind: "tasks" }
  | { kind: "schedules" }
  | { kind: "status" }
  | { kind: "help" }
  | { kind: "cancel"; id: string | null }
  | { kind: "backlog"; op: "list" }
  | { kind: "backlog"; op: "add" | "done" | "remove"; item: string }
  | { kind: "search"; query: string }
  | { kind: "unclear"; problem: ParseProblem; text: string }
  | { kind: "other"; text: string };

const POLITE = /^(?:please\s+|请你?|麻烦你?|帮我|给我)+\s*/i;
const RUN =
  /^(?:(?:first,?\s+)?(?:run|execute)(?:\s+first)?(?:\s+(?:the\s+)?commands?)?(?=[\s:：`])|(?:先|同时|并行)?(?:运行|执行)(?:一下)?(?:命令)?)\s*/i;
const THEN = /^(?:and\s+then|then|after\s+that|afterwards|然后|接着|随后|之后|再|最后)/i;
const BESIDE = /^(?:and|和|与|以及|并且|并|同时|同)/i;
const AGAIN = /^(?:run|execute|运行|执行)/i;
const END = /^[.。!！]*$/;
const REMIND = /^(?:remind\s+me\b|提醒我|提醒一下我)\s*/i;
const MENTION = /\b(?:run|runs|running|execute)\b|运行|执行/i;

/** Where a phrase about a time begins, also one that is not understood. */
const TIME =
  /^(?:every|each|daily|weekly|monthly|at|in|on|after|tomorrow|tonight|today|when|whenever|每|当|明天|后天|今天|今晚|下个?[周月]|\d[^`]*后)/i;
const REMIND_ANYWHERE = /\bremind\s+me\s+(?:to|about|that)\b|提醒我/i;
const EVERY_OTHER = /\bevery\s+(?:other|second)\b|每隔(?:一|1)个?(?:周|星期|礼拜|天|日|月)/i;
/** Repeated or later work, somewhere in a line. */
const RHYTHM =
  /\b(?:every|each)\s+(?:(?:other|second|last)\s+(?=\w*(?:day|week|month)))?(?:\d+|day|week|month|hour|minute|morning|afternoon|evening|night|weekday|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|\bdaily\b|每(?:个?(?:小时|月|周|星期)|天|日|隔|早|晚|\d)/i;

const GREETING = /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|你好|您好|嗨|早上好|晚上好)[\s.,!。，！~]*$/i;

/** How a reminder is written that waits for its moment: what follows is said, whatever it is. */
const DUE_REMINDER = /^(?:remind me: |提醒我：)/;

const KEYWORDS: readonly { kind: "tasks" | "schedules" | "status" | "help"; pattern: RegExp }[] = [
  {
    kind: "tasks",
    pattern:
      /^(?:(?:list|show)(?:\s+(?:me|my|the|all))*\s+tasks|(?:my\s+)?tasks|task\s+list|(?:查看|列出|显示)?(?:所有|全部|我的)?任务(?:列表)?)$/i,
  },
  {
    kind: "schedules",
    pattern:
      /^(?:(?:list|show)(?:\s+(?:me|my|the|all))*\s+(?:schedules?|reminders|triggers)|what(?:\s+is|'s)\s+(?:scheduled|next)|what\s+(?:fires|starts|runs)\s+next|(?:my\s+)?(?:schedules?|reminders|triggers)|(?:查看|列出|显示)?(?:所有|全部|我的)?(?:提醒|定时任务|定时|日程|安排)(?:列表)?)$/i,
  },
  { kind: "status", pattern: /^(?:(?:show\s+)?status|(?:查看|显示)?(?:系统|当前)?状态)$/i },
  {
    kind: "help",
    pattern: /^(?:\/?help|what (?:can|do) you (?:do|understand)|[?？]|帮助|你[能会可以]+(?:做|干)?(?:些)?什么)$/i,
  },
];

const ELSEWHERE: readonly { what: Elsewhere; pattern: RegExp }[] = [
  { what: "undo", pattern: /^(?:undo(?:\s+(?:it|that|this|the\s+last.*))?|撤销.{0,6}|撤回.{0,6})$/i },
  {
    what: "why",
    pattern:
      /^(?:why\s+(?:did|does|has|is|did\s*n[o']t|does\s*n[o']t)\s+(?:it|this|that|my\s+\w+|the\s+\w+)\s+(?:not\s+)?(?:fired?|start(?:ed)?|go\s+off)|(?:它|这个)?(?:为什么|怎么)(?:会|没有?|不)?(?:触发|启动)了?)$/i,
  },
];

/** The intents of a message, in order. Lines without one that stand together are one `other`. Never throws. */
export function parseMessage(text: string, clock: Clock): Intent[] {
  const intents: Intent[] = [];
  for (const [i, { line, isQuoted }] of linesOf(text).entries()) {
    const isText = isQuoted || i >= LINES_MAX;
    const intent: Intent = isText ? { kind: "other", text: line } : parseLine(line, clock);
    const last = intents.at(-1);
    if (intent.kind === "other" && last?.kind === "other") last.text += `\n${line}`;
    else intents.push(intent);
  }
  const [only] = intents;
  if (intents.length === 1 && only?.kind === "other" && GREETING.test(only.text)) return [{ kind: "greeting" }];
  return intents.length > 0 ? intents : [{ kind: "other", text }];
}

/** The request of a trigger that is due. */
export type DueOrder = { kind: "remind" | "other"; text: string } | { kind: "run"; orders: Steps[] };

/** The prompt of a trigger that is due: a reminder is text, also where it reads as an order. Never throws. */
export function parseDue(prompt: string, clock: Clock): DueOrder {
  const text = prompt.trim();
  if (DUE_REMINDER.test(text)) return { kind: "remind", text: text.replace(DUE_REMINDER, "") };
  if (REMIND.test(text)) return { kind: "remind", text: tidyReminder(text.replace(REMIND, "")) };
  const orders = parseMessage(text, clock).flatMap((intent) => (intent.kind === "run" ? [intent.steps] : []));
  return orders.length > 0 ? { kind: "run", orders } : { kind: "other", text };
}

/** Quotations, fenced blocks and indented lines are foreign words or a part of a file (`run: npm ci` stands in many): nothing in them is an order. */
function linesOf(text: string): { line: string; isQuoted: boolean }[] {
  let fence: string | null = null;
  const lines: { line: string; isQuoted: boolean }[] = [];
  for (const raw of text.trim().split(/\r?\n|\r|\u2028|\u2029/)) {
    const line = raw.trim();
    const marker = /^(`{3,}|~{3,})/.exec(line)?.[1];
    const wasOpen: boolean = fence !== null;
    if (fence === null && marker !== undefined && readCodeSpan(line)?.length !== line.length) fence = marker;
    else if (fence !== null && marker !== undefined && line === marker && marker.startsWith(fence)) fence = null;
    const isQuoted = wasOpen || fence !== null || /^[\s>]/.test(raw);
    if (line !== "") lines.push({ line, isQuoted });
  }
  return lines;
}

function parseLine(line: string, clock: Clock): Intent {
  const order = line.replace(POLITE, "");
  return (
    parseKeyword(order) ??
    parseRemember(order) ??
    parseForget(order) ??
    parseBacklog(order) ??
    parseCancel(order) ??
    parseSearch(order) ??
    parseRun(order) ??
    parseSchedule(order, clock) ??
    parseUnclear(order) ?? { kind: "other", text: line }
  );
}

function parseKeyword(order: string): Intent | null {
  if (order.length > KEYWORD_CHARS_MAX) return null;
  const bare = order.length > 1 ? order.replace(/(?<![\s.。!！?？~])[\s.。!！?？~]+$/, "") : order;
  const keyword = KEYWORDS.find(({ pattern }) => pattern.test(bare));
  if (keyword !== undefined) return { kind: keyword.kind };
  const elsewhere = ELSEWHERE.find(({ pattern }) => pattern.test(bare));
  return elsewhere === undefined ? null : { kind: "elsewhere", what: elsewhere.what };
}

function parseRemember(order: string): Intent | null {
  const content =
    /^remember(?:\s*[:：,]\s*|\s+)(?:that\s+)?(\S.*)$/i.exec(order)?.[1] ??
    /^(?:记住|记下来?|记一下)(?:一下)?[\s:：,，]*([^\s:：,，].*)$/.exec(order)?.[1];
  // "Remember the milk?" asks; it tells nothing.
  if (content === undefined || /[?？]$/.test(content.trim())) return null;
  return { kind: "remember", content: content.trim() };
}

function parseForget(order: string): Intent | null {
  const what =
    /^forget(?:\s*[:：,]\s*|\s+)(?:(?:about|that|it\s+that)\s+)*(\S.*)$/i.exec(order)?.[1] ??
    /^(?:把(.+?)(?:给)?忘(?:记|掉)(?:它|吧|了)?[.。!！]?|忘(?:记|掉|了)(?:了|关于)?[\s:：,，]*([^\s:：,，].*))$/
      .exec(order)
      ?.slice(1)
      .find((each) => each !== undefined);
  // "Forgot the milk?" asks; "forget it" says nothing of what.
  if (what === undefined || /[?？]$/.test(what.trim()) || /^(?:it|that|this|这个|那个|它|吧)[.。!！]?$/i.test(what))
    return null;
  return { kind: "forget", what: what.trim() };
}

function parseBacklog(order: string): Intent | null {
  const rest =
    /^(?:backlog|todos?)(?:\s*[:：]\s*|\s+|$)((?:\S.*)?)$/i.exec(order)?.[1] ??
    /^待办(?:事项|清单)?[\s:：]*((?:[^\s:：].*)?)$/.exec(order)?.[1];
  if (rest === undefined) return null;
  if (/^(?:list|show|all|列表|查看|列出)?[.。!！]?$/i.test(rest)) return { kind: "backlog", op: "list" };
  const [, verb = "", item = ""] =
    /^(add|done|remove|delete)(?:\s*[:：]\s*|\s+)(\S.*)$/i.exec(rest) ??
    /^(添加|新增|增加|完成|删除|移除)[\s:：]*([^\s:：].*)$/.exec(rest) ??
    [];
  if (item === "") return null;
  const op = /^(?:add|添加|新增|增加)$/i.test(verb) ? "add" : /^(?:done|完成)$/i.test(verb) ? "done" : "remove";
  return { kind: "backlog", op, item: item.trim() };
}

function parseCancel(order: string): Intent | null {
  const match =
    /^(?:cancel|取消)(?:\s*(?:task|reminder|schedule|trigger|任务|提醒|定时任务|定时))?[\s:：]*(?:`?([a-z0-9][a-z0-9._-]*?)`?)?[.。!！]?$/i.exec(
      order,
    );
  if (match !== null) return { kind: "cancel", id: match[1]?.toLowerCase() ?? null };
  // Nothing is cancelled by a description: the ids are shown instead.
  return /^(?:cancel\s|取消)/i.test(order) ? { kind: "cancel", id: null } : null;
}

function parseSearch(order: string): Intent | null {
  const query =
    /^search(?:\s*[:：]\s*|\s+)(?:for\s+)?(\S.*)$/i.exec(order)?.[1] ??
    /^(?:搜索|查找|搜一下|查一下)(?:一下)?[\s:：]*([^\s:：].*)$/.exec(order)?.[1];
  return query === undefined ? null : { kind: "search", query: query.trim() };
}

/** `` run `a` then `b` ``, or `run:` and the rest of the line as one command. */
function parseRun(order: string): Intent | null {
  const verb = RUN.exec(order)?.[0];
  if (verb === undefined) return null;
  const rest = order.slice(verb.length);
  const raw = /^[:：](.*)$/.exec(rest)?.[1]?.trim() ?? "";
  if (raw !== "" && !raw.startsWith("`")) return { kind: "run", steps: [[raw]] };
  const read = readSteps(raw === "" ? rest : raw);
  if (read === null || !END.test(read.rest.trim())) return null;
  if (read.steps.flat().length > COMMANDS_MAX) return { kind: "unclear", problem: "too_many", text: order };
  return { kind: "run", steps: read.steps };
}

/** The commands that `text` begins with: "then" begins a new step, "and" or a comma goes on with this one. */
function readSteps(text: string): { steps: Steps; rest: string } | null {
  const first = readCodeSpan(text);
  if (first === null) return null;
  let step = [first.command.trim()];
  const steps: Steps = [step];
  let rest = text.slice(first.length);
  for (;;) {
    const link = readLink(rest);
    const next = link === null ? null : readCodeSpan(link.rest);
    if (link === null || next === null) return { steps, rest };
    if (link.isThen) {
      step = [];
      steps.push(step);
    }
    step.push(next.command.trim());
    rest = link.rest.slice(next.length);
  }
}

/** The link between two commands; null if it is not one of those that we know. */
function readLink(text: string): { isThen: boolean; rest: string } | null {
  const comma = /^\s*[,，、;；]?\s*/.exec(text)?.[0] ?? "";
  let rest = text.slice(comma.length);
  const then = THEN.exec(rest)?.[0];
  const link = then ?? BESIDE.exec(rest)?.[0];
  if (link === undefined && comma.trim() === "") return null;
  rest = rest.slice(link?.length ?? 0).trimStart();
  rest = rest.slice(/^再/.exec(rest)?.[0].length ?? 0);
  rest = rest.slice(AGAIN.exec(rest)?.[0].length ?? 0).trimStart();
  return { isThen: then !== undefined, rest };
}

function parseSchedule(order: string, clock: Clock): Intent | null {
  const found = splitSchedule(order, clock);
  if (found === null) return null;
  const { when, said, action } = found;
  if (when.kind === "bad") return { kind: "unclear", problem: when.problem, text: order };
  return { kind: "schedule", schedule: { when, said, action } };
}

interface Split {
  when: ParsedWhen | BadWhen;
  said: string;
  action: OfflineAction;
}

/** Finds the time before the action ("at 9 run `x`"), after it ("run `x` at 9") or inside ("remind me at 9 to …"). */
function splitSchedule(order: string, clock: Clock): Split | null {
  const starts = [...order.matchAll(/\b(?:run|execute|remind me)\b|运行|执行|提醒/gi)].map((match) => match.index);
  for (const start of starts.filter((index) => index <= WHEN_CHARS_MAX)) {
    const said = order
      .slice(0, start)
      .trim()
      .replace(/(?:\bfirst|先)$/i, "")
      .replace(/(?:please|then|请|就|则|帮我)$/i, "")
      .trim()
      .replace(/[,，:：]$/, "");
    const rest = order.slice(start);
    if (said === "") return splitRun(rest, clock) ?? splitReminder(rest.replace(REMIND, ""), REMIND.test(rest), clock);
    const when = parseWhen(said, clock);
    const action = when === null ? null : parseAction(rest);
    if (when !== null && action !== null) return { when, said, action };
  }
  return null;
}

function parseAction(text: string): OfflineAction | null {
  const run = parseRun(text);
  if (run?.kind === "run") return { type: "run", steps: run.steps };
  if (!REMIND.test(text)) return null;
  const reminder = tidyReminder(text.replace(REMIND, ""));
  return reminder === "" ? null : { type: "remind", text: reminder };
}

function splitRun(text: string, clock: Clock): Split | null {
  const verb = RUN.exec(text)?.[0];
  const read = verb === undefined ? null : readSteps(text.slice(verb.length));
  if (read === null) return null;
  if (read.rest.length > WHEN_CHARS_MAX) return null;
  const said = read.rest.replace(/^[\s,，:：]+|(?<![.。!！])[.。!！]+$/g, "").trim();
  const when = parseWhen(said, clock);
  return when === null ? null : { when, said, action: { type: "run", steps: read.steps } };
}

/** "tomorrow at 9 to call Bob", "to call Bob tomorrow at 9", "明天9点开会": every place where the time may end or begin. */
function splitReminder(body: string, isReminder: boolean, clock: Clock): Split | null {
  if (!isReminder) return null;
  const cuts = [...body.slice(0, WHEN_CHARS_MAX).matchAll(/(?<=\p{Script=Han})|\s+/gu)].map((match) => match.index);
  for (const cut of [...cuts, ...cuts.map((index) => index + 1)].sort((a, b) => b - a)) {
    const split = reminderOf(body.slice(0, cut), body.slice(cut), clock);
    if (split !== null) return split;
  }
  const tail = Math.max(0, body.length - WHEN_CHARS_MAX);
  const starts = [...body.slice(tail).matchAll(/\s+/g)].map((match) => tail + match.index);
  for (const start of starts) {
    const split = reminderOf(body.slice(start).replace(/(?<![.。!！])[.。!！]+$/, ""), body.slice(0, start), clock);
    if (split !== null) return split;
  }
  return null;
}

function reminderOf(said: string, rest: string, clock: Clock): Split | null {
  const text = tidyReminder(rest);
  const when = text === "" ? null : parseWhen(said, clock);
  return when === null ? null : { when, said: withoutCommas(said), action: { type: "remind", text } };
}

function withoutCommas(text: string): string {
  return text.replace(/^[\s,，:：]+|(?<![\s,，])[\s,，]+$/g, "");
}

function tidyReminder(text: string): string {
  return withoutCommas(text)
    .replace(/^(?:to|that|about|of)\s+/i, "")
    .replace(/^(?:去|要)(?=\p{Script=Han}{2})/u, "")
    .trim();
}

/** An order that is not clear, or talk about a command. Code that stands alone is neither. */
function parseUnclear(order: string): Intent | null {
  if (REMIND.test(order))
    return { kind: "unclear", problem: EVERY_OTHER.test(order) ? "every_other" : "no_time", text: order };
  const hasCode = order.includes("`");
  const isTimed = TIME.test(order) || RHYTHM.test(withoutCode(order));
  const isReminder = !hasCode && REMIND_ANYWHERE.test(order);
  if (isTimed && ((hasCode && MENTION.test(withoutCode(order))) || isReminder)) {
    return { kind: "unclear", problem: EVERY_OTHER.test(order) ? "every_other" : "bad_time", text: order };
  }
  if (hasCode && RUN.test(order)) return { kind: "unclear", problem: "leftover", text: order };
  if (hasCode && MENTION.test(withoutCode(order))) return { kind: "unclear", problem: "mention", text: order };
  if (!hasCode && RHYTHM.test(order) && !/[?？]$/.test(order)) {
    return { kind: "unclear", problem: "no_command", text: order };
  }
  return null;
}
