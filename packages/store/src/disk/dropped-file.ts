/** Files that programs and people put into inbox/, under names of their own (docs/file-protocol.md#commands). */
import { createHash } from "node:crypto";
import { DROPPED_PREFIX } from "@mimikit/protocol/records/inbox";
import { directoryOf, type FileInfo, type FileSystem } from "./file-system.ts";
import { inboxPath } from "./state.ts";

/** The same file gets the same id however often it is looked at (docs/file-protocol.md R2). @param stem its name without its ending. */
export function droppedId(stem: string, { inode, mtimeMs, size }: FileInfo): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([stem, inode, mtimeMs, size]))
    .digest("hex");
  return `${DROPPED_PREFIX}-${hash.slice(0, 32)}`;
}

/**
 * Removes the dropped file of which the command `id` was made. A file that was written to its name since stays, and is another command.
 * Throws what the disk throws.
 */
export async function removeDropped(path: string, id: string, fs: FileSystem): Promise<void> {
  const stem = path.slice(directoryOf(path).length + 1).replace(/\.json$/, "");
  const isIt = async (at: string) => {
    const info = await fs.info(at);
    return info !== null && droppedId(stem, info) === id;
  };
  if (!(await isIt(path))) return;
  // It may be written again in this very moment: what is removed is looked at once more, under a name that only we know.
  const aside = fs.temporary();
  if (!(await fs.rename(path, aside))) return;
  if (!(await isIt(aside))) {
    let back = path;
    for (let n = 2; (await fs.link(aside, back)) === "exists"; n++) back = inboxPath(`${stem}-${n}`);
    await fs.syncDir(directoryOf(path));
  }
  await fs.unlink(aside);
}
