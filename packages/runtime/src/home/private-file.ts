/** Files of the state directory that hold keys: this user alone may read them (docs/security.md#keys). */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "@mimikit/store/disk/error-code";
import { syncDirectory } from "@mimikit/store/disk/sync-directory";
import { DocumentBusy } from "@mimikit/store/documents/document";
import { lockDocument } from "./document-lock.ts";
import { HomeError, modeText } from "./home.ts";
import { replaceFile } from "./replace-file.ts";

export const PRIVATE_FILE_BYTES_MAX = 1_048_576;
/** Together longer than the lock of a dead process counts. */
const BUSY_TRIES_MAX = 140;
const BUSY_WAIT_MS = 50;

/** Its text; null where there is no such file. Throws HomeError for one that is not this user's alone, or cannot be read. */
export function readPrivateFile(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    if (hasCode(error, "ELOOP", "ENXIO")) throw new HomeError(`${path} is not a regular file: remove it`);
    throw new HomeError(`${path} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new HomeError(`${path} is not a regular file: remove it`);
    if (info.uid !== (process.getuid?.() ?? info.uid))
      throw new HomeError(`${path} belongs to another user: remove it`);
    if ((info.mode & 0o077) !== 0)
      throw new HomeError(`${path} can be read by others (mode ${modeText(info.mode)}): run  chmod 600 '${path}'`);
    if (info.size > PRIVATE_FILE_BYTES_MAX)
      throw new HomeError(`${path} is longer than ${PRIVATE_FILE_BYTES_MAX} bytes`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Edits a file of `home` durably, one process at a time. One that is held longer than its lock counts (docs/file-protocol.md R5) goes on
 * beside another: so the file is read once more when only the rename is left to do, and where it was saved meanwhile, the edit
 * is made again on top. Between that look and the rename are some microseconds, in which a save is not seen: no portable call replaces a file
 * only if it is still the same one.
 * @param edit the new text; null leaves the file as it is. It may be called several times, and its errors go to the caller.
 * @throws HomeError where the file is not this user's alone, or cannot be read. @throws DocumentBusy after seconds.
 */
export async function editPrivateFile(
  home: string,
  path: string,
  edit: (text: string | null) => string | null,
): Promise<void> {
  const file = join(home, path);
  const editOnce = async () => {
    const before = readPrivateFile(file);
    const after = edit(before);
    if (after === null) return;
    if (!replaceFile(file, after, () => readPrivateFile(file) === before)) throw new DocumentBusy(path);
    syncDirectory(dirname(file));
  };
  for (let tries = 1; ; tries++)
    try {
      await lockDocument(home, path, editOnce);
      return;
    } catch (error) {
      if (!(error instanceof DocumentBusy) || tries === BUSY_TRIES_MAX) throw error;
      await wait(BUSY_WAIT_MS);
    }
}
