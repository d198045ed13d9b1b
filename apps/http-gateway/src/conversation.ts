/**
 * The conversation in its one stable order: settled turns by number, inside a turn the messages and then the reply,
 * and after them what still waits in inbox/ (PROTOCOL I10). No message is ever in it twice.
 */
import { historyMessageOf, messagesOf } from "@mimikit/core/history";
import type { ChatMessage } from "@mimikit/protocol/api";
import { HISTORY_MESSAGES_MAX, type History, type HistoryMessage } from "@mimikit/protocol/history";
import { turnNumber } from "@mimikit/protocol/id";
import type { Message, Wish } from "@mimikit/protocol/inbox";
import type { Result } from "@mimikit/protocol/result";
import type { FileSystem } from "@mimikit/store/file-system";
import { readHistory } from "@mimikit/store/history";
import type { Ledger } from "@mimikit/store/ledger";

export class Conversation {
  private settled: readonly HistoryMessage[];
  private throughTurn: number;

  private constructor({ messages, throughTurn }: History) {
    this.settled = messages;
    this.throughTurn = throughTurn;
  }

  /** Reads the conversation as it is on disk, and every name in archive/ with it. */
  static async load(fs: FileSystem, ledger: Ledger): Promise<Conversation> {
    await ledger.load();
    return new Conversation(await readHistory(fs, ledger));
  }

  /** Adds a turn that was settled. Turns come in order; one that is there already changes nothing. */
  settle(turn: Result): void {
    if (turnNumber(turn.id) <= this.throughTurn) return;
    this.throughTurn = turnNumber(turn.id);
    this.settled = [...this.settled, ...messagesOf(turn)].slice(-HISTORY_MESSAGES_MAX);
  }

  /** Everything that was said, oldest first; wishes that are messages and in no settled turn are pending. */
  with(wishes: Iterable<Wish>): ChatMessage[] {
    const known = new Set(this.settled.map((message) => message.id));
    const pending = [...wishes].filter((wish): wish is Message => wish.kind === "message" && !known.has(wish.id));
    return [
      ...this.settled,
      ...pending.sort(byTime).map((message) => ({ ...historyMessageOf(message), pending: true })),
    ];
  }
}

/** The order in which the Teller will read them. */
function byTime(a: Message, b: Message): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
