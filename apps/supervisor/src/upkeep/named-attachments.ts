/**
 * Which attachments a message names: one that waits, one of an open turn, or one of the conversation, however long ago
 * (SPEC I8). What none of them names may go.
 */
import { messagesOf } from "@mimikit/core/views/history";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import { turnId } from "@mimikit/protocol/base/id";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import { HistoryPartitions } from "@mimikit/store/views/history-partitions";

export class NamedAttachments {
  private readonly home: string;
  private readonly mirror: Mirror;
  private months: HistoryPartitions;
  private readonly ofHistory = new Set<string>();
  /** The turns whose lines have been read; each line is read once. */
  private readonly turns = new Set<number>();

  constructor(home: string, mirror: Mirror) {
    this.home = home;
    this.mirror = mirror;
    this.months = new HistoryPartitions(home);
  }

  /** The ids of all that are named now. Throws what the disk throws: then nobody knows, and nothing may go. */
  async ids(): Promise<ReadonlySet<string>> {
    // In the order in which a message moves on, so that one in motion is seen at least once.
    const named = new Set<string>();
    const { inbox, dropped, queue, results, ledger } = this.mirror;
    for (const wish of [...inbox.values(), ...dropped.values()]) if (wish.kind === "message") add(named, [wish]);
    for (const { turn } of queue.values()) add(named, turn?.messages ?? []);
    for (const { task } of results.values()) add(named, task.turn?.messages ?? []);
    if (!this.months.isAsRead()) {
      this.months = new HistoryPartitions(this.home);
      this.turns.clear();
    }
    for await (const lines of this.months.follow())
      for (const { turn, messages } of lines) {
        this.turns.add(turn);
        add(this.ofHistory, messages);
      }
    // A turn that was settled a moment ago has no line yet.
    for (let number = 1; number <= ledger.settledTurn; number++) {
      if (this.turns.has(number)) continue;
      const turn = await ledger.readResult(turnId(number));
      if (turn !== null) add(named, messagesOf(turn));
    }
    return new Set([...named, ...this.ofHistory]);
  }
}

function add(ids: Set<string>, messages: readonly { attachments?: AttachedFile[] | undefined }[]): void {
  for (const { attachments = [] } of messages) for (const { id } of attachments) ids.add(id);
}
