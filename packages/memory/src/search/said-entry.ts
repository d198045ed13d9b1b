/** A message as it is searched: one that is in memory, or one of a month that has an index. */
import { isNotice, wordsOf } from "@mimikit/core/views/read-back";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { fold } from "../text/fold.ts";
import type { MonthIndex } from "./month-index.ts";

/** The fields of a message that are shown. */
export type SaidMessage = Pick<HistoryMessage, "id" | "role" | "at" | "text" | "marker">;

/** All that a search looks at. */
interface Searched {
  readonly id: string;
  readonly turn: number;
  readonly role: HistoryMessage["role"];
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Does the conversation start over after it? */
  readonly isClear: boolean;
  /** Characters of `folded`. */
  readonly chars: number;
  /** The text as it is searched. */
  readonly folded: string;
  /** Characters of `folded` that a model reads back, from its beginning on; 0 for notices of the code and fillers. */
  readonly readBack: number;
}

/** How much of the folded text of a message a model reads back. */
export function readBackOf(message: HistoryMessage, folded: string): number {
  if (isNotice(message)) return 0;
  const words = wordsOf(message);
  return words === message.text ? folded.length : Math.min(folded.length, fold(words).length);
}

/** A message that is in memory. */
export class KnownEntry implements Searched {
  readonly turn: number;
  readonly atMs: number;
  readonly folded: string;
  readonly readBack: number;
  readonly message: HistoryMessage;

  constructor(message: HistoryMessage, turn: number) {
    this.turn = turn;
    this.atMs = Date.parse(message.at);
    this.folded = fold(message.text);
    this.readBack = readBackOf(message, this.folded);
    this.message = message;
  }

  get id(): string {
    return this.message.id;
  }

  get role(): HistoryMessage["role"] {
    return this.message.role;
  }

  get isClear(): boolean {
    return this.message.marker === "clear";
  }

  get chars(): number {
    return this.folded.length;
  }
}

/** A message of a month that has an index. */
export class IndexedEntry implements Searched {
  readonly month: MonthIndex;
  /** Its number in the month. */
  readonly nth: number;

  constructor(month: MonthIndex, nth: number) {
    this.month = month;
    this.nth = nth;
  }

  get id(): string {
    return this.month.idOf(this.nth);
  }

  get turn(): number {
    return this.month.turnOf(this.nth);
  }

  get role(): HistoryMessage["role"] {
    return this.month.roleOf(this.nth);
  }

  get atMs(): number {
    return this.month.saidMs(this.nth);
  }

  get isClear(): boolean {
    return this.month.isClear(this.nth);
  }

  get chars(): number {
    return this.month.charsOf(this.nth);
  }

  get folded(): string {
    return this.month.foldedOf(this.nth);
  }

  get readBack(): number {
    return this.month.readBackOf(this.nth);
  }
}

export type SearchEntry = KnownEntry | IndexedEntry;

/** The messages with all that is known of them, in the order of the entries. Throws MonthChanged, and what the disk throws. */
export async function readWhole(entries: readonly SearchEntry[]): Promise<HistoryMessage[]> {
  const said = new Map<SearchEntry, HistoryMessage>();
  const indexed = entries.filter((entry) => entry instanceof IndexedEntry);
  for (const [month, ofMonth] of Map.groupBy(indexed, (entry) => entry.month)) {
    const messages = await month.read(ofMonth.map(({ nth }) => nth));
    for (const [i, message] of messages.entries()) {
      const entry = ofMonth[i];
      if (entry !== undefined) said.set(entry, message);
    }
  }
  return entries.flatMap((entry) => (entry instanceof KnownEntry ? entry.message : (said.get(entry) ?? [])));
}

/** The messages as they were said, in the order of the entries. Throws MonthChanged, and what the disk throws. */
export async function readMessages(entries: readonly SearchEntry[]): Promise<SaidMessage[]> {
  return (await readWhole(entries)).map(({ id, role, at, text, marker }) => ({ id, role, at, text, marker }));
}
