/**
 * Which attachments a message names: one that waits, one of an open turn, or one of the conversation, however long ago
 * (SPEC I8). A file that none of them names may go.
 */
import { basename } from "node:path";
import { messagesOf } from "@mimikit/core/views/history";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import { turnId } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { INBOX } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { HistoryPartitions } from "@mimikit/store/views/history-partitions";

const IDS = /[0-9a-f]{64}/g;

type Months = Pick<HistoryPartitions, "isAsRead" | "follow">;

export class NamedAttachments {
  private readonly fs: FileSystem;
  private readonly cache: StateCache;
  private readonly open: () => Months;
  private months: Months;
  private readonly ofHistory = new Set<string>();
  /** The turns whose lines have been read; each line is read once. */
  private readonly turns = new Set<number>();

  /** @param open begins to read the history, again where it is not what was read. */
  constructor(fs: FileSystem, cache: StateCache, open: () => Months) {
    this.fs = fs;
    this.cache = cache;
    this.open = open;
    this.months = open();
  }

  /** The ids of all that are named now. Throws what the disk throws: then it is unknown, and nothing may go. */
  async ids(): Promise<ReadonlySet<string>> {
    // In the order in which a message moves on, so that one in motion is seen at least once.
    const named = new Set<string>();
    const { inbox, dropped, queue, results, archiveIndex } = this.cache;
    await this.addNew(named);
    for (const command of [...inbox.values(), ...dropped.values()])
      if (command.kind === "message") add(named, [command]);
    for (const { turn } of queue.values()) add(named, turn?.messages ?? []);
    for (const { task } of results.values()) add(named, task.turn?.messages ?? []);
    if (!this.months.isAsRead()) {
      this.months = this.open();
      this.turns.clear();
    }
    for await (const lines of this.months.follow())
      for (const { turn, messages } of lines) {
        this.turns.add(turn);
        add(this.ofHistory, messages);
      }
    // A turn that was applied a moment ago has no line yet.
    for (let number = 1; number <= archiveIndex.settledTurn; number++) {
      if (this.turns.has(number)) continue;
      const turn = await archiveIndex.readResult(turnId(number));
      if (turn !== null) add(named, messagesOf(turn));
    }
    return new Set([...named, ...this.ofHistory]);
  }

  /**
   * Adds what is named by a message that the state cache has not seen: the clock may have jumped by days since the last look. Each text that looks
   * like an id is taken for one.
   */
  private async addNew(named: Set<string>): Promise<void> {
    const { inbox, dropped } = this.cache;
    for (const name of await this.fs.list(INBOX)) {
      const stem = basename(name, ".json");
      if (inbox.has(stem) || dropped.has(stem)) continue;
      try {
        for (const [id] of ((await this.fs.read(`${INBOX}/${name}`)) ?? "").matchAll(IDS)) named.add(id);
      } catch (error) {
        // A file that is no record names nothing.
        if (!(error instanceof BadJson)) throw error;
      }
    }
  }
}

function add(ids: Set<string>, messages: readonly { attachments?: AttachedFile[] | undefined }[]): void {
  for (const { attachments = [] } of messages) for (const { id } of attachments) ids.add(id);
}
