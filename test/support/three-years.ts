/**
 * A state directory in which somebody has talked for three years: the archive and its compacted files, the partitions of history,
 * summaries of months and days, and notes, all in the formats of the real thing. One decision stands out in it, and
 * another one on the same subject a year before.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messagesOf } from "@mimikit/core/views/history";
import { noteId, turnId } from "@mimikit/protocol/base/id";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { CompactedHeader, Note } from "@mimikit/protocol/records/archive";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import type { Message } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { blankTask } from "@mimikit/protocol/records/task";
import { prepareHome } from "@mimikit/runtime/home/home";
import { archivePath, compactedPath, MEMORY, MEMORY_SUMMARY } from "@mimikit/store/disk/state";
import { appendHistory } from "@mimikit/store/views/history-partitions";

const MONTHS = 36;
/** Each is a message and its answer. */
const TURNS_A_MONTH = 140;
const DAY_MS = 86_400_000;
/** Summaries of days are younger than that, and notes than the second (SPEC E1). */
const MONTHLY_AFTER_DAYS = 90;
const DAILY_AFTER_DAYS = 5;

const SUBJECTS = [
  "the deployment",
  "the database",
  "the invoices",
  "the release notes",
  "the garden",
  "the test server",
];
const SUBJECTS_ZH = ["部署", "数据库", "发票", "发布说明", "花园", "测试服务器"];
const ASIDES = ["takes too long", "needs a look", "was fine today", "is on my list", "worries me a little"];

/** A decision about the deployment, in the March of a year. */
export interface Decision {
  year: number;
  said: string;
  summary: string;
  messageId: string;
}

export interface Years {
  /** The last March that is only remembered by the month. */
  decision: Decision;
  /** The March before. */
  decoy: Decision;
  turns: number;
  /** The last turn, and how many messages there are. */
  messages: number;
}

/** Writes the state. @param nowMs the end of the three years, or of as many months. */
export async function writeYears(home: string, nowMs: number, months = MONTHS): Promise<Years> {
  prepareHome(home);
  const { decision, decoy } = decisionsBefore(nowMs);
  let turn = 0;
  let messages = 0;
  for (const month of monthsBefore(nowMs, months)) {
    const results = resultsOf(month, turn, [decision, decoy], nowMs);
    turn += results.length;
    const lines = results.map(
      (result): HistoryTurn => ({ turn: Number(result.id.slice(2)), messages: messagesOf(result) }),
    );
    messages += lines.reduce((sum, line) => sum + line.messages.length, 0);
    await appendHistory(home, month, lines);
    const isLast = month === monthAt(nowMs);
    // The highest turn is never compacted.
    const folded = isLast ? results.slice(0, -1) : results;
    writeCompacted(home, month, folded);
    for (const result of isLast ? results.slice(-1) : [])
      write(home, archivePath(result.id), `${JSON.stringify(result)}\n`);
    writeMemory(home, month, [decision, decoy], nowMs);
  }
  const note: Note = {
    kind: "note",
    id: noteId(1),
    number: 1,
    at: new Date(nowMs).toISOString(),
    fromTurn: 1,
    throughTurn: turn,
    path: `${MEMORY}/everything.md`,
    isFlush: false,
  };
  write(home, archivePath(note.id), `${JSON.stringify(Note.parse(note))}\n`);
  write(home, note.path, `- all of it <!-- ${note.id} -->\n`);
  return { decision, decoy, turns: turn, messages };
}

function decisionsBefore(nowMs: number): Pick<Years, "decision" | "decoy"> {
  const newestDaily = monthAt(nowMs - MONTHLY_AFTER_DAYS * DAY_MS);
  const year = Number(newestDaily.slice(0, 4));
  const last = `${year}-03` < newestDaily ? year : year - 1;
  return {
    decision: {
      year: last,
      said: "I decided about the deployment: blue and green behind the proxy, on Thursdays",
      summary: "Decided about the deployment: blue and green behind the proxy, on Thursdays.",
      messageId: `m-decision-${last}`,
    },
    decoy: {
      year: last - 1,
      said: "I decided about the deployment: one long script by hand, on Fridays",
      summary: "Decided about the deployment: one long script by hand, on Fridays.",
      messageId: `m-decision-${last - 1}`,
    },
  };
}

function monthAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** `2023-12` to `2026-11`. */
function monthsBefore(nowMs: number, count: number): string[] {
  const now = new Date(nowMs);
  return Array.from({ length: count }, (_, i) =>
    monthAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count + 1 + i, 1)),
  );
}

/** The turns of a month, spread over its days. */
function resultsOf(month: string, before: number, decisions: Decision[], nowMs: number): Result[] {
  const startMs = Date.parse(`${month}-01T06:00:00.000Z`);
  const endMs = Math.min(startMs + 27 * DAY_MS, nowMs - DAY_MS / 2);
  const decision = decisions.find(({ year }) => month === `${year}-03`);
  return Array.from({ length: endMs > startMs ? TURNS_A_MONTH : 1 }, (_, i) => {
    const n = before + i + 1;
    const at = new Date(startMs + Math.max(0, endMs - startMs) * (i / TURNS_A_MONTH)).toISOString();
    const isDecision = decision !== undefined && i === TURNS_A_MONTH / 2;
    const message = isDecision ? { id: decision.messageId, text: decision.said } : { id: `m-${n}`, text: smallTalk(n) };
    return resultOf(n, { kind: "message", at, ...message });
  });
}

/** It is repeated every few dozen turns, so that every word of it is common. */
function smallTalk(n: number): string {
  const place = n % SUBJECTS.length;
  if (n % 3 === 0) return `今天${SUBJECTS_ZH[place]}怎么样？第 ${n % 17} 次看了`;
  return `${SUBJECTS[place]} ${ASIDES[n % ASIDES.length]}, look number ${n % 13}`;
}

function resultOf(n: number, message: Message): Result {
  const id = turnId(n);
  return {
    id,
    task: {
      ...blankTask("turn"),
      id,
      title: "turn",
      prompt: "",
      priority: 5,
      createdAt: message.at,
      traceId: id,
      turn: { messages: [message], events: [], results: [] },
    },
    status: "done",
    resultType: "turn",
    result: {},
    effects: [{ type: "reply", text: `Noted, number ${n % 29}.` }],
    attempts: 1,
    completedAt: message.at,
    usage: NO_USAGE,
  };
}

function writeCompacted(home: string, month: string, results: readonly Result[]): void {
  const [first] = results;
  if (first === undefined) return;
  Result.parse(first);
  const records = results.flatMap((result) => [result, ...(result.task.turn?.messages ?? [])]);
  const header = CompactedHeader.parse({ kind: "fold", month, ids: records.map(({ id }) => id) });
  write(home, compactedPath(month, 1), `${[header, ...records].map((each) => JSON.stringify(each)).join("\n")}\n`);
}

/** A summary of the month, or of its days, or notes: whichever is of its age. */
function writeMemory(home: string, month: string, decisions: Decision[], nowMs: number): void {
  const decision = decisions.find(({ year }) => month === `${year}-03`);
  const lines = SUBJECTS.map((subject, i) => `- Spoke about ${subject}: ${ASIDES[i % ASIDES.length]}.`);
  // A summary's line about a subject is the decision about it.
  if (decision !== undefined) lines[0] = `- ${decision.summary}`;
  if (month < monthAt(nowMs - MONTHLY_AFTER_DAYS * DAY_MS)) {
    write(home, `${MEMORY_SUMMARY}/${month}.md`, `${lines.join("\n")}\n`);
    return;
  }
  for (let day = Date.parse(`${month}-01T00:00:00Z`); day < nowMs; day += DAY_MS) {
    const date = new Date(day).toISOString().slice(0, 10);
    if (!date.startsWith(month)) break;
    const dir = day < nowMs - DAILY_AFTER_DAYS * DAY_MS ? MEMORY_SUMMARY : MEMORY;
    write(home, `${dir}/${date}.md`, `${lines.slice(0, 3).join("\n")}\n`);
  }
}

function write(home: string, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text, { mode: 0o600 });
}
