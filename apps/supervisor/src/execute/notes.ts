/**
 * Notes and summaries, on disk. If anything cuts it off, each message comes into memory/ once, and the files that a
 * summary is made of go only when it is durable (SPEC E2, E3).
 */
import { createHash } from "node:crypto";
import type { Action } from "@mimikit/core/base/action";
import { lengthRead, periodPath, ROLL_UP_TRIES_MAX, summaryIn } from "@mimikit/core/memory/roll-up";
import { keptId } from "@mimikit/protocol/base/id";
import { Note } from "@mimikit/protocol/records/archive";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Result } from "@mimikit/protocol/records/result";
import type { RollUp } from "@mimikit/protocol/records/task";
import { directoryOf } from "@mimikit/store/disk/file-system";
import {
  consumeDocument,
  type DocumentLock,
  editMark,
  onNewLine,
  readIfDocument,
  withoutMarks,
} from "@mimikit/store/documents/document";
import { editAnew, whileOpen } from "./edit-once.ts";
import { archive, type ExecContext } from "./exec-context.ts";
import { failedTries } from "./failed-tries.ts";

/** One of the sources is not there as it was read any more. */
const STALE = { problem: "stale" };
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Deeper than a list item's text by four: no line of a message is a heading, a list item or a fence there. */
const CONTINUATION = `\n${" ".repeat(6)}`;
const MARKS = /<!-- \S+ -->/g;

/** Decides what goes into a note, and writes it; one that was decided before is completed. */
export async function note({ note, messages }: Extract<Action, { type: "note" }>, context: ExecContext): Promise<void> {
  const { archiveIndex, audit } = context;
  if (!(await archive(note, Note, context))) {
    const decided = await archiveIndex.read(note.id);
    // Another supervisor has put other turns into it: the next look goes on from there.
    if (!isSameRange(Note.safeParse(decided).data, note)) return;
  }
  const standing = whileOpen(keptId(note.id), context);
  const write = (text: string) => `${onNewLine(text)}${messages.map(itemOf).join("")}${editMark(note.id)}\n`;
  if (messages.length > 0) await editAnew(note.path, { id: note.id, standing, write }, context);
  if (!(await archive({ ...note, id: keptId(note.id) }, Note, context))) return;
  const { fromTurn, throughTurn, path, isFlush } = note;
  audit({
    event: isFlush ? "history_flushed" : "note_made",
    detail: { id: note.id, ...(messages.length > 0 && { path }), fromTurn, throughTurn, messages: messages.length },
  });
}

function isSameRange(decided: Note | undefined, { fromTurn, throughTurn, path }: Note): boolean {
  return decided?.fromTurn === fromTurn && decided.throughTurn === throughTurn && decided.path === path;
}

/** A message as it stands in a note: a list item, whose text can neither end it nor forge a mark. */
export function itemOf({ at, role, text }: HistoryMessage): string {
  return `- ${at} ${role}: ${withoutMarks(text).replaceAll(LINE_BREAK, CONTINUATION).replaceAll(/^ +$/gm, "")}\n`;
}

/**
 * Takes what came of a roll-up; call before its result is archived. Where one of the sources is not there as it was read
 * any more, everything stays as it is, and the period is summed up again; what was only added to it stays, and waits.
 * Throws `DocumentBusy` where one of them is edited or saved just now.
 */
export async function takeSummary(result: Result, rollUp: RollUp, context: ExecContext): Promise<void> {
  const summary = summaryIn(result);
  if (summary === null) return sayIfGivenUp(result, rollUp, context);
  const paths = othersOf(rollUp).map(({ path }) => path);
  // An edit of a source between the look at it and its end would leave it beside a summary that has its words.
  await holding(paths, context.lock, () => putInPlace(summary, result, rollUp, context));
}

/** The sources that go: without an earlier summary of the same period, which is replaced. */
function othersOf({ period, sources }: RollUp): RollUp["sources"] {
  return sources.filter(({ path }) => path !== periodPath(period));
}

/** Does `work` while no other process edits these documents; they are asked for in their order. */
function holding<T>([path, ...others]: string[], lock: DocumentLock, work: () => Promise<T>): Promise<T> {
  return path === undefined ? work() : lock(path, () => holding(others, lock, work));
}

async function putInPlace(summary: string, { id }: Result, rollUp: RollUp, context: ExecContext): Promise<void> {
  const { fs } = context;
  const path = periodPath(rollUp.period);
  const sources = othersOf(rollUp);
  const known = rollUp.sources.find((source) => source.path === path)?.sha256;
  const standing = async () => {
    if (await context.archiveIndex.confirm(id)) return "over";
    if ((await readIfDocument(fs, path))?.includes(editMark(id))) return "open";
    for (const source of sources) {
      const text = await readIfDocument(fs, source.path);
      if (text === null || lengthOf(text, source.sha256) === 0) return STALE;
    }
    return "open";
  };
  const write = (text: string) => {
    const body = `${withoutMarks(summary)}\n`;
    if (known === undefined) return `${onNewLine(text)}${text === "" ? "" : "\n"}${body}${editMark(id)}\n`;
    if (sha256(text) !== known) return STALE;
    // The existing file was one of the sources, and its words are in the summary; its marks stay.
    return `${body}${[...(text.match(MARKS) ?? []), editMark(id)].join(" ")}\n`;
  };
  const edited = await editAnew(path, { id, standing, write }, context);
  if (edited === STALE) context.audit({ event: "roll_up_discarded", taskId: id, detail: { period: rollUp.period } });
  // If it is archived already, its sources are gone, or another process has found that they must stay.
  if (edited === STALE || edited === "over") return;
  for (const { path: read, sha256: known } of sources) {
    const restOf = (text: string) => text.slice(lengthOf(text, known));
    await consumeDocument(fs, read, restOf, read.replace(/\.md$/, `-${id}.md`));
  }
  // A file that came back with the power would be summed up a second time.
  for (const dir of new Set(sources.map((source) => directoryOf(source.path)))) await fs.syncDir(dir);
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** How much of `text` is what had this hash when it was read; 0 where it begins otherwise. */
function lengthOf(text: string, sha256: string): number {
  const hash = createHash("sha256");
  return lengthRead(text, (line) => hash.update(line).copy().digest("hex") === sha256);
}

async function sayIfGivenUp(result: Result, rollUp: RollUp, { archiveIndex, audit }: ExecContext): Promise<void> {
  const { count } = await failedTries(archiveIndex, rollUp, result);
  if (count < ROLL_UP_TRIES_MAX) return;
  const { period } = rollUp;
  audit({
    event: "roll_up_given_up",
    taskId: result.id,
    detail: { period, tries: count, ...(result.error && { error: result.error }) },
  });
}
