/** Directories that are held open, so that none on the way to a file can become a link between the check of a path and its use. */
import { constants, type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { join, parse, sep } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { platform } from "../platform/this-platform.ts";

/** Linux: the descriptor only names a place, so the directory need not be readable. Node has no constant for it. */
const O_PATH = 0o10000000;
const NO_LINK = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export interface HeldDirectory {
  /** The path of an entry that leads through the open directory. */
  entry(name: string): string;
  close(): Promise<void>;
}

/**
 * Opens a directory part by part from the root, without following any link. Where the system cannot open an entry of an open directory
 * (docs/security.md#the-shell-of-a-worker), it only checks that the path still has no link.
 * Throws ENOTDIR where a part is a link or a file, and ENOENT.
 * @param path an absolute path without links. @param makes missing directories.
 */
export async function holdDirectory(path: string, { makes = false } = {}): Promise<HeldDirectory> {
  const { entryOf } = platform;
  if (entryOf === null) return checkedDirectory(path, makes);
  const { root } = parse(path);
  let held = await open(root, NO_LINK);
  try {
    for (const part of path.slice(root.length).split(sep).filter(Boolean)) {
      const entry = entryOf(held.fd, part);
      const next = await openPart(entry, makes);
      await held.close();
      held = next;
    }
  } catch (error) {
    await held.close();
    throw hasCode(error, "ENOTDIR", "ELOOP") ? isLink(path) : named(error, path);
  }
  return { entry: (name) => entryOf(held.fd, name), close: () => held.close() };
}

async function openPart(path: string, makes: boolean): Promise<FileHandle> {
  try {
    return await open(path, NO_LINK);
  } catch (error) {
    if (!makes || !hasCode(error, "ENOENT")) throw error;
  }
  await mkdir(path).catch((error: unknown) => {
    // Another process has made it meanwhile.
    if (!hasCode(error, "EEXIST")) throw error;
  });
  return open(path, NO_LINK);
}

async function checkedDirectory(path: string, makes: boolean): Promise<HeldDirectory> {
  if (makes) await mkdir(path, { recursive: true });
  if ((await realpath(path)) !== path) throw isLink(path);
  return { entry: (name) => join(path, name), close: async () => {} };
}

function isLink(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: a part of ${path} is a link or no directory`), { code: "ENOTDIR" });
}

/** The error with the path that the caller knows. */
function named(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  return Object.assign(new Error(`${error.message.split(",")[0]}, '${path}'`), { code: error.code });
}
