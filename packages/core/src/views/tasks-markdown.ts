/**
 * tasks.md, the log for people (SPEC N1): what runs, what waits, what is asked, what stands, what ended last. The same
 * facts always give the same text, and text from outside is escaped, so that it can be nothing but text here.
 */

import type { Question } from "@mimikit/protocol/records/question";
import type { PastOccurrence, Trigger } from "@mimikit/protocol/records/trigger";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { durationText, momentText, whenText } from "../schedule/trigger-words.ts";

/** Rows of each list; what else there is, is counted. */
const ROWS_MAX = 100;
export const ENDED_SHOWN_MAX = 30;
const CELL_CHARS_MAX = 160;

export const FIRST_LINE =
  "*This page is a view: Mimikit rewrites it whenever something changes, so your edits to it are lost.*";

export interface TasksPage {
  /** Tasks of all states, in any order; Teller turns are not among them. */
  tasks: readonly TaskSummary[];
  /** Open ones. */
  questions: readonly Question[];
  /** Triggers, and when each fires next: milliseconds, null if unknown. */
  triggers: readonly { trigger: Trigger; nextMs: number | null }[];
  /** The IANA zone of all times on the page. */
  timeZone: string;
}

export function tasksMarkdown(page: TasksPage): string {
  const { tasks, timeZone } = page;
  const inState = (state: TaskSummary["state"]) => tasks.filter((task) => task.state === state);
  const sections = [
    section("Questions to you", page.questions.toSorted(byKey("expiresAt")), (each) => questionLine(each, timeZone)),
    section("Running", inState("running").toSorted(byKey("startedAt")), (each) => runningLine(each, timeZone)),
    section("Queued", inState("queued").toSorted(byUrgency), queuedLine),
    section("Waiting for another task", inState("waiting").toSorted(byKey("createdAt")), waitingLine),
    triggerTable(page),
    section("Ended last", endedIn(tasks), (each) => endedLine(each, timeZone)),
  ].filter((text) => text !== "");
  const body = sections.length === 0 ? ["Nothing runs, and nothing waits."] : sections;
  return `${[FIRST_LINE, "# Tasks", ...body, `Times are those of ${markdownText(timeZone)}.`].join("\n\n")}\n`;
}

/** A section with a line for each of `rows`; nothing at all where there are none. */
function section<T>(title: string, rows: readonly T[], lineOf: (row: T) => string): string {
  if (rows.length === 0) return "";
  const lines = rows.slice(0, ROWS_MAX).map((row) => `- ${lineOf(row)}`);
  if (rows.length > ROWS_MAX) lines.push(`- … and ${rows.length - ROWS_MAX} more`);
  return `## ${title}\n\n${lines.join("\n")}`;
}

function questionLine({ id, question, options, expiresAt, default: answer }: Question, timeZone: string): string {
  const choice = options.length === 0 ? "" : ` ${options.map(markdownText).join(" · ")}`;
  const otherwise = answer === undefined ? "" : `, then "${markdownText(answer)}"`;
  return `**${markdownText(question)}**${choice} (${idText(id)}, until ${momentText(Date.parse(expiresAt), timeZone)}${otherwise})`;
}

function runningLine({ title, id, role, startedAt, attempts }: TaskSummary, timeZone: string): string {
  const since = startedAt === undefined ? "" : `, since ${momentText(Date.parse(startedAt), timeZone)}`;
  return `**${markdownText(title)}** (${idText(id)}, ${role}${since}${attempts > 1 ? `, attempt ${attempts}` : ""})`;
}

function queuedLine({ title, id, role, priority, attempts }: TaskSummary): string {
  return `**${markdownText(title)}** (${idText(id)}, ${role}, priority ${priority}${attempts > 0 ? `, after ${attempts} attempts` : ""})`;
}

function waitingLine({ title, id, after = [] }: TaskSummary): string {
  const waits = after.length === 0 ? "" : `, after ${after.map(idText).join(", ")}`;
  return `**${markdownText(title)}** (${idText(id)}${waits})`;
}

function endedLine(task: TaskSummary, timeZone: string): string {
  const { title, id, role, state, startedAt, completedAt = "", failureReason, error } = task;
  const tookSec = startedAt === undefined ? 0 : (Date.parse(completedAt) - Date.parse(startedAt)) / 1_000;
  const took = tookSec >= 1 ? `, ${durationText(tookSec)}` : "";
  const reason = failureReason === undefined || state === "cancelled" ? "" : ` (${failureReason})`;
  const why = error === undefined || state === "done" ? "" : `: ${markdownText(error)}`;
  return `${momentText(Date.parse(completedAt), timeZone)} ${state}${reason} **${markdownText(title)}** (${idText(id)}, ${role}${took})${why}`;
}

function endedIn(tasks: readonly TaskSummary[]): TaskSummary[] {
  const ended = tasks.filter(({ completedAt }) => completedAt !== undefined);
  return ended.toSorted(byKey("completedAt")).reverse().slice(0, ENDED_SHOWN_MAX);
}

function triggerTable({ triggers, timeZone }: TasksPage): string {
  if (triggers.length === 0) return "";
  // Those that fire by a condition, or not at all for now, come last.
  const inOrder = triggers.toSorted(
    (a, b) => (a.nextMs ?? Infinity) - (b.nextMs ?? Infinity) || (a.trigger.id < b.trigger.id ? -1 : 1),
  );
  const rows = inOrder
    .slice(0, ROWS_MAX)
    .map(({ trigger, nextMs }) =>
      [
        trigger.paused ? "paused" : nextMs === null ? "–" : momentText(nextMs, timeZone),
        `**${markdownText(trigger.title)}**`,
        markdownText(whenText(trigger, timeZone)),
        trigger.target,
        lastText(trigger.recent.at(-1), timeZone),
        idText(trigger.id),
      ].join(" | "),
    );
  const more = triggers.length > ROWS_MAX ? `\n\n… and ${triggers.length - ROWS_MAX} more` : "";
  return `## Triggers\n\n| next | what | when | for | last | id |\n|---|---|---|---|---|---|\n${rows.map((row) => `| ${row} |`).join("\n")}${more}`;
}

function lastText(past: PastOccurrence | undefined, timeZone: string): string {
  if (past === undefined) return "–";
  if (past.outcome === "fired") return `fired ${momentText(Date.parse(past.at), timeZone)}`;
  return `skipped ${momentText(Date.parse(past.to), timeZone)}: ${markdownText(past.reason)}`;
}

function byKey<K extends string>(key: K) {
  return (a: { [Key in K]?: string | undefined }, b: { [Key in K]?: string | undefined }) => {
    const [first = "", second = ""] = [a[key], b[key]];
    return first < second ? -1 : first > second ? 1 : 0;
  };
}

/** In the order in which they will run (SPEC A5). */
function byUrgency(a: TaskSummary, b: TaskSummary): number {
  return b.priority - a.priority || byKey("createdAt")(a, b);
}

/** Ids have no character that means anything between backticks. */
function idText(id: string): string {
  return `\`${id}\``;
}

/** Text from outside on one line, bounded, with everything escaped that Markdown or HTML would obey. */
export function markdownText(text: string): string {
  const line = text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
  const short = line.length > CELL_CHARS_MAX ? `${beginningOf(line, CELL_CHARS_MAX - 1)}…` : line;
  return short.replace(/[\\`*_[\]<>&|~]/g, "\\$&");
}
