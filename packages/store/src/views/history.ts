/** The conversation as it now stands: the view history.json, and after it the turns that were applied since. */
import { compressedAfter, messagesOf } from "@mimikit/core/views/history";
import { turnId } from "@mimikit/protocol/base/id";
import { BadJson, parseRecord, RECORD_DEPTH_MAX } from "@mimikit/protocol/base/json";
import { HISTORY_MESSAGES_MAX, History, type HistoryMessage } from "@mimikit/protocol/records/history";
import type { FileSystem } from "../disk/file-system.ts";
import { shareRuns } from "../disk/share-runs.ts";
import { HISTORY_PATH } from "../disk/state.ts";
import type { ArchiveIndex } from "../state-cache/archive-index.ts";

const HISTORY_BYTES_MAX = 256 * 1_048_576;

/** The newest HISTORY_MESSAGES_MAX messages, oldest first, through the last applied turn that the archive index knows of. */
export async function readHistory(fs: FileSystem, archiveIndex: ArchiveIndex): Promise<History> {
  return withSettled(await readHistoryView(fs), archiveIndex);
}

/** The same for who asks again and again: the view is read when it has changed, and each turn after it once. */
export class HistoryWindow {
  /** Calls at the same time read once. Throws what the disk throws. */
  readonly read: () => Promise<History>;
  private readonly fs: FileSystem;
  private readonly archiveIndex: ArchiveIndex;
  private stamp: string | null = null;
  private kept: History | null = null;

  constructor(fs: FileSystem, archiveIndex: ArchiveIndex) {
    this.fs = fs;
    this.archiveIndex = archiveIndex;
    this.read = shareRuns(() => this.look());
  }

  private async look(): Promise<History> {
    const info = await this.fs.info(HISTORY_PATH);
    // The stamp is older than the text that is read after it: a change in between is seen the next time.
    const stamp = info === null ? null : `${info.inode} ${info.size} ${info.mtimeMs}`;
    const view = stamp === this.stamp ? this.kept : await readHistoryView(this.fs);
    this.kept = await withSettled(view, this.archiveIndex);
    this.stamp = stamp;
    return this.kept;
  }
}

/**
 * The messages of a view, followed by those of turns applied since.
 * @param view null where there is none, and it is made again.
 */
export async function withSettled(view: History | null, archiveIndex: ArchiveIndex): Promise<History> {
  const { settledTurn } = archiveIndex;
  // A turn has at least one message as a rule, so this many turns fill a view that has to be made again.
  const { throughTurn, messages } = view ?? {
    throughTurn: Math.max(0, settledTurn - HISTORY_MESSAGES_MAX),
    messages: [],
  };
  let compressed = view?.compressed;
  const since: HistoryMessage[] = [];
  for (let number = throughTurn + 1; number <= settledTurn; number++) {
    const turn = await archiveIndex.readResult(turnId(number));
    if (turn === null) continue;
    since.push(...messagesOf(turn));
    compressed = compressedAfter(turn, compressed);
  }
  const newest = since.length === 0 ? messages : [...messages, ...since].slice(-HISTORY_MESSAGES_MAX);
  return {
    throughTurn: Math.max(throughTurn, settledTurn),
    messages: newest,
    ...(compressed !== undefined && { compressed }),
  };
}

/** history.json as it is; null when there is none, or when it is damaged and must be made again from the archive. */
export async function readHistoryView(fs: FileSystem): Promise<History | null> {
  try {
    const text = await fs.read(HISTORY_PATH, HISTORY_BYTES_MAX);
    return text === null ? null : parseRecord(History, text, { bytes: HISTORY_BYTES_MAX, depth: RECORD_DEPTH_MAX });
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}
