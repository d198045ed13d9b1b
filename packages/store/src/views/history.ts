/** The conversation as it now stands: the view history.json, and after it the turns that were settled since. */
import { compressedAfter, messagesOf } from "@mimikit/core/views/history";
import { turnId } from "@mimikit/protocol/base/id";
import { BadJson, parseRecord, RECORD_DEPTH_MAX } from "@mimikit/protocol/base/json";
import { HISTORY_MESSAGES_MAX, History, type HistoryMessage } from "@mimikit/protocol/records/history";
import type { FileSystem } from "../disk/file-system.ts";
import { HISTORY_PATH } from "../disk/state.ts";
import type { Ledger } from "../mirror/ledger.ts";

const HISTORY_BYTES_MAX = 256 * 1_048_576;

/** The newest HISTORY_MESSAGES_MAX messages, oldest first, through the last settled turn that the ledger knows of. */
export async function readHistory(fs: FileSystem, ledger: Ledger): Promise<History> {
  const view = await readHistoryView(fs);
  const { settledTurn } = ledger;
  // A turn has at least one message as a rule, so this many turns fill a view that has to be made anew.
  const { throughTurn, messages } = view ?? {
    throughTurn: Math.max(0, settledTurn - HISTORY_MESSAGES_MAX),
    messages: [],
  };
  let compressed = view?.compressed;
  if (throughTurn >= settledTurn) return { throughTurn, messages, ...(compressed !== undefined && { compressed }) };
  const since: HistoryMessage[] = [];
  for (let number = throughTurn + 1; number <= settledTurn; number++) {
    const turn = await ledger.readResult(turnId(number));
    if (turn === null) continue;
    since.push(...messagesOf(turn));
    compressed = compressedAfter(turn, compressed);
  }
  const newest = [...messages, ...since].slice(-HISTORY_MESSAGES_MAX);
  return { throughTurn: settledTurn, messages: newest, ...(compressed !== undefined && { compressed }) };
}

/** history.json as it is; null when there is none, or when it is damaged and must be made anew from the archive. */
export async function readHistoryView(fs: FileSystem): Promise<History | null> {
  try {
    const text = await fs.read(HISTORY_PATH, HISTORY_BYTES_MAX);
    return text === null ? null : parseRecord(History, text, { bytes: HISTORY_BYTES_MAX, depth: RECORD_DEPTH_MAX });
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}
