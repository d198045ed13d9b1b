/**
 * Notes and summaries, on disk. Whatever cuts it off: each message comes into memory/ once, and the files that a summary is
 * made of go only when it is durable (SPEC E2, E3).
 */
import { createHash } from "node:crypto";
import type { Action } from "@mimikit/core/base/action";
import { lengthRead, periodPath, ROLL_UP_TRIES_MAX, summaryIn } from "@mimikit/core/memory/roll-up";
import { keptId } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import { Note } from "@mimikit/protocol/records/archive";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Result } from "@mimikit/protocol/records/result";
import type { RollUp } from "@mimikit/protocol/records/task";
import { directoryOf } from "@mimikit/store/disk/file-system";
import {
  DOCUMENT_BYTES_MAX,
  DocumentBusy,
  type DocumentLock,
  editDocument,
  editMark,
  replaceDocument,
  withoutMarks,
} from "@mimikit/store/documents/document";
import { failedTries } from "../documents/failed-tries.ts";
import { archive, type Hands } from "./hands.ts";
import { settingAside } from "./set-aside.ts";

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Deeper than a list item's text by four: no line of a message is a heading, a list item or a fence there. */
const CONTINUATION = `\n${" ".repeat(6)}`;
const MARKS = /<!-- \S+ -->/g;

/** Decides what goes into a note, and writes it; one that was decided before is completed. */
export async function note({ note, messages }: Extract<Action, { type: "note" }>, hands: Hands): Promise<void> {
  const { ledger, audit } = hands;
  if (!(await archive(note, Note, hands))) {
    const decided = await ledger.read(note.id);
    // Another supervisor has put other turns into it: the next look goes on from there.
    if (!isSameRange(Note.safeParse(decided).data, note)) return;
  }
  const check = async () => ((await ledger.confirm(keptId(note.id))) ? "done" : "open");
  const write = (text: string) => `${onNewLine(text)}${messages.map(itemOf).join("")}${editMark(note.id)}\n`;
  if (messages.length > 0) await editWhile(check, note.path, note.id, write, hands);
  if (!(await archive({ ...note, id: keptId(note.id) }, Note, hands))) return;
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

function onNewLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * Takes what came of a roll-up; call before its result is archived. Where one of the sources is not there as it was read
 * any more, everything stays as it is, and the period is summed up anew; what was only added to it stays, and waits.
 */
export async function takeSummary(result: Result, rollUp: RollUp, hands: Hands): Promise<void> {
  const { id } = result;
  const summary = summaryIn(result);
  if (summary === null) return sayIfGivenUp(result, rollUp, hands);
  const path = periodPath(rollUp.period);
  const known = rollUp.sources.find((source) => source.path === path)?.sha256;
  const sources = rollUp.sources.filter((source) => source.path !== path);
  const check = async () => {
    if (await hands.ledger.confirm(id)) return "done";
    if ((await readText(path, hands))?.includes(editMark(id))) return "open";
    for (const source of sources) {
      const text = await readText(source.path, hands);
      if (text === null || lengthOf(text, source.sha256) === 0) return "stale";
    }
    return "open";
  };
  const write = (text: string) => {
    const body = `${withoutMarks(summary)}\n`;
    if (known === undefined) return `${onNewLine(text)}${text === "" ? "" : "\n"}${body}${editMark(id)}\n`;
    if (sha256(text) !== known) throw new NotOpen("stale");
    // What is there was one of the sources, and its words are in the summary; its marks stay.
    return `${body}${[...(text.match(MARKS) ?? []), editMark(id)].join(" ")}\n`;
  };
  const standing = await editWhile(check, path, id, write, hands);
  if (standing === "stale") hands.audit({ event: "roll_up_discarded", taskId: id, detail: { period: rollUp.period } });
  // Where it is archived already, its sources are gone, or somebody else has found that they must stay.
  if (standing !== "open") return;
  for (const source of sources) await removeRead(source, id, hands);
  // A file that came back with the power would be summed up a second time.
  for (const dir of new Set(sources.map((source) => directoryOf(source.path)))) await hands.fs.syncDir(dir);
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Null also where there is no document. */
async function readText(path: string, { fs }: Hands): Promise<string | null> {
  try {
    return await fs.readText(path, DOCUMENT_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return null;
  }
}

/**
 * What was read goes, and what somebody has added since stays, even where it is saved just now: the file is moved before it
 * is looked at. One that begins otherwise stays as it is.
 */
async function removeRead(source: RollUp["sources"][number], id: string, hands: Hands): Promise<void> {
  const { fs, lock } = hands;
  const restOf = (text: string | null) => text?.slice(lengthOf(text, source.sha256)) ?? null;
  await lock(source.path, async () => {
    const before = await readText(source.path, hands);
    const added = restOf(before);
    if (before === null || added === null || added === before) return;
    if (added !== "") {
      // Never away before it is back: a crash in between would take what was added with it.
      // What was read must not stay beside its summary: it would be summed up a second time. The next tick tries again.
      if (!(await replaceDocument(fs, source.path, before, added))) throw new DocumentBusy(source.path);
      return;
    }
    const moved = fs.temporary();
    if (!(await fs.rename(source.path, moved))) return;
    const rest = restOf(await readText(moved, hands));
    if (rest === null) {
      await fs.rename(moved, source.path);
      return;
    }
    if (rest !== "") {
      const left = fs.temporary();
      await fs.write(left, rest);
      // Who has saved once more since then has a file of that name already.
      if ((await fs.link(left, source.path)) !== "linked")
        await fs.link(left, source.path.replace(/\.md$/, `-${id}.md`));
      await fs.unlink(left);
    }
    await fs.unlink(moved);
  });
}

/** How much of `text` is what had this hash when it was read; 0 where it begins otherwise. */
function lengthOf(text: string, sha256: string): number {
  const hash = createHash("sha256");
  return lengthRead(text, (line) => hash.update(line).copy().digest("hex") === sha256);
}

async function sayIfGivenUp(result: Result, rollUp: RollUp, { ledger, audit }: Hands): Promise<void> {
  const { count } = await failedTries(ledger, rollUp, result);
  if (count < ROLL_UP_TRIES_MAX) return;
  const { period } = rollUp;
  audit({
    event: "roll_up_given_up",
    taskId: result.id,
    detail: { period, tries: count, ...(result.error && { error: result.error }) },
  });
}

/** Whether an edit is still to be made: `stale` is one that must not be made any more. */
type Standing = "open" | "done" | "stale";

class NotOpen extends Error {
  readonly standing: Standing;
  constructor(standing: Standing) {
    super(standing);
    this.standing = standing;
  }
}

/**
 * Edits a document once, also where the file with the mark may be gone again: whoever holds the lock looks by name whether
 * all that follows from the edit is done already.
 */
async function editWhile(
  check: () => Promise<Standing>,
  path: string,
  id: string,
  edit: (text: string) => string,
  hands: Hands,
): Promise<Standing> {
  const { fs, lock } = hands;
  const locked: DocumentLock = (name, work) =>
    lock(name, async () => {
      const standing = await check();
      if (standing !== "open") throw new NotOpen(standing);
      return work();
    });
  try {
    await settingAside(path, hands, () => editDocument(fs, locked, path, id, edit));
    return "open";
  } catch (error) {
    if (!(error instanceof NotOpen)) throw error;
    return error.standing;
  }
}
