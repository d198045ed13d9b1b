/**
 * Documents that people edit too (memory.md, backlog.md). An edit carries its id as a comment and is made once; the
 * file is replaced as a whole, and only if it is still what was read (docs/file-protocol.md R5, R10). docs/memory.md
 * says what that promises to whoever edits at the same time.
 */
import { BadJson } from "@mimikit/protocol/base/json";
import { directoryOf, type FileSystem } from "../disk/file-system.ts";
import { createOnce, replaceView } from "../disk/record.ts";

export const DOCUMENT_BYTES_MAX = 16 * 1_048_576;
const EDIT_ATTEMPTS_MAX = 20;

/**
 * Runs `work` while nobody else who asks holds the document. A courtesy: correctness never depends on it. It may throw
 * `DocumentBusy` instead.
 */
export type DocumentLock = <T>(path: string, work: () => Promise<T>) => Promise<T>;

/** Somebody is saving the document just now, or holds it: nothing is wrong, and in a moment it can be edited. */
export class DocumentBusy extends Error {
  constructor(path: string) {
    super(`${path} is being saved by somebody else`);
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

/**
 * Applies `edit` to the document unless the mark of `id` is there already. `edit` must leave the mark; what it throws,
 * while nothing is changed, goes to the caller. Who saves the document meanwhile loses nothing: the edit is made on top.
 * @returns false when it had been made before.
 */
export async function editDocument(
  fs: FileSystem,
  lock: DocumentLock,
  path: string,
  id: string,
  edit: (text: string) => string,
): Promise<boolean> {
  for (let attempt = 0; attempt < EDIT_ATTEMPTS_MAX; attempt++) {
    // Each attempt asks for the lock anew: it may refuse while somebody is saving.
    const isNew = await lock(path, async () => {
      const before = await readDocument(fs, path);
      if (before.includes(editMark(id))) {
        // Whoever made it may have died before it was durable (docs/file-protocol.md R4).
        await fs.syncDir(directoryOf(path));
        return false;
      }
      const after = edit(before);
      if (!after.includes(editMark(id))) throw new Error(`the edit ${id} of ${path} leaves no mark`);
      return (await replaceDocument(fs, path, before, after)) ? true : null;
    });
    if (isNew !== null) return isNew;
  }
  throw new Error(`${path} changed ${EDIT_ATTEMPTS_MAX} times while it was edited`);
}

/**
 * Between the last look at a document and its replacement there are two operations on names and nothing else. The old
 * file keeps a name of ours until the new one is durable: what an editor saved in between, or wrote into the open old
 * file, is found there and becomes the document again.
 * @returns false where somebody else has saved.
 */
export async function replaceDocument(fs: FileSystem, path: string, before: string, after: string): Promise<boolean> {
  if (!(await fs.exists(path))) {
    if (before !== "") return false;
    // What is not there is created, which never takes the place of what somebody saves meanwhile.
    await fs.makeDir(directoryOf(path));
    return createOnce(fs, path, after);
  }
  const old = fs.temporary();
  try {
    const isReplaced = await replaceView(fs, path, after, async () => {
      if (!(await holds(fs, path, before))) return false;
      await fs.link(path, old);
      return true;
    });
    if (!isReplaced) return false;
    if (await holds(fs, old, before)) return true;
    // Unless the document has been saved once more, and so is newer than both.
    if ((await holds(fs, path, after)) && (await fs.rename(old, path))) await fs.syncDir(directoryOf(path));
    return false;
  } finally {
    await fs.unlink(old);
  }
}

/** Whatever somebody has put there instead, also what is no document, is something else. */
async function holds(fs: FileSystem, path: string, text: string): Promise<boolean> {
  try {
    return (await readDocument(fs, path)) === text;
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return false;
  }
}

/** Empty where there is none. Throws `BadJson` for what is no document, or no text that could be written again as it is. */
export async function readDocument(fs: FileSystem, path: string): Promise<string> {
  return (await fs.readText(path, DOCUMENT_BYTES_MAX)) ?? "";
}

/** Adds a list item, its continuation lines indented. */
export function appendItem(text: string, prefix: string, content: string, id: string): string {
  const body = withoutMarks(content).trim().replaceAll(/\r?\n/g, "\n  ");
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${separator}${prefix}${body} ${editMark(id)}\n`;
}
