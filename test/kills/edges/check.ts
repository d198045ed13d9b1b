/**
 * Was each promise of the edges kept? Pure: it judges what was seen in the state directory, in the audit log and by the
 * servers outside. Each promise is in the page of docs/ that its function names.
 */
import { type Edge, endOf, HEARD, kindOf, marksBehind, marksIn, REPORTED } from "./jobs.ts";

/** A job that was acknowledged at its edge. */
export interface Given {
  mark: string;
  edge: Edge;
  /** The id in each acknowledgement, of the message or the command; none at Telegram. */
  ids: readonly string[];
  /** SHA-256 of the attached file. */
  file?: string;
  /** The answer to a client of /v1. */
  reply?: string;
}

export interface Turn {
  id: string;
  /** `via` is the channel, for what came by one. */
  messages: readonly { id: string; text: string; via?: string; files: readonly string[] }[];
  reply: string | null;
}

export interface Work {
  id: string;
  title: string;
  /** The result, or null of a task that failed. */
  text: string | null;
  triggerId?: string;
}

/** A question whether a call is made, which is closed. */
export interface Asked {
  id: string;
  taskId: string;
  answer: string | null;
}

export interface Delivery {
  id: string;
  hook: string;
  event: string;
  /** The id of the task, or of the question. */
  of: string;
  ended: { outcome: string; atMs: number } | null;
}

export interface Received {
  id: string;
  body: string;
  atMs: number;
  /** The address said that it has taken it, or seemed to die before it could. */
  answer: "taken" | "refused" | "cut";
}

export interface Send {
  id: string;
  /** The id of the message or question. */
  of: string;
  /** Tries of which each may have arrived. */
  begun: number;
  ended: { outcome: string; atMs: number } | null;
}

export interface Observed {
  given: readonly Given[];
  turns: readonly Turn[];
  /** Tasks of Workers that have ended. */
  works: readonly Work[];
  /** The trigger that the hook for others runs. */
  triggerId: string;
  asked: readonly Asked[];
  /** The answers that were given, by question. */
  answers: ReadonlyMap<string, string>;
  /** The marks that commands which asked have left, and the calls that the MCP server has had, as `say mark`. */
  allowed: readonly string[];
  called: readonly string[];
  deliveries: readonly Delivery[];
  received: readonly Received[];
  /** The ids of tasks that the command of a hook was started for, one for each time. */
  commands: readonly string[];
  sends: readonly Send[];
  /** The texts that Telegram has taken, in their order. */
  telegram: readonly { text: string; atMs: number }[];
  /** Updates that Telegram still keeps. */
  unconfirmed: number;
  /** The lines of the audit log about deliveries. */
  audit: readonly { event: string; delivery: string }[];
  /** The files that are kept, by their names, and the SHA-256 of their bytes. */
  files: ReadonlyMap<string, string>;
  /** Processes and files that nothing needs any more. */
  left: readonly string[];
}

/** The hooks of the run, and the events that each waits for. */
export const CALLING = "calling";
export const COMMANDING = "commanding";
export const ASKING = "asking";

export const REPEATED = /^\(This may be a repetition\.\).*\n/;
/** Telegram is sent a part so often at most (docs/channels.md#delivery). */
const SENDS_MAX = 3;

/** One sentence for each promise that was not kept. */
export function problemsOf(seen: Observed): string[] {
  return [
    ...openIn(seen),
    ...seen.given.flatMap((given) => [
      ...messageOf(given, seen),
      ...workOf(given, seen),
      ...approvalOf(given, seen),
      ...callOf(given, seen),
    ]),
    ...strangeJobs(seen),
    ...answersOf(seen),
    ...deliveriesOf(seen),
    ...sendsOf(seen),
    ...seen.left.map((what) => `${what} is left behind`),
  ];
}

/** Everything that is still open: at the end it is late. */
export function openIn(seen: Observed): string[] {
  const heard = new Set(seen.turns.flatMap(({ reply }) => marksBehind(HEARD, reply ?? "")));
  const ended = new Set(seen.works.flatMap(marksOfWork));
  const unreported = reportsMissing(seen);
  const due = new Set(seen.sends.flatMap(({ of, ended }) => (ended === null ? [] : [of])));
  return [
    ...seen.given.flatMap(({ mark, edge }) => [
      ...(edge !== "hook" && !heard.has(mark) ? [`${mark} has no reply yet`] : []),
      ...(edge === "hook" && !ended.has(mark) ? [`${mark} has not run yet`] : []),
      ...(edge !== "hook" && kindOf(mark) !== "talk" && !ended.has(mark) ? [`${mark} has not ended yet`] : []),
    ]),
    ...unreported.map((mark) => `${mark} is not reported yet`),
    ...seen.deliveries.flatMap(({ id, hook, ended }) => (ended === null ? [`${id} of ${hook} has not ended yet`] : [])),
    ...expectedDeliveries(seen).flatMap(([hook, of]) =>
      seen.deliveries.some((each) => each.hook === hook && each.of === of) ? [] : [`${hook} was not told of ${of} yet`],
    ),
    ...toTelegram(seen).flatMap(({ id }) => (due.has(`${id}.reply`) ? [] : [`Telegram was not sent ${id} yet`])),
    ...(seen.unconfirmed > 0 ? [`Telegram keeps ${seen.unconfirmed} updates`] : []),
  ];
}

const marksOfWork = ({ title, text }: Work) => marksIn(`${title} ${text ?? ""}`).slice(0, 1);

function reportsMissing({ given, turns, works }: Observed): string[] {
  const reported = new Set(turns.flatMap(({ reply }) => marksBehind(REPORTED, reply ?? "")));
  const marks = new Set(works.flatMap(marksOfWork));
  // A task of a trigger that failed is reported by the trigger's title.
  const named = new Set(works.flatMap((each) => (each.text === null ? marksIn(each.title) : marksOfWork(each))));
  return given.flatMap(({ mark }) => (marks.has(mark) && named.has(mark) && !reported.has(mark) ? [mark] : []));
}

/** docs/reliability.md, docs/channels.md#delivery, docs/clients.md: one message, one reply, its file with it. */
function messageOf({ mark, edge, ids, file, reply }: Given, { turns, files }: Observed): string[] {
  const problems: string[] = [];
  const distinct = new Set(ids);
  if (distinct.size > 1)
    problems.push(`${mark} was acknowledged under ${distinct.size} ids: ${[...distinct].join(", ")}`);
  if (edge === "hook") return problems;
  const said = turns.flatMap((turn) => turn.messages.filter(({ text }) => marksIn(text).includes(mark)));
  if (said.length !== 1) problems.push(`${mark} was said ${said.length} times`);
  const [id] = distinct;
  if (id !== undefined && !said.some((message) => message.id === id))
    problems.push(`${mark} was acknowledged as ${id}, which is in no turn`);
  for (const message of said) {
    const isRight = edge === "telegram" ? message.via === "telegram" : message.via === undefined;
    if (!isRight) problems.push(`${mark} came by ${edge}, and is kept as of ${message.via ?? "the page"}`);
    if (file === undefined) continue;
    if (message.files.join() !== file)
      problems.push(`${mark} was sent with the file ${file}, and has ${message.files.join(", ") || "none"}`);
    if (files.get(file) !== file) problems.push(`the file of ${mark} is ${files.has(file) ? "damaged" : "lost"}`);
  }
  const replies = turns.filter((turn) => marksBehind(HEARD, turn.reply ?? "").includes(mark));
  if (replies.length > 1)
    problems.push(`${mark} has ${replies.length} replies: ${replies.map((turn) => turn.id).join(", ")}`);
  if (reply !== undefined && replies[0] !== undefined && reply !== replies[0].reply)
    problems.push(`a client was answered "${reply}" to ${mark}, and its reply is "${replies[0].reply}"`);
  return problems;
}

/** docs/hooks.md#from-outside, docs/reliability.md: a job becomes one task, and its result is reported once. */
function workOf({ mark, edge, file }: Given, { works, turns, triggerId }: Observed): string[] {
  const own = works.filter((each) => marksOfWork(each).includes(mark));
  const problems: string[] = [];
  if (own.length > 1) problems.push(`${mark} became ${own.length} tasks: ${own.map(({ id }) => id).join(", ")}`);
  if (edge === "hook" && own.some((each) => each.triggerId !== triggerId))
    problems.push(`${mark} ran without its trigger`);
  const reports = turns.filter((turn) => marksBehind(REPORTED, turn.reply ?? "").includes(mark));
  if (reports.length > 1)
    problems.push(`${mark} was reported ${reports.length} times: ${reports.map(({ id }) => id).join(", ")}`);
  const text = own[0]?.text ?? null;
  if (file !== undefined && text !== null && text !== endOf(mark, `done file of ${mark}`))
    problems.push(`the Worker of ${mark} did not find its file: ${text}`);
  return problems;
}

/** docs/autonomy.md: at most once for each yes, and never for a no. */
function approvalOf({ mark }: Given, seen: Observed): string[] {
  const kind = kindOf(mark);
  if (kind !== "allow" && kind !== "refuse" && kind !== "write") return [];
  const own = seen.works.filter((each) => marksOfWork(each).includes(mark));
  const asked = seen.asked.filter(({ taskId }) => own.some(({ id }) => id === taskId));
  const yeses = asked.filter(({ answer }) => answer?.startsWith("yes") === true).length;
  const runs = timesIn(kind === "write" ? seen.called : seen.allowed, kind === "write" ? `write ${mark}` : mark);
  const problems: string[] = [];
  if (runs > yeses) problems.push(`${mark} was made ${runs} times for ${yeses} yeses`);
  if (runs === 0 && own.some(({ text }) => text?.startsWith(endOf(mark, "done")) === true))
    problems.push(`${mark} is done, and was never made`);
  return problems;
}

/** docs/mcp.md#when-something-fails: at most once by Mimikit, and once where the Worker was answered. */
function callOf({ mark }: Given, { called, works }: Observed): string[] {
  if (kindOf(mark) !== "mcp") return [];
  const calls = timesIn(called, `say ${mark}`);
  const isDone = works.some(({ text }) => text?.startsWith(endOf(mark, "done")) === true);
  if (calls > 1) return [`the MCP server had the call of ${mark} ${calls} times`];
  return isDone && calls === 0 ? [`${mark} is done, and the MCP server had no call`] : [];
}

/** A task, a message or a call without a job that was acknowledged. */
function strangeJobs({ given, turns, works, called, allowed, triggerId, deliveries }: Observed): string[] {
  const known = new Set(given.map(({ mark }) => mark));
  const fired = works.filter((each) => each.triggerId === triggerId);
  const hooks = given.filter(({ edge }) => edge === "hook").length;
  const seen = [
    ...turns.flatMap(({ messages }) => messages.map(({ text }) => text)),
    ...works.map(({ title, text }) => `${title} ${text ?? ""}`),
    ...called,
    ...allowed,
  ];
  const tasks = new Set(works.map(({ id }) => id));
  return [
    ...marksIn(seen.join("\n")).flatMap((mark) => (known.has(mark) ? [] : [`nobody was acknowledged ${mark}`])),
    ...(fired.length > hooks ? [`${hooks} deliveries were accepted, and ${fired.length} tasks ran for them`] : []),
    ...deliveries.flatMap(({ id, hook, event, of }) =>
      event.startsWith("task_") && !tasks.has(of) ? [`${id} tells ${hook} of ${of}, which has not ended`] : [],
    ),
  ];
}

/** docs/questions.md: an acknowledged answer is the one that counts. */
function answersOf({ asked, answers }: Observed): string[] {
  const closed = new Map(asked.map(({ id, answer }) => [id, answer]));
  return [...answers].flatMap(([id, answer]) =>
    closed.get(id) === answer ? [] : [`${id} was answered "${answer}", and counts as "${closed.get(id) ?? "open"}"`],
  );
}

/** The events that each hook must be told of. */
function expectedDeliveries({ works, asked }: Observed): (readonly [hook: string, of: string])[] {
  return [
    ...works.flatMap(({ id }) => [[CALLING, id] as const, [COMMANDING, id] as const]),
    ...asked.map(({ id }) => [ASKING, id] as const),
  ];
}

/** docs/hooks.md#delivery: a call at least once under one id and with one body; a command at most once; one end. */
function deliveriesOf({ deliveries, received, commands, audit }: Observed): string[] {
  const problems: string[] = [];
  const byEvent = new Map<string, string>();
  for (const { id, hook, event, of, ended } of deliveries) {
    const key = `${hook} ${event} ${of}`;
    const other = byEvent.get(key);
    if (other !== undefined) problems.push(`${key} is told as ${other} and as ${id}`);
    byEvent.set(key, id);
    const ends = audit.filter((line) => line.delivery === id && line.event !== "hook_begun");
    if (ends.length > 1) problems.push(`the audit log has ${ends.length} ends of ${id}`);
    if (ended === null) continue;
    if (hook === COMMANDING) {
      const runs = timesIn(commands, of);
      if (runs > 1) problems.push(`the command of ${id} was started ${runs} times for ${of}`);
      if (runs === 0 && ended.outcome === "ran") problems.push(`the command of ${id} has ended well, and never ran`);
      if (!["ran", "interrupted"].includes(ended.outcome))
        problems.push(`the command of ${id} ended as ${ended.outcome}`);
      continue;
    }
    const calls = received.filter((each) => each.id === id);
    if (ended.outcome !== "sent") problems.push(`the call ${id} ended as ${ended.outcome}`);
    else if (!calls.some(({ answer }) => answer === "taken"))
      problems.push(`the call ${id} counts as sent, and was never taken`);
    if (new Set(calls.map(({ body }) => body)).size > 1) problems.push(`the call ${id} came with different bodies`);
    if (calls.some(({ atMs }) => atMs > ended.atMs)) problems.push(`the call ${id} was made again after its end`);
  }
  const known = new Set(deliveries.map(({ id }) => id));
  for (const id of new Set(received.map((each) => each.id)))
    if (!known.has(id)) problems.push(`the call ${id} is no delivery`);
  return problems;
}

/** The turns whose reply is for Telegram: they answer it, or report work and answer nobody. */
function toTelegram({ turns }: Observed): Turn[] {
  return turns.filter(({ messages, reply }) => reply !== null && messages.every(({ via }) => via === "telegram"));
}

/** docs/channels.md#delivery: once; and where it is uncertain, again with its mark, three times in all. */
function sendsOf({ turns, sends, telegram }: Observed): string[] {
  const problems: string[] = [];
  const taken = telegram.map(({ text, atMs }) => ({
    text: text.replace(REPEATED, ""),
    isMarked: REPEATED.test(text),
    atMs,
  }));
  for (const { id, reply } of turns) {
    if (reply === null) continue;
    const own = sends.filter(({ of }) => of === `${id}.reply`);
    const copies = taken.filter(({ text }) => text === reply);
    // A reply without a mark may be that of other turns, too.
    const isUnique = marksIn(reply).length > 0;
    if (own.length > 1) problems.push(`the reply of ${id} has ${own.length} sends`);
    const [send] = own;
    if (!isUnique) continue;
    const begun = send?.begun ?? 0;
    if (copies.length > begun)
      problems.push(`Telegram has the reply of ${id} ${copies.length} times after ${begun} tries`);
    if (begun > SENDS_MAX) problems.push(`the reply of ${id} was tried ${begun} times`);
    if (copies.filter(({ isMarked }) => !isMarked).length > 1)
      problems.push(`Telegram has the reply of ${id} twice without a mark`);
    if (send?.ended?.outcome === "sent" && copies.length === 0)
      problems.push(`the reply of ${id} counts as sent, and Telegram has not had it`);
    if (send?.ended?.outcome === "refused") problems.push(`the reply of ${id} was refused`);
    if (send?.ended != null && copies.some(({ atMs }) => atMs > (send.ended?.atMs ?? 0)))
      problems.push(`Telegram was sent the reply of ${id} after its end`);
  }
  return problems;
}

const timesIn = (lines: readonly string[], line: string) => lines.filter((each) => each === line).length;
