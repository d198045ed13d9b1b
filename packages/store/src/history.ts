/** Reads history.json, the view of the conversation; every reader goes on from `throughTurn` in the archive. */
import { History } from "@mimikit/protocol/history";
import { BadJson, parseRecord, RECORD_DEPTH_MAX } from "@mimikit/protocol/json";
import type { FileSystem } from "./file-system.ts";
import { HISTORY_PATH } from "./state.ts";

const HISTORY_BYTES_MAX = 256 * 1_048_576;

/** The view as it is on disk; null when there is none, or when it is damaged and must be rebuilt from the archive. */
export async function readHistory(fs: FileSystem): Promise<History | null> {
  try {
    const text = await fs.read(HISTORY_PATH, HISTORY_BYTES_MAX);
    return text === null ? null : parseRecord(History, text, { bytes: HISTORY_BYTES_MAX, depth: RECORD_DEPTH_MAX });
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}
