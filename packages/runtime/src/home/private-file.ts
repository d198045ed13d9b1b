/** Files of the state directory that hold keys: this user alone may read them (docs/security.md#keys). */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "@mimikit/store/disk/error-code";
import { DocumentBusy } from "@mimikit/store/documents/document";
import { lockDocument } from "./document-lock.ts";
import { HomeError, modeText } from "./home.ts";

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

/** Runs `work` while holding the lock of a file of `home`; waits for others. Throws DocumentBusy after seconds. */
export async function whileLocked<T>(home: string, path: string, work: () => T): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await lockDocument(home, path, async () => work());
    } catch (error) {
      if (!(error instanceof DocumentBusy) || tries === BUSY_TRIES_MAX) throw error;
      await wait(BUSY_WAIT_MS);
    }
}
