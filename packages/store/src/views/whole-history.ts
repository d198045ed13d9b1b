/** The whole conversation, for export. */
import type { HistoryMessage, HistoryTurn } from "@mimikit/protocol/records/history";
import { HistoryPartitions } from "./history-partitions.ts";

/**
 * All months in memory, and after them what is newer than their last line; each message once, oldest first.
 * @param newest the conversation as it now stands. Throws what the disk throws.
 */
export async function wholeHistory(home: string, newest: readonly HistoryMessage[]): Promise<HistoryMessage[]> {
  const turns = new Map<number, HistoryTurn>();
  for await (const lines of new HistoryPartitions(home).follow())
    for (const line of lines) if (!turns.has(line.turn)) turns.set(line.turn, line);
  const messages = [...turns.values()].sort((a, b) => a.turn - b.turn).flatMap((turn) => turn.messages);
  const known = new Set(messages.map(({ id }) => id));
  return [...messages, ...newest.filter(({ id }) => !known.has(id))];
}
