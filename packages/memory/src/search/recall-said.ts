/**
 * The earlier messages that a turn is shown: those that have enough of what its messages are about, each with the one before
 * it and the one after it. Neighbours say what a message is about, so they count in its score.
 */
import { wordsOf } from "@mimikit/core/views/read-back";
import type { HistoryHit } from "@mimikit/protocol/wire/api";
import { type Bar, barFor, rarityOf } from "../subject/bar.ts";
import type { Subject, SubjectWord } from "../subject/subject.ts";
import type { PairFilter } from "../text/pair-filter.ts";
import { commonBeginning, wholeWords } from "../text/words-in-text.ts";
import { best, excerpt, meanOf, timed, weigh } from "./rank-said.ts";
import type { SaidEntries } from "./said-entries.ts";
import { readWhole, type SearchEntry } from "./said-entry.ts";

/** As many as of a paragraph of memory. */
const RECALLED_CHARS_MAX = 300;
/** A text that was said more than once is recalled once; so many repeats are skipped. */
const SAME_MAX = 4;
/** So much of the scores of its neighbours counts for a message. */
const NEIGHBOUR_WEIGHT = 0.4;
/** BM25: how much the length of a message matters. Long messages of a conversation are as often meant as short ones. */
const LENGTH_WEIGHT = 0.4;
/** Notices and the like between a message and its neighbour. */
const STEPS_MAX = 3;
const SCORE_DIGITS = 3;
/** So many messages have the rarer words: the other words only tell them apart. */
const FOUND_ENOUGH = 2_000;

export interface RecallQuery {
  subject: Subject;
  /** The text of the messages themselves, folded: it recalls no copy of itself. */
  asked: string;
  limit: number;
  /** Is a message, or its folded text, shown anyway? */
  isKnown: (id: string, folded: string) => boolean;
  /** Turns in which something was told that is forgotten, or corrected since. */
  forgotten: ReadonlySet<number>;
}

export async function recallSaid(
  all: SaidEntries,
  filter: PairFilter,
  { subject, asked, limit, isKnown, forgotten }: RecallQuery,
): Promise<HistoryHit[]> {
  const begin = all.findLast(({ isClear }) => isClear) + 1;
  const isTold = (entry: SearchEntry) =>
    entry.role !== "system" && entry.readBack > 0 && !forgotten.has(entry.turn) && entry.folded !== asked;
  const found = new Found(all, filter, begin, isTold);
  found.look(subject);
  const places = best(found.scores, limit * SAME_MAX);
  const highest = found.scores[places[0] ?? 0] ?? 1;
  const centres = new Map<number, SearchEntry>();
  const texts = new Set<string>();
  for (const place of places) {
    const entry = all.at(place);
    if (entry === undefined || isKnown(entry.id, entry.folded) || texts.has(entry.folded) || centres.size === limit)
      continue;
    texts.add(entry.folded);
    centres.set(place, entry);
  }
  const shown = new Map<number, SearchEntry>();
  // A hit that stands beside a better one brings no others: it may be one only for what it stands beside.
  for (const [place] of centres)
    for (const each of shown.has(place) ? [place] : found.shownWith(place)) {
      const entry = all.at(each);
      if (entry !== undefined && !isKnown(entry.id, entry.folded)) shown.set(each, entry);
    }
  const forms = subject.words.flatMap((word) => word.forms);
  const shownPlaces = [...shown.keys()];
  return (await readWhole([...shown.values()])).flatMap((message, i) => {
    const place = shownPlaces[i] ?? 0;
    const entry = shown.get(place);
    if (entry === undefined) return [];
    const { id, role, at } = message;
    const text = excerpt(wordsOf(message), entry.folded, centres.has(place) ? forms : [], RECALLED_CHARS_MAX);
    return { id, role, at, text, score: Number(((found.scores[place] ?? 0) / highest).toFixed(SCORE_DIGITS)) };
  });
}

/** The messages since the conversation began that have words of a subject. */
class Found {
  /** Of each message that clears the bar; 0 of the others. */
  readonly scores: Float64Array;
  private readonly all: SaidEntries;
  private readonly filter: PairFilter;
  private readonly begin: number;
  private readonly isTold: (entry: SearchEntry) => boolean;
  /** The bits of the words that each message has. */
  private readonly held: Uint32Array;
  /** Of each message 1 where it may be recalled, 2 where not; 0 where that was not asked yet. */
  private readonly told: Uint8Array;
  private isCleared: Bar = () => false;

  constructor(all: SaidEntries, filter: PairFilter, begin: number, isTold: (entry: SearchEntry) => boolean) {
    this.all = all;
    this.filter = filter;
    this.begin = begin;
    this.isTold = isTold;
    this.held = new Uint32Array(all.length);
    this.told = new Uint8Array(all.length);
    this.scores = new Float64Array(all.length);
  }

  look(subject: Subject): void {
    const { all, begin, held } = this;
    const { words, topic, dates } = subject;
    const texts = Math.max(1, all.length - begin);
    const scores = new Float64Array(all.length);
    const meanChars = meanOf(all);
    const holders = words.map(() => 0);
    const found: number[] = [];
    const rarestFirst = words
      .map((word, i) => ({ word, i, candidates: this.candidatesFor(word) }))
      .sort((a, b) => a.candidates.length - b.candidates.length);
    let enough: number[] | null = null;
    for (const { word, i, candidates } of rarestFirst) {
      if (enough === null && found.length >= FOUND_ENOUGH) enough = this.withNeighbours(found);
      const counts = this.count(word, enough ?? candidates);
      holders[i] = enough === null ? counts.length : candidates.length;
      const rarity = rarityOf(holders[i] ?? 0, texts);
      for (const [place, count] of counts) {
        if (held[place] === 0) found.push(place);
        held[place] = (held[place] ?? 0) | (1 << i);
        const chars = all.at(place)?.readBack ?? 0;
        scores[place] = (scores[place] ?? 0) + rarity * weigh(count, chars / meanChars, LENGTH_WEIGHT);
      }
    }
    this.isCleared = barFor(subject, holders, texts);
    this.holdTopic(topic ?? [], words.length, found);
    const scoreOf = timed(dates, all.last?.atMs ?? 0);
    for (const place of found) {
      const own = held[place] ?? 0;
      const [before, after] = [this.next(place, -1), this.next(place, 1)];
      if (!this.isCleared(own, own | (held[before] ?? 0) | (held[after] ?? 0))) continue;
      const entry = all.at(place);
      if (entry === undefined) continue;
      const beside = (scores[before] ?? 0) + (scores[after] ?? 0);
      this.scores[place] = scoreOf(entry, (scores[place] ?? 0) + NEIGHBOUR_WEIGHT * beside);
    }
  }

  /**
   * The places that a hit shows, its neighbours' and its own, in their order. One that has enough only together with them is shown with
   * those that it needs: it is beside the message that is meant.
   */
  shownWith(place: number): number[] {
    const isEnough = this.isCleared(this.held[place] ?? 0, this.held[place] ?? 0);
    return this.around(place).filter((each) => each === place || isEnough || (this.held[each] ?? 0) !== 0);
  }

  /** A message and its neighbours, in their order. */
  private around(place: number): number[] {
    return [this.next(place, -1), place, this.next(place, 1)].filter((each) => each >= 0);
  }

  /** The place of a neighbour; -1 where there is none. */
  private next(place: number, step: 1 | -1): number {
    for (let i = 1; i <= STEPS_MAX; i++) {
      const each = place + i * step;
      if (each < this.begin || each >= this.all.length) return -1;
      if (this.isToldAt(each)) return each;
    }
    return -1;
  }

  private isToldAt(place: number): boolean {
    const known = this.told[place] ?? 0;
    if (known !== 0) return known === 1;
    const entry = this.all.at(place);
    const isTold = entry !== undefined && this.isTold(entry);
    this.told[place] = isTold ? 1 : 2;
    return isTold;
  }

  private holdTopic(topic: readonly SubjectWord[], firstBit: number, found: readonly number[]): void {
    if (topic.length === 0) return;
    const places = this.withNeighbours(found);
    for (const [i, word] of topic.entries())
      for (const [place] of this.count(word, places))
        this.held[place] = (this.held[place] ?? 0) | (1 << (firstBit + i));
  }

  /** How often each message that has a word has it. */
  private count({ forms }: SubjectWord, places: Iterable<number>): [place: number, count: number][] {
    const countIn = wholeWords(forms);
    const counts: [number, number][] = [];
    for (const place of places) {
      const entry = this.all.at(place);
      if (entry === undefined || !this.isToldAt(place)) continue;
      const { folded, readBack } = entry;
      const count = countIn(readBack < folded.length ? folded.slice(0, readBack) : folded);
      if (count > 0) counts.push([place, count]);
    }
    return counts;
  }

  /** The places of the messages that may have a word. */
  private candidatesFor({ forms }: SubjectWord): number[] {
    const { all, filter, begin } = this;
    const places = new Set(forms.flatMap((form) => filter.textsWith(commonBeginning(form))));
    const later: number[] = [];
    for (let place = Math.max(begin, filter.size); place < all.length; place++) later.push(place);
    return [...[...places].filter((place) => place >= begin), ...later];
  }

  private withNeighbours(places: readonly number[]): number[] {
    const wanted = new Uint8Array(this.all.length);
    for (const place of places) {
      wanted[place] = 1;
      for (const each of [this.next(place, -1), this.next(place, 1)]) if (each >= 0) wanted[each] = 1;
    }
    return [...wanted.keys()].filter((place) => wanted[place] === 1);
  }
}
