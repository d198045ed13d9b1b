/** All messages of a history by their places, the first at 0. Those of a month that has an index become objects when they are looked at. */
import type { MonthIndex } from "./month-index.ts";
import { IndexedEntry, type KnownEntry, type SearchEntry } from "./said-entry.ts";

/** Messages that follow each other: a month, or messages that are in memory. */
type Part = MonthIndex | KnownEntry[];

export class SaidEntries {
  private readonly parts: Part[];
  /** The place of the first message of each part. */
  private readonly firsts: number[];
  private count: number;

  constructor(parts: Part[] = [], firsts: number[] = [], count = 0) {
    this.parts = parts;
    this.firsts = firsts;
    this.count = count;
  }

  get length(): number {
    return this.count;
  }

  get last(): SearchEntry | undefined {
    return this.at(this.count - 1);
  }

  add(entry: KnownEntry): void {
    const part = this.parts.at(-1);
    if (Array.isArray(part)) part.push(entry);
    else this.begin([entry]);
    this.count++;
  }

  addMonth(month: MonthIndex): void {
    this.begin(month);
    this.count += month.size;
  }

  /** These and then others, as they are now: what is added later to these is not in it. */
  with(others: KnownEntry[]): SaidEntries {
    const { parts, firsts, count } = this;
    return new SaidEntries([...parts, others], [...firsts, count], count + others.length);
  }

  at(place: number): SearchEntry | undefined {
    if (place < 0 || place >= this.count) return undefined;
    let nth = 0;
    for (let high = this.firsts.length; high - nth > 1; ) {
      const middle = (nth + high) >>> 1;
      if ((this.firsts[middle] ?? 0) <= place) nth = middle;
      else high = middle;
    }
    const part = this.parts[nth];
    const inPart = place - (this.firsts[nth] ?? 0);
    return part === undefined || Array.isArray(part) ? part?.[inPart] : new IndexedEntry(part, inPart);
  }

  /** The place of the last message that is so; -1 where none is. */
  findLast(isSo: (entry: SearchEntry) => boolean): number {
    let place = this.count - 1;
    for (let entry = this.at(place); entry !== undefined && !isSo(entry); entry = this.at(place)) place--;
    return place;
  }

  /** The place of a message by its id; -1 where there is none. */
  placeOf(id: string): number {
    for (let nth = this.parts.length - 1; nth >= 0; nth--) {
      const part = this.parts[nth];
      const inPart = Array.isArray(part) ? part.findLastIndex((entry) => entry.id === id) : part?.numberOf(id);
      const place = (this.firsts[nth] ?? 0) + (inPart ?? -1);
      // Messages that were added to the last part since then do not count.
      if (inPart !== undefined && inPart >= 0 && place < this.count) return place;
    }
    return -1;
  }

  /** The messages from one place up to another, which is not among them. */
  *between(start: number, end: number): Generator<SearchEntry> {
    for (let place = Math.max(0, start); place < end; place++) {
      const entry = this.at(place);
      if (entry === undefined) return;
      yield entry;
    }
  }

  [Symbol.iterator](): Generator<SearchEntry> {
    return this.between(0, this.count);
  }

  private begin(part: Part): void {
    this.parts.push(part);
    this.firsts.push(this.count);
  }
}
