/**
 * Documents that people edit too (memory.md, backlog.md). An edit carries its id as a comment and is made once; the file
 * is replaced as a whole, and only if it is still what was read (docs/file-protocol.md R5, R10). docs/memory.md says
 * what that promises to concurrent editors.
 */

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { BadJson } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { directoryOf, type FileSystem } from "../disk/file-system.ts";
import { createOnce, makeDurableDir, replaceView } from "../disk/record.ts";
import { QUARANTINE, TEMPORARY } from "../disk/state.ts";

export const DOCUMENT_BYTES_MAX = 16 * 1_048_576;
const EDIT_ATTEMPTS_MAX = 20;

/**
 * Runs `work` while no other process that asks holds the document. A courtesy: correctness never depends on it. It may
 * throw `DocumentBusy` instead.
 */
export type DocumentLock = <T>(path: string, work: () => Promise<T>) => Promise<T>;

/** Another writer is saving the document or holds it: nothing is wrong, and in a moment it can be edited. */
export class DocumentBusy extends Error {
  constructor(path: string) {
    super(sentence("document_busy", { path }));
  }
}

/** The mark that an edit leaves in its document. */
export function editMark(id: string): string {
  return `<!-- ${id} -->`;
}

/** Text from outside can never forge a mark. */
export function withoutMarks(text: string): string {
  return text.replaceAll("<!--", "&lt;!--");
}

/** Why an edit must not be made, in words for the caller. */
export interface EditProblem {
  problem: string;
}

/** `over`: all that follows from it is done already. */
export type Edited = "made" | "made before" | "over" | EditProblem;

/** One edit of one document. */
export interface Edit {
  /** It leaves the mark of this id, and is not made where that is. One without an id is known by the text that it leaves. */
  id?: string;
  /** Asked first by the holder of the document: an edit that is not open is not made. */
  standing?(): Promise<"open" | "over" | EditProblem>;
  /** The text with the edit. Its errors, while nothing is changed, go to the caller. */
  write(text: string): string | EditProblem | Promise<string | EditProblem>;
}

/**
 * Makes an edit of the document at `path`, once. Concurrent saves lose nothing: the edit is made on top. Throws
 * `DocumentBusy`, and `BadJson` for what is no document.
 */
export async function editDocument(fs: FileSystem, lock: DocumentLock, path: string, edit: Edit): Promise<Edited> {
  for (let attempt = 0; attempt < EDIT_ATTEMPTS_MAX; attempt++) {
    // Each attempt asks for the lock again: it may refuse while the document is being saved.
    const edited = await lock(path, () => tryEdit(fs, path, edit));
    if (edited !== null) return edited;
  }
  throw new Error(`${path} changed ${EDIT_ATTEMPTS_MAX} times while it was edited`);
}

/** Null if it was saved meanwhile. */
async function tryEdit(fs: FileSystem, path: string, { id, standing, write }: Edit): Promise<Edited | null> {
  const stands = (await standing?.()) ?? "open";
  if (stands !== "open") return stands;
  const before = await readDocument(fs, path);
  if (before !== "" || (await fs.exists(directoryOf(path)))) await bringBackLeft(fs, path);
  const isMarked = (text: string) => id !== undefined && text.includes(editMark(id));
  const after = isMarked(before) ? before : await write(before);
  if (typeof after !== "string") return after;
  if (id !== undefined && !isMarked(after)) throw new Error(`the edit ${id} of ${path} leaves no mark`);
  if (after !== before) return (await replaceDocument(fs, path, before, after)) ? "made" : null;
  // The writer may have died before the document was durable (docs/file-protocol.md R4).
  await fs.syncDir(directoryOf(path));
  return "made before";
}

/**
 * Takes from a document what was read of it. The rest stays, even where it is saved just now: a file of which nothing is
 * left is moved before it is looked at, to a hidden name beside it, where doing this again finds what a crash has left.
 * Call it while the document is locked. Throws `DocumentBusy` if it was saved just now.
 * @param restOf what is left of a text: all of it where it begins otherwise, and then it stays as it is.
 * @param elsewhere the name of the rest if it was saved once more.
 */
export async function consumeDocument(
  fs: FileSystem,
  path: string,
  restOf: (text: string) => string,
  elsewhere: string,
): Promise<void> {
  const dir = directoryOf(elsewhere);
  const taken = `.${elsewhere.slice(dir.length + 1)}.taken-`;
  const putBack = (moved: string) => putRestBack(fs, moved, path, restOf, elsewhere);
  for (const name of await fs.list(dir)) if (name.startsWith(taken)) await putBack(`${dir}/${name}`);
  await bringBackLeft(fs, path);
  const before = await readIfDocument(fs, path);
  if (before === null) return;
  const added = restOf(before);
  if (added === before) return;
  if (added !== "") {
    // Never away before it is back: a crash in between would take what was added with it.
    // Summarised notes must not stay beside their summary: they would be summed up a second time. The next tick tries again.
    if (!(await replaceDocument(fs, path, before, added))) throw new DocumentBusy(path);
    return;
  }
  const moved = `${dir}/${taken}${nameOf(fs.temporary())}`;
  if (await fs.rename(path, moved)) await putBack(moved);
}

/** Puts back what was saved into a document while it was being taken away. Doing it again changes nothing. */
async function putRestBack(
  fs: FileSystem,
  moved: string,
  path: string,
  restOf: (text: string) => string,
  elsewhere: string,
): Promise<void> {
  const late = await readIfDocument(fs, moved);
  if (late === null) {
    await fs.rename(moved, path);
    return;
  }
  const rest = restOf(late);
  if (rest !== "") {
    const left = fs.temporary();
    await fs.write(left, rest);
    if ((await fs.link(left, path)) !== "linked" && !(await holds(fs, path, rest))) await fs.link(left, elsewhere);
    await fs.unlink(left);
    await fs.syncDir(directoryOf(path));
  }
  await fs.unlink(moved);
}

/**
 * Between the last look at a document and its replacement there are two operations on names and nothing else. The old
 * file keeps a hidden name beside it until the new one is durable: what an editor saved in between, or wrote into the
 * open old file, is found there and becomes the document again; after a crash, by the next edit of the document. That
 * name says which file is to come in place of the old one: the next edit removes it first, so that a process that is held
 * just before it replaces the document cannot go on.
 * @returns false if it was saved meanwhile.
 */
async function replaceDocument(fs: FileSystem, path: string, before: string, after: string): Promise<boolean> {
  if (!(await fs.exists(path))) {
    if (before !== "") return false;
    // A missing document is created, which never replaces a file that is saved meanwhile.
    await makeDurableDir(fs, directoryOf(path));
    return createOnce(fs, path, after);
  }
  let old = "";
  const isReplaced = await replaceView(fs, path, after, async (temporary) => {
    if (!(await holds(fs, path, before))) return false;
    old = replacedName(path, before, after, temporary);
    await fs.link(path, old);
    return true;
  });
  return isReplaced && !(await bringBack(fs, path, old));
}

const HASH_CHARS = 16;

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS);
}

/** A path as one name. */
function nameOf(path: string): string {
  return path.replaceAll("/", "-");
}

/** How the names of replaced files of a document begin: short, however long its own name is. */
function replacedPrefix(path: string): string {
  return `.replaced-${hashOf(path)}-`;
}

/** It says how long the text was that was read, the hashes of that one and of the one with the edit, and the file of the latter. */
function replacedName(path: string, before: string, after: string, temporary: string): string {
  const texts = `${before.length}-${hashOf(before)}-${hashOf(after)}`;
  return `${directoryOf(path)}/${replacedPrefix(path)}${texts}-${nameOf(temporary)}`;
}

/** The length and the hashes in the name of a replaced file; in another name there are none that any text has. */
function textsOf(old: string): { length: number; before: string; after: string } {
  const [, length, before = "", after = ""] = /^\.replaced-\w+-(\d+)-(\w+)-(\w+)-./.exec(basename(old)) ?? [];
  return { length: Number(length), before, after };
}

/** The file that was to come in place of a replaced one, by the name of that; null where it says none. */
function replacementOf(old: string): string | null {
  const [, owner, number] =
    new RegExp(`^\\.replaced(?:-\\w+){4}-${TEMPORARY}-([\\w.-]+)-(\\d+)$`).exec(basename(old)) ?? [];
  return owner === undefined || number === undefined ? null : `${TEMPORARY}/${owner}/${number}`;
}

/**
 * Brings back a saved text, if the process that replaced it was killed before its last look. One that is only held just
 * before it replaces the document finds nothing to put there any more, and makes its edit again. Doing it again changes
 * nothing. Throws `DocumentBusy` where the document is another now: what was decided by its text is decided again.
 */
async function bringBackLeft(fs: FileSystem, path: string): Promise<void> {
  const dir = directoryOf(path);
  let isChanged = false;
  for (const name of await fs.list(dir)) {
    if (!name.startsWith(replacedPrefix(path))) continue;
    const replacement = replacementOf(name);
    if (replacement !== null) await fs.unlink(replacement);
    if (await bringBack(fs, path, `${dir}/${name}`)) isChanged = true;
  }
  if (isChanged) throw new DocumentBusy(path);
}

/**
 * Takes what was saved into the replaced file `old` into the document again, then its name away.
 * @returns whether the document is another now.
 */
async function bringBack(fs: FileSystem, path: string, old: string): Promise<boolean> {
  const saved = await readIfDocument(fs, old);
  const isSaved = saved === null || hashOf(saved) !== textsOf(old).before;
  const isChanged = isSaved && (await takeIn(fs, path, old, saved));
  await fs.unlink(old);
  return isChanged;
}

/** @param saved the text of `old`; null for what is no document. */
async function takeIn(fs: FileSystem, path: string, old: string, saved: string | null): Promise<boolean> {
  const { length, before, after } = textsOf(old);
  // The file itself goes back, which an editor may still hold open. Its other name stays until that is durable.
  const back = fs.temporary();
  // Without it another process has looked after it meanwhile, and the document may be any.
  if ((await fs.link(old, back)) === "missing") return true;
  const now = await readIfDocument(fs, path);
  if (now !== null && hashOf(now) === after) {
    await fs.rename(back, path);
    await fs.syncDir(directoryOf(path));
    return true;
  }
  await fs.unlink(back);
  if (saved === now) return false;
  // The document has been saved once more since: what had been added comes below.
  if (saved !== null && now !== null && hashOf(saved.slice(0, length)) === before) {
    const added = saved.slice(length);
    if (now.includes(added)) return false;
    if (!(await replaceDocument(fs, path, now, `${onNewLine(now)}${added}`))) throw new DocumentBusy(path);
    return true;
  }
  await fs.link(old, `${QUARANTINE}/${old.slice(old.lastIndexOf("/") + ".".length + 1)}`);
  await fs.syncDir(QUARANTINE);
  return false;
}

/** `text` with a line end behind its last line. */
export function onNewLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Anything put there instead, also if it is no document, is something else. */
async function holds(fs: FileSystem, path: string, text: string): Promise<boolean> {
  return (await readIfDocument(fs, path)) === text;
}

/** Empty where there is none; null for what is no document. */
export async function readIfDocument(fs: FileSystem, path: string, bytesMax?: number): Promise<string | null> {
  try {
    return await readDocument(fs, path, bytesMax);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return null;
  }
}

/** Empty where there is none. Throws `BadJson` for what is no document, or no text that could be written again as it is. */
export async function readDocument(fs: FileSystem, path: string, bytesMax = DOCUMENT_BYTES_MAX): Promise<string> {
  return (await fs.readText(path, bytesMax)) ?? "";
}

/** `text` with the first block of these lines replaced or, by null, taken out; null where they do not stand there one below the other. */
export function withBlock(text: string, block: string, by: string | null): string | null {
  const lines = text.split("\n");
  const wanted = block.split("\n");
  const at = lines.findIndex((_, i) => wanted.every((line, k) => lines[i + k] === line));
  if (at < 0) return null;
  lines.splice(at, wanted.length, ...(by === null ? [] : [by]));
  return lines.join("\n");
}

/** Adds a list item, its continuation lines indented. */
export function appendItem(text: string, prefix: string, content: string, id: string): string {
  const body = withoutMarks(content).trim().replaceAll(/\r?\n/g, "\n  ");
  return `${onNewLine(text)}${prefix}${body} ${editMark(id)}\n`;
}
