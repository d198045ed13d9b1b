/**
 * history/YYYY-MM.jsonl is kept level with archive/: every applied turn has a line, and a turn without one is given one,
 * whether it is new, or its line was torn off, or the file was deleted (docs/file-protocol.md R9).
 */
import { messagesOf } from "@mimikit/core/views/history";
import { readMonthIndex } from "@mimikit/memory/search/month-index";
import { turnId } from "@mimikit/protocol/base/id";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { appendHistory, HistoryPartitions } from "@mimikit/store/views/history-partitions";

/** Turns that are written in one go: some milliseconds of work, and other work goes on while they become durable. */
const BATCH_TURNS_MAX = 32;
/** Turns of one round; a long history that is made again takes several. */
const ROUND_TURNS_MAX = 2_000;
const MONTH_CHARS = "2026-11".length;

export class HistoryMonths {
  private readonly home: string;
  private readonly archiveIndex: ArchiveIndex;
  private readonly onMade: () => void;
  private months: HistoryPartitions;
  /** Every turn up to this one has its line. */
  private complete = 0;
  /** The turns beyond it that have theirs. */
  private written = new Set<number>();
  /** The month of a turn whose own is unknown: its record is damaged. */
  private lastMonth: string | null = null;

  /** @param onMade hears that history/ was gone, and was made again. */
  constructor(home: string, archiveIndex: ArchiveIndex, onMade: () => void = () => undefined) {
    this.home = home;
    this.archiveIndex = archiveIndex;
    this.onMade = onMade;
    this.months = this.begin();
  }

  /** Writes the lines that are missing, at most ROUND_TURNS_MAX. Throws what the disk throws. */
  async write(): Promise<void> {
    if (this.complete >= this.archiveIndex.settledTurn && this.months.isAsRead()) return;
    await this.look();
    const missing: number[] = [];
    for (let n = this.complete + 1; n <= this.archiveIndex.settledTurn && missing.length < ROUND_TURNS_MAX; n++)
      if (!this.written.has(n)) missing.push(n);
    while (missing.length > 0) await this.append(missing.splice(0, BATCH_TURNS_MAX));
    if (this.archiveIndex.settledTurn > this.complete) await this.look();
  }

  /** Notes which turns have a line. */
  private async look(): Promise<void> {
    if (!this.months.isAsRead()) {
      this.complete = 0;
      this.written = new Set();
      this.months = this.begin();
    }
    for await (const turns of this.months.follow()) for (const { turn } of turns) this.written.add(turn);
    while (this.written.delete(this.complete + 1)) this.complete++;
  }

  /** A month that has an index need not be read to know which turns have a line. */
  private begin(): HistoryPartitions {
    return new HistoryPartitions(this.home, async (month, stamp) => {
      const index = await readMonthIndex(this.home, month, stamp);
      for (const turn of index?.turns ?? []) this.written.add(turn);
      return index !== null;
    });
  }

  private async append(numbers: readonly number[]): Promise<void> {
    const byMonth = new Map<string, HistoryTurn[]>();
    for (const number of numbers) {
      const turn = await this.archiveIndex.readResult(turnId(number));
      const month = turn?.completedAt.slice(0, MONTH_CHARS) ?? this.lastMonth;
      if (month === null) continue;
      this.lastMonth = month;
      const lines = byMonth.get(month) ?? [];
      byMonth.set(month, lines);
      lines.push({ turn: number, messages: turn === null ? [] : messagesOf(turn) });
    }
    for (const [month, lines] of byMonth) if (await appendHistory(this.home, month, lines)) this.onMade();
  }
}
