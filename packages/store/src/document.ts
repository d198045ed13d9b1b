/**
 * Documents that people edit too (memory.md, backlog.md). An edit carries its id as a comment and is made once; the
 * file is replaced as a whole, and only if it is still what was read (PROTOCOL R5, R10).
 */
import { directoryOf, type FileSystem } from "./file-system.ts";
import { replaceView } from "./record.ts";

export const DOCUMENT_BYTES_MAX = 16 * 1_048_576;
const EDIT_ATTEMPTS_MAX = 20;

/** Runs `work` while nobody else who asks holds the document. A courtesy: correctness never depends on it. */
export type DocumentLock = <T>(path: string, work: () => Promise<T>) => Promise<T>;

/** The mark that an edit leaves in its document. */
export function editMark(id: string): string {
  return `<!-- ${id} -->`;
}

/** Text from outside can never forge a mark. */
export function withoutMarks(text: string): string {
  return text.replaceAll("<!--", "&lt;!--");
}

/**
 * Applies `edit` to the document unless the mark of `id` is there already. `edit` must leave the mark.
 * @returns false when it had been made before.
 */
export async function editDocument(
  fs: FileSystem,
  lock: DocumentLock,
  path: string,
  id: string,
  edit: (text: string) => string,
): Promise<boolean> {
  return lock(path, async () => {
    for (let attempt = 0; attempt < EDIT_ATTEMPTS_MAX; attempt++) {
      const before = (await fs.read(path, DOCUMENT_BYTES_MAX)) ?? "";
      if (before.includes(editMark(id))) {
        // Whoever made it may have died before it was durable (PROTOCOL R4).
        await fs.syncDir(directoryOf(path));
        return false;
      }
      const after = edit(before);
      if (!after.includes(editMark(id))) throw new Error(`the edit ${id} of ${path} leaves no mark`);
      if (((await fs.read(path, DOCUMENT_BYTES_MAX)) ?? "") !== before) continue;
      await replaceView(fs, path, after);
      return true;
    }
    throw new Error(`${path} changed ${EDIT_ATTEMPTS_MAX} times while it was edited`);
  });
}

/** Adds a list item, its continuation lines indented. */
export function appendItem(text: string, prefix: string, content: string, id: string): string {
  const body = withoutMarks(content).trim().replaceAll(/\r?\n/g, "\n  ");
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${separator}${prefix}${body} ${editMark(id)}\n`;
}
