/** What stands in the place of a document and is none (a directory, a huge file, no UTF-8) must not keep it from being written. */
import { UNREADABLE_GRACE_MS } from "@mimikit/core/base/snapshot";
import { BadJson } from "@mimikit/protocol/base/json";
import { DocumentBusy } from "@mimikit/store/documents/document";
import type { Hands } from "./hands.ts";
import { quarantine } from "./wishes.ts";

/** Writes the document at `path`; what is no document there is set aside, and a new one begins. */
export async function settingAside<T>(path: string, hands: Hands, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    const { mtimeMs = 0 } = (await hands.fs.info(path)) ?? {};
    // Half of what somebody is saving may be no text (docs/file-protocol.md R7).
    if (Math.abs(hands.nowMs() - mtimeMs) < UNREADABLE_GRACE_MS) throw new DocumentBusy(path);
    await quarantine(path, error.message, hands);
    return write();
  }
}
