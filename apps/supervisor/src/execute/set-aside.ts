/** What stands in the place of a document and is none (a directory, a huge file) must not keep it from being written. */
import { BadJson } from "@mimikit/protocol/json";
import type { Hands } from "./hands.ts";
import { quarantine } from "./wishes.ts";

/** Writes the document at `path`; what is no document there is set aside, and a new one begins. */
export async function settingAside<T>(path: string, hands: Hands, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    await quarantine(path, error.message, hands);
    return write();
  }
}
