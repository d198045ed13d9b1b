/**
 * BM25 by wink-bm25-text-search, which takes units once and none after. A unit that came later is scored by the statistics
 * of those that were there, so that its score can be compared with theirs.
 */
import createEngine from "wink-bm25-text-search";
import type { Unit } from "../text/units.ts";

const K1 = 1.2;
const B = 0.75;
/** The engine refuses to work with fewer. */
const UNITS_MIN = 3;

type Words = Pick<Unit, "words">;

export class Bm25 {
  private readonly engine = createEngine();
  private readonly meanLength: number;

  /** @param units by their ids; numbers from 0 on. */
  constructor(units: Iterable<readonly [id: number, unit: Words]>) {
    this.engine.defineConfig({ fldWeights: { words: 1 }, bm25Params: { k1: K1, b: B } });
    // Tokens hold no spaces, so joined ones come apart again as they were.
    this.engine.definePrepTasks([(text) => (text === "" ? [] : text.split(" "))]);
    for (const [id, { words }] of units) this.engine.addDoc({ words: words.join(" ") }, id);
    for (let pad = 1; this.engine.getTotalDocs() < UNITS_MIN; pad++) this.engine.addDoc({ words: "" }, -pad);
    this.engine.consolidate();
    this.meanLength = this.engine.getTotalCorpusLength() / this.engine.getTotalDocs();
  }

  /** The ids of the units that have any of these words, and how well each fits. */
  search(words: readonly string[]): [id: number, score: number][] {
    return this.engine.search(words.join(" "), Number.POSITIVE_INFINITY).map(([id, score]) => [Number(id), score]);
  }

  /** How well a unit that is not in this index fits; 0 where it has none of the words. */
  scoreOf(unit: Words, words: readonly string[]): number {
    const norm = this.meanLength === 0 ? 1 : 1 - B + (B * unit.words.length) / this.meanLength;
    return words.reduce((sum, word) => {
      const frequency = unit.words.filter((each) => each === word).length;
      return sum + (this.weightOf(word) * frequency * (K1 + 1)) / (K1 * norm + frequency);
    }, 0);
  }

  /** A word that nobody here has weighs as much as one that one unit has. */
  private weightOf(word: string): number {
    const number = this.engine.getTokens()[word];
    const known = number === undefined ? undefined : this.engine.getIDF()[number];
    return known ?? Math.log((this.engine.getTotalDocs() - 0.5) / 1.5 + 1);
  }
}
