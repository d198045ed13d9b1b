/**
 * Everything that was ever said, to be searched by BM25 and paged through. It is read from history/YYYY-MM.jsonl as that grows;
 * of a month that has an index only that is read, and the month itself for what is found (`month-index.ts`). There is no
 * index of words: a scan finds the words in the text itself, whatever the language, and a filter passes over the texts that
 * cannot hold them (`scripts/bench/history-search.ts` says how long it takes).
 */

import { join } from "node:path";
import { newestVersions, type WithVersions } from "@mimikit/core/views/history";
import type { HistoryMessage, HistoryTurn } from "@mimikit/protocol/records/history";
import type { HistoryHit, HistoryQuery } from "@mimikit/protocol/wire/api";
import { shareRuns } from "@mimikit/store/disk/share-runs";
import { IMPORTED } from "@mimikit/store/disk/state";
import { HistoryPartitions } from "@mimikit/store/views/history-partitions";
import { importedSources } from "@mimikit/store/views/imported-history";
import { wordsToScan } from "../sources/memory-query.ts";
import { PairFilter } from "../text/pair-filter.ts";
import { beginningsOf } from "../text/words-in-text.ts";
import { MonthChanged, type MonthIndex, readMonthIndex } from "./month-index.ts";
import { best, excerpt, MONTH_WORD, meanOf, timed, weigh } from "./rank-said.ts";
import { type RecallQuery, recallSaid } from "./recall-said.ts";
import { SaidEntries } from "./said-entries.ts";
import { KnownEntry, readMessages, readWhole, type SaidMessage, type SearchEntry } from "./said-entry.ts";

/** Of a long query the first words count: each costs a scan. */
const SCANNED_WORDS_MAX = 16;
/** Only the last reply can be given again: its versions are hardly apart, and what is read of both sides has them. */
const VERSIONS_NEAR = 20;
const HIT_CHARS_MAX = 500;
/** So many messages have the rarer words of a query: its other words only tell them apart. */
const FOUND_ENOUGH = 2_000;
const SCORE_DIGITS = 3;

export class HistoryIndex {
  /** Calls at the same time read once. */
  readonly refresh: () => Promise<void>;
  private readonly home: string;
  private partitions: HistoryPartitions;
  private entries = new SaidEntries();
  /** Turns and ids of the months that have no index. */
  private turns = new Set<number>();
  private ids = new Set<string>();
  private filter = new PairFilter();
  /** The months that have one, the newest first. */
  private indexed: MonthIndex[] = [];
  /** Its turns are not in the order of the months, or an index was wrong: from then on, every line is read. */
  private readsAll = false;
  /** The conversations of other assistants, by source: months of their own, which are read at the first search. */
  private readonly elsewhere = new Map<string, HistoryIndex>();

  /** @param home the state directory; nothing is read before the first question, or before `refresh` is called. */
  constructor(home: string) {
    this.home = home;
    this.partitions = this.begin();
    this.refresh = shareRuns(() => this.read());
  }

  /** How many messages can be found. */
  get size(): number {
    return this.entries.length;
  }

  /**
   * The history as it is with the newest messages, oldest first, which the files may not have yet. The caller has them
   * in hand; those that are in the files count once.
   */
  with(newest: readonly HistoryMessage[]): MessageLog {
    return {
      newest,
      search: async (query) => {
        const own = await this.look(newest, (all) => search(all, this.filter, query));
        const others = await this.searchElsewhere(query);
        // Of equal hits those of here come first.
        return others.length === 0 ? own : [...own, ...others].sort((a, b) => b.score - a.score).slice(0, query.limit);
      },
      recall: (query) => this.look(newest, (all) => recallSaid(all, this.filter, query)),
      begunMs: () =>
        this.look(newest, async (all) => all.at(all.findLast(({ isClear }) => isClear) + 1)?.atMs ?? Infinity),
      recent: ({ count, offset }) =>
        this.look(newest, (all) => {
          const end = all.length - offset;
          const start = Math.max(all.findLast(({ isClear }) => isClear) + 1, end - count);
          return readMessages([...all.between(start, end)]);
        }),
      between: ({ after, before, limit }) =>
        this.look(newest, (all) => readMessages([...all].filter(within(after, before)).slice(-limit))),
      page: (wanted) => this.look(newest, (all) => pageOf(all, wanted)),
    };
  }

  /** @param at looks at all messages; once more where a file has changed under its eyes. */
  private async look<T>(newest: readonly HistoryMessage[], at: (all: SaidEntries) => Promise<T>): Promise<T> {
    await this.refresh();
    try {
      return await at(this.withNewest(newest));
    } catch (error) {
      if (!(error instanceof MonthChanged)) throw error;
    }
    this.readsAll = true;
    await this.refresh();
    return at(this.withNewest(newest));
  }

  /** A message of here is no place in what was said elsewhere. */
  private async searchElsewhere(query: HistoryQuery): Promise<HistoryHit[]> {
    if (query.before_id !== undefined) return [];
    const hits: HistoryHit[] = [];
    for (const origin of await importedSources(this.home)) {
      const index = this.elsewhere.get(origin) ?? new HistoryIndex(join(this.home, IMPORTED, origin));
      this.elsewhere.set(origin, index);
      hits.push(...(await index.with([]).search(query)).map((hit) => ({ ...hit, origin })));
    }
    return hits;
  }

  private withNewest(newest: readonly HistoryMessage[]): SaidEntries {
    const tail = newest.filter(({ id }) => !this.isThere(id));
    return this.entries.with(tail.map((each) => new KnownEntry(each, Infinity)));
  }

  private begin(): HistoryPartitions {
    this.entries = new SaidEntries();
    this.turns = new Set();
    this.ids = new Set();
    this.filter = new PairFilter();
    this.indexed = [];
    return new HistoryPartitions(this.home, (month, stamp) => this.takeMonth(month, stamp));
  }

  private async read(): Promise<void> {
    if (!this.partitions.isAsRead() || (this.readsAll && this.indexed.length > 0)) this.partitions = this.begin();
    let isInOrder = await this.follow();
    if (!isInOrder && this.indexed.length > 0) {
      this.readsAll = true;
      this.partitions = this.begin();
      isInOrder = await this.follow();
    }
    if (isInOrder) return;
    const entries = [...this.entries].filter((entry) => entry instanceof KnownEntry);
    this.entries = new SaidEntries();
    this.filter = new PairFilter();
    for (const entry of entries.toSorted((a, b) => a.turn - b.turn)) this.keep(entry);
  }

  /** @returns false where a turn belongs before one that was there. */
  private async follow(): Promise<boolean> {
    let isInOrder = true;
    for await (const turns of this.partitions.follow())
      for (const turn of turns) isInOrder = this.add(turn) && isInOrder;
    return isInOrder;
  }

  /** Takes a month as its index has it. @returns false where it has none, or one that does not follow on what is there. */
  private async takeMonth(month: string, stamp: string): Promise<boolean> {
    if (this.readsAll) return false;
    const index = await readMonthIndex(this.home, month, stamp);
    if (index === null || index.firstTurn <= (this.entries.last?.turn ?? 0)) return false;
    this.entries.addMonth(index);
    this.filter.addBlock(index.pairs);
    this.indexed.unshift(index);
    return true;
  }

  private isThere(id: string): boolean {
    return this.ids.has(id) || this.indexed.some((month) => month.has(id));
  }

  /** @returns false where the turn belongs before one that is there. A turn that is there already changes nothing. */
  private add({ turn, messages }: HistoryTurn): boolean {
    if (this.turns.has(turn) || this.indexed.some((month) => month.hasTurn(turn))) return true;
    const isNewest = turn > (this.entries.last?.turn ?? 0);
    this.turns.add(turn);
    for (const message of messages) {
      // A remark of which two turns tell may stand at the end of one month and at the beginning of the next.
      if (this.ids.has(message.id) || this.indexed[0]?.has(message.id)) continue;
      this.ids.add(message.id);
      this.keep(new KnownEntry(message, turn));
    }
    return isNewest;
  }

  private keep(entry: KnownEntry): void {
    this.entries.add(entry);
    this.filter.add(entry.folded);
  }
}

/** Everything that was ever said, as one run or one request sees it. All of it throws what the disk throws. */
export interface MessageLog {
  /** The newest messages, oldest first. */
  newest: readonly HistoryMessage[];
  /** The best hits first. */
  search(query: HistoryQuery): Promise<HistoryHit[]>;
  /** Messages since the last new conversation that have enough of a subject, the best first, each with its neighbours. */
  recall(asked: RecallQuery): Promise<HistoryHit[]>;
  /** When the first message since the last new conversation was said, in milliseconds since 1970; Infinity if there is none. */
  begunMs(): Promise<number>;
  /** The last `count` messages before the last `offset` of them, oldest first; the last new beginning is the end. */
  recent(page: { count: number; offset: number }): Promise<SaidMessage[]>;
  /** The last `limit` messages from `after` to `before` (ISO 8601), oldest first, also from before a new beginning. */
  between(span: { after?: string | undefined; before?: string | undefined; limit: number }): Promise<SaidMessage[]>;
  /**
   * `limit` messages, oldest first, with their earlier versions in them; fewer where the conversation begins or ends. Null
   * where there is no message of this id.
   */
  page(wanted: PageWanted): Promise<WithVersions<HistoryMessage>[] | null>;
}

/** The messages right before a message, or those around it, itself among them. */
export type PageWanted = { limit: number } & ({ before: string } | { around: string });

async function pageOf(all: SaidEntries, wanted: PageWanted): Promise<WithVersions<HistoryMessage>[] | null> {
  const { limit } = wanted;
  const place = all.placeOf("before" in wanted ? wanted.before : wanted.around);
  if (place < 0) return null;
  const end = "before" in wanted ? place : Math.min(all.length, place + Math.ceil(limit / 2));
  for (let start = Math.max(0, end - limit); ; start = Math.max(0, start - limit)) {
    const messages = await readWhole([...all.between(start - VERSIONS_NEAR, end + VERSIONS_NEAR)]);
    const meant = new Set([...all.between(start, end)].map(({ id }) => id));
    const shown = newestVersions(messages).filter(({ id }) => meant.has(id));
    // Earlier versions are shown nowhere, so that many messages may make few.
    if (shown.length >= limit || start === 0) return shown.slice(-limit);
  }
}

function within(after: string | undefined, before: string | undefined): (entry: SearchEntry) => boolean {
  const fromMs = after === undefined ? -Infinity : Date.parse(after);
  const toMs = before === undefined ? Infinity : Date.parse(before);
  return ({ atMs }) => atMs >= fromMs && atMs <= toMs;
}

/**
 * @param filter knows the first of the messages; the others are looked at.
 * @param how leaves messages out, beside the query, and cuts what is found.
 */
async function search(
  all: SaidEntries,
  filter: PairFilter,
  { query, limit, roles, before_id, from, to }: HistoryQuery,
  { isMeant, charsMax }: { isMeant?(entry: SearchEntry, place: number): boolean; charsMax: number } = {
    charsMax: HIT_CHARS_MAX,
  },
): Promise<HistoryHit[]> {
  const words = wordsToScan(query).slice(0, SCANNED_WORDS_MAX);
  const end = before_id === undefined ? -1 : all.findLast(({ id }) => id === before_id);
  const isWithin = within(from, to);
  const isWanted = (entry: SearchEntry, place: number) =>
    (end < 0 || place < end) &&
    !entry.isClear &&
    (roles === undefined || roles.includes(entry.role)) &&
    isWithin(entry) &&
    (isMeant?.(entry, place) ?? true);
  const scores = scoresOf(all, filter, words, isWanted);
  const places = best(scores, limit);
  const highest = scores[places[0] ?? 0] ?? 1;
  const hits = places.flatMap((place) => {
    const entry = all.at(place);
    return entry === undefined ? [] : { entry, score: Number(((scores[place] ?? 0) / highest).toFixed(SCORE_DIGITS)) };
  });
  const said = await readMessages(hits.map(({ entry }) => entry));
  return said.flatMap(({ id, role, at, text }, i) => {
    const hit = hits[i];
    return hit === undefined
      ? []
      : { id, role, at, text: excerpt(text, hit.entry.folded, words, charsMax), score: hit.score };
  });
}

/** BM25 of each entry that is wanted, with the boost of what was said lately; 0 where none of the words is. */
function scoresOf(
  all: SaidEntries,
  filter: PairFilter,
  words: readonly string[],
  isWanted: (entry: SearchEntry, place: number) => boolean,
): Float64Array {
  const scores = new Float64Array(all.length);
  const meanChars = meanOf(all);
  const found: number[] = [];
  const rarestFirst = words
    .filter((word) => !MONTH_WORD.test(word))
    .map((word) => ({ word, candidates: candidatesFor(word, all, filter) }))
    .sort((a, b) => a.candidates.length - b.candidates.length);
  for (const { word, candidates } of rarestFirst) {
    const isEnough = found.length >= FOUND_ENOUGH;
    const countIn = beginningsOf(word);
    // How many have it is told by the filter, which is a little above the truth.
    const rarity = Math.log(1 + (all.length - candidates.length + 0.5) / (candidates.length + 0.5));
    for (const place of isEnough ? found : candidates) {
      const entry = all.at(place);
      if (entry === undefined || (!isEnough && !isWanted(entry, place))) continue;
      const count = countIn(entry.folded);
      if (count === 0) continue;
      if (scores[place] === 0) found.push(place);
      scores[place] = (scores[place] ?? 0) + rarity * weigh(count, entry.chars / meanChars);
    }
  }
  const scoreOf = timed(words, all.last?.atMs ?? 0);
  for (const place of found) {
    const entry = all.at(place);
    if (entry !== undefined) scores[place] = scoreOf(entry, scores[place] ?? 0);
  }
  return scores;
}

/** The places of the messages that may have a word. */
function candidatesFor(word: string, all: SaidEntries, filter: PairFilter): number[] {
  const places = filter.textsWith(word);
  for (let place = filter.size; place < all.length; place++) places.push(place);
  return places;
}
