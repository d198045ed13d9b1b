/**
 * BM25 by wink-bm25-text-search. The library takes units once and none after, and then holds a weight for each word of each
 * unit. Here the words are kept as numbers; a search counts those that it asks for, and hands the library only the units that
 * have any of them, with the totals over all. So units come and go, and all of them are always weighed alike.
 */
import createEngine from "wink-bm25-text-search";
import type { TextUnit } from "../text/units.ts";

const K1 = 1.2;
const B = 0.75;
/** Settings that the library needs when the units come from outside. */
const CONFIG = { fldWeights: { words: 1 }, bm25Params: { k1: K1, b: B, k: 1 }, ovFldNames: [] };
/** The library refuses to work with fewer. */
const UNITS_MIN = 3;

type Words = Pick<TextUnit, "words">;

/** A unit that has words of a query. */
interface Candidate {
  /** How often it has each word, by the place of the word in the query. */
  freq: Record<number, number>;
  /** How many words it has. */
  length: number;
}

interface Candidates {
  documents: Record<number, Candidate>;
  /** For each word the ids of the units that have it. */
  holders: number[][];
}

export interface FoundUnits {
  units: { id: number; score: number; held: number }[];
  holders: number[];
  /** How many units there are. */
  count: number;
}

export class Bm25 {
  /** Of each word, in the order in which they came. */
  private readonly numbers = new Map<string, number>();
  private readonly units = new Map<number, readonly number[]>();
  /** How many words all units have, and had that are gone, repeats included. */
  private length = 0;
  private lengthGone = 0;

  /** @param units by their ids; numbers from 0 on. */
  constructor(units: Iterable<readonly [id: number, unit: Words]> = []) {
    for (const [id, unit] of units) this.add(id, unit);
  }

  /** @param id that no unit has. */
  add(id: number, { words }: Words): void {
    this.units.set(
      id,
      words.map((word) => this.numberOf(word)),
    );
    this.length += words.length;
  }

  /** A unit that is not there changes nothing. */
  remove(id: number): void {
    const { length } = this.units.get(id) ?? [];
    this.units.delete(id);
    this.length -= length;
    this.lengthGone += length;
    if (this.lengthGone > this.length) this.forgetWords();
  }

  /** The ids of the units that have any of these words, and how well each fits. */
  search(words: readonly string[]): [id: number, score: number][] {
    const asked = [...new Set(words)].filter((word) => this.numbers.has(word));
    return this.rank(words, asked, this.candidatesFor(asked));
  }

  /**
   * The same for words with several spellings each.
   * @param others words that add nothing to a score.
   * @returns with each unit the bits of the words that it has, those of the others after them; and how many units have each word.
   */
  find(words: readonly (readonly string[])[], others: readonly (readonly string[])[]): FoundUnits {
    const all = [...words, ...others];
    const asked = [...new Set(all.flat())].filter((form) => this.numbers.has(form));
    const candidates = this.candidatesFor(asked);
    const bitsOf = asked.map((form) =>
      all.reduce((bits, forms, i) => (forms.includes(form) ? bits | (1 << i) : bits), 0),
    );
    const held = new Map<number, number>();
    const holders = all.map(() => 0);
    for (const [id, { freq }] of Object.entries(candidates.documents)) {
      const bits = Object.keys(freq).reduce((sum, place) => sum | (bitsOf[Number(place)] ?? 0), 0);
      held.set(Number(id), bits);
      for (let i = 0; i < all.length; i++) if ((bits & (1 << i)) !== 0) holders[i] = (holders[i] ?? 0) + 1;
    }
    const ranked = this.rank(words.flat(), asked, candidates);
    return {
      units: ranked.map(([id, score]) => ({ id, score, held: held.get(id) ?? 0 })),
      holders,
      count: this.units.size,
    };
  }

  private rank(
    words: readonly string[],
    asked: readonly string[],
    candidates: Candidates,
  ): [id: number, score: number][] {
    const { documents, holders } = candidates;
    const engine = createEngine();
    engine.defineConfig(CONFIG);
    engine.definePrepTasks([(text) => text.split(" ")]);
    const totalDocs = Math.max(this.units.size, UNITS_MIN);
    const totals = { totalDocs, totalCorpusLength: this.length, consolidated: false };
    const places = Object.fromEntries(asked.map((_, place) => [place, place]));
    engine.importJSON(JSON.stringify([CONFIG, totals, {}, holders, asked.length, places, {}, [], []]));
    Object.assign(engine.getDocs(), documents);
    engine.consolidate();
    const text = words.map((word) => asked.indexOf(word)).filter((place) => place >= 0);
    return engine.search(text.join(" "), Number.POSITIVE_INFINITY).map(([id, score]) => [Number(id), score]);
  }

  /** @returns the units that have any of the words, and for each word their ids. */
  private candidatesFor(asked: readonly string[]): Candidates {
    const placeOf = new Map(asked.map((word, place) => [this.numbers.get(word), place]));
    const documents: Record<number, Candidate> = {};
    const holders: number[][] = asked.map(() => []);
    for (const [id, unit] of this.units) {
      for (const number of unit) {
        const place = placeOf.get(number);
        if (place === undefined) continue;
        const candidate = documents[id] ?? { freq: {}, length: unit.length };
        documents[id] = candidate;
        const { freq } = candidate;
        if (freq[place] === undefined) holders[place]?.push(id);
        freq[place] = (freq[place] ?? 0) + 1;
      }
    }
    return { documents, holders };
  }

  private numberOf(word: string): number {
    const number = this.numbers.get(word) ?? this.numbers.size;
    this.numbers.set(word, number);
    return number;
  }

  /** Words that no unit has any more would be kept for ever. */
  private forgetWords(): void {
    const words = [...this.numbers.keys()];
    this.numbers.clear();
    for (const [id, unit] of this.units)
      this.units.set(
        id,
        unit.map((number) => this.numberOf(words[number] ?? "")),
      );
    this.lengthGone = 0;
  }
}
