/**
 * The conversation goes into memory/, each message once and verbatim: when there is much of it, when it has waited for
 * hours, and before the window of history.json is cut (SPEC E2). Old notes become summaries (SPEC E3).
 */

import { noteId, rollUpId } from "@mimikit/protocol/base/id";
import type { Note } from "@mimikit/protocol/records/archive";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { blankTask, type Task } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { fullAt, type MemoryBounds } from "../base/memory-bounds.ts";
import type { MemoryFacts, Snapshot, TurnSaid } from "../base/snapshot.ts";
import { sourcesPrompt } from "../memory/roll-up.ts";

/** A wide character, as those of Chinese are, counts as two. */
const SLUG_CHARS_MAX = 32;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gv;
/** Chinese has no spaces: it is one word up to where another script begins. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]]+/gv;
/** Of Latin, Greek and Cyrillic letters. */
const ACCENTS = /[\u0300-\u036f]/g;
const DAY_CHARS = "2026-11-22".length;
/** Below that of any requested task: it is never urgent. */
const ROLL_UP_PRIORITY = 0;

export function remember(snapshot: Snapshot, nowMs: number): Action[] {
  const { memory, settledTurn } = snapshot;
  const { note: last, said } = memory;
  const readThrough = said.at(-1)?.turn ?? keptThrough(memory);
  // A decided note is finished before anything else is decided.
  if (last !== null && !last.isKept) return readThrough < last.throughTurn ? [] : [noteAction(last, said)];
  const through = fullAt(said, memory.bounds);
  if (through !== null) return [noteAction(nextNote(memory, through, nowMs), said)];
  if (readThrough < settledTurn) return [];
  if (isOld(said, memory.bounds, nowMs)) return [noteAction(nextNote(memory, readThrough, nowMs), said)];
  if (isFlushDue(memory, nowMs))
    return [noteAction({ ...nextNote(memory, readThrough, nowMs, flushPath(said, nowMs)), isFlush: true }, said)];
  return rollUp(snapshot, nowMs);
}

function noteAction(note: Note, said: readonly TurnSaid[]): Action {
  const { kind, id, number, at, fromTurn, throughTurn, path, isFlush } = note;
  const isIn = ({ turn }: TurnSaid) => turn >= fromTurn && turn <= throughTurn;
  const messages = said.filter(isIn).flatMap((turn) => turn.messages);
  return { type: "note", note: { kind, id, number, at, fromTurn, throughTurn, path, isFlush }, messages };
}

/** The last turn that is in memory/. */
function keptThrough({ note }: MemoryFacts): number {
  if (note === null) return 0;
  return note.isKept ? note.throughTurn : note.fromTurn - 1;
}

function isOld(said: readonly TurnSaid[], { noteAfterSec }: MemoryBounds, nowMs: number): boolean {
  const first = messagesIn(said)[0];
  // A clock that was set back must not put off the note by the difference.
  return first !== undefined && Math.abs(nowMs - Date.parse(first.at)) >= noteAfterSec * 1_000;
}

function isFlushDue({ bounds, windowMessages, flushedAt }: MemoryFacts, nowMs: number): boolean {
  if (windowMessages < bounds.windowMessages) return false;
  return flushedAt === null || Math.abs(nowMs - Date.parse(flushedAt)) >= bounds.flushEverySec * 1_000;
}

function nextNote(memory: MemoryFacts, throughTurn: number, nowMs: number, path?: string): Note {
  const number = (memory.note?.number ?? 0) + 1;
  const fromTurn = keptThrough(memory) + 1;
  const messages = messagesIn(memory.said.filter(({ turn }) => turn <= throughTurn));
  return {
    kind: "note",
    id: noteId(number),
    number,
    at: new Date(nowMs).toISOString(),
    fromTurn,
    throughTurn,
    path: path ?? notePath(messages, number, nowMs),
    isFlush: false,
  };
}

function messagesIn(said: readonly TurnSaid[]): HistoryMessage[] {
  return said.flatMap(({ messages }) => messages);
}

/** `memory/2026-11-17-deploy-the-site.md`: the UTC day of the first message, and the words of the user's first. */
function notePath(messages: readonly HistoryMessage[], number: number, nowMs: number): string {
  const words = messages.find(({ role }) => role === "user")?.text ?? "";
  return `memory/${dayOf(messages, nowMs)}-${slugOf(words) || `mem-${number}`}.md`;
}

function flushPath(said: readonly TurnSaid[], nowMs: number): string {
  return `memory/${dayOf(messagesIn(said), nowMs)}.md`;
}

function dayOf([first]: readonly HistoryMessage[], nowMs: number): string {
  return (first?.at ?? new Date(nowMs).toISOString()).slice(0, DAY_CHARS);
}

/** Whole words where they fit, of any script; letters lose their accents. Empty where a text has no letters or digits. */
export function slugOf(text: string): string {
  const plain = text.normalize("NFKD").toLowerCase().replaceAll(ACCENTS, "").normalize("NFC");
  const [first = "", ...words] = plain.match(WORDS) ?? [];
  let slug = "";
  for (const letter of first) if (widthOf(slug + letter) <= SLUG_CHARS_MAX) slug += letter;
  for (const word of words) {
    if (widthOf(`${slug}-${word}`) > SLUG_CHARS_MAX) break;
    slug += `-${word}`;
  }
  return slug;
}

function widthOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}

/** A summary is not urgent, so it waits for room in the budget. */
function rollUp({ memory, ceiling }: Snapshot, nowMs: number): Action[] {
  if (memory.rollUp === null || ceiling !== null) return [];
  const { period, number, sources, remembered = [] } = memory.rollUp;
  const id = rollUpId(period, number);
  const task: Task = {
    ...blankTask("roll-up"),
    id,
    title: `summary of ${period}`,
    prompt: sourcesPrompt(sources, remembered),
    priority: ROLL_UP_PRIORITY,
    createdAt: new Date(nowMs).toISOString(),
    traceId: id,
    rollUp: {
      period,
      sources: sources.map(({ path, sha256 }) => ({ path, sha256 })),
      ...(remembered.length > 0 && { remembered: [...remembered] }),
    },
  };
  return [{ type: "roll-up", task }];
}
