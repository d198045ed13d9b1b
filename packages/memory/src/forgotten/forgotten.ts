/**
 * The words that no model is shown again (docs/decisions/0081-forgetting-reaches-the-conversation.md). `forgotten.md` has a
 * list item for each: the moment, and what was said up to then. Sentences that say the same are left out of what a model is shown.
 */
import { entriesOf } from "@mimikit/protocol/records/memory-entry";
import { YEAR_WORD } from "../text/months.ts";
import { holdsWhole, plainOf, sentencesOf, tellingWords } from "../text/sentences.ts";

const ENTRY = /^(\d{4}-\d{2}-\d{2}T[\d:.]+Z)\s([\s\S]*)$/;
const HEADING = /^#{1,6} /;
/** The share of a forgotten sentence's words that another has: of a user's own, and of those that only speak of it. */
const SHARE_OF_USER = 0.6;
const SHARE_OF_OTHERS = 1 / 3;
/** One word in common says nothing; a user who has two of three may say something else. */
const SHARED_MIN = 2;
const SHARED_MIN_OF_USER = 3;
/** Sentences that are forgotten together, and may each be told in other words. */
const SENTENCES_FEW = 10;
/** A code, a number of a house or of a phone: who has it has what was told. */
const NUMBER = /^\d{3,}$/;
/** Where a search has cut a text. */
const CUT_BEFORE = /^…/;
const CUT_AFTER = /(?:…\s*\[truncated\]|…)\s*$/;
/** Texts whose outcome is kept: those of a conversation, which each turn looks at again. */
const KNOWN_MAX = 4_000;
const KNOWN_CHARS_MAX = 2_000;

interface Strike {
  /** Later words stay. */
  atMs: number;
  plain: string;
  words: ReadonlySet<string>;
  /** It is one of many sentences, of a paste: what shares a few words with one of them need not speak of it. */
  isOfMany: boolean;
}

/** Where a text comes from. */
export interface SaidText {
  /** When it was said, milliseconds since 1970. */
  atMs: number;
  /** The words are a user's own: they say what they say. Others, a reply or a summary, may say it in other words. */
  isUsers?: boolean;
}

export class Forgotten {
  private readonly strikes: Strike[] = [];
  private readonly byWord = new Map<string, number[]>();
  private readonly known = new Map<string, string>();
  /** Until when something is forgotten. */
  private readonly lastMs: number = -Infinity;

  /** @param document the text of `forgotten.md`. A line without a moment counts for all that was ever said. */
  constructor(document: string) {
    for (const { text } of entriesOf(document)) {
      if (HEADING.test(text)) continue;
      const [, at, said = text] = ENTRY.exec(text) ?? [];
      const ms = at === undefined ? Infinity : Date.parse(at);
      const atMs = Number.isNaN(ms) ? Infinity : ms;
      this.lastMs = Math.max(this.lastMs, atMs);
      const sentences = sentencesOf(said);
      const isOfMany = sentences.length > SENTENCES_FEW;
      for (const sentence of sentences)
        this.add({ atMs, plain: plainOf(sentence), words: tellingWords(sentence), isOfMany });
    }
  }

  get isEmpty(): boolean {
    return this.strikes.length === 0;
  }

  /** `text` without its forgotten sentences: empty where nothing else is left, and the text itself where it has none. */
  without(text: string, { atMs, isUsers = false }: SaidText): string {
    if (this.isEmpty || atMs > this.lastMs || text === "") return text;
    const key = `${atMs} ${isUsers} ${text}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const sentences = sentencesOf(text);
    const kept = sentences.filter(
      (sentence, i) => !this.isForgotten(sentence, { atMs, isUsers, isCut: isCut(i, sentences) }),
    );
    const left = kept.length === sentences.length ? text : kept.join("").trim();
    // Marks alone are no text.
    const rest = left === text || plainOf(left) !== "" ? left : "";
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    if (text.length <= KNOWN_CHARS_MAX) this.known.set(key, rest);
    return rest;
  }

  private add(strike: Strike): void {
    if (strike.plain === "") return;
    const number = this.strikes.push(strike) - 1;
    for (const word of strike.words) {
      const others = this.byWord.get(word);
      if (others === undefined) this.byWord.set(word, [number]);
      else others.push(number);
    }
  }

  private isForgotten(sentence: string, { atMs, isUsers = false, isCut }: SaidText & { isCut: boolean }): boolean {
    const text = isCut ? sentence.replace(CUT_BEFORE, "").replace(CUT_AFTER, "") : sentence;
    const plain = plainOf(text);
    if (plain === "") return false;
    const words = tellingWords(text);
    // Without telling words it is only known by itself: "Yes."
    if (words.size === 0) return this.strikes.some((strike) => strike.atMs >= atMs && strike.plain === plain);
    const shared = new Map<number, number>();
    for (const word of words) {
      for (const number of this.byWord.get(word) ?? []) {
        const strike = this.strikes[number];
        if (strike === undefined || atMs > strike.atMs) continue;
        if (NUMBER.test(word) && !YEAR_WORD.test(word) && !strike.isOfMany) return true;
        shared.set(number, (shared.get(number) ?? 0) + 1);
      }
    }
    for (const [number, count] of shared) {
      const strike = this.strikes[number];
      if (strike === undefined) continue;
      const { size } = strike.words;
      const isStrict = isUsers || strike.isOfMany;
      const [share, least] = isStrict ? [SHARE_OF_USER, SHARED_MIN_OF_USER] : [SHARE_OF_OTHERS, SHARED_MIN];
      if (size >= SHARED_MIN && count >= Math.max(Math.min(least, size), Math.ceil(size * share))) return true;
      if (holdsWhole(plain, strike.plain) || (isCut && strike.plain.includes(plain))) return true;
    }
    return false;
  }
}

/** Is this sentence only a part of one, at the end of an excerpt? */
function isCut(i: number, sentences: readonly string[]): boolean {
  if (i === 0 && CUT_BEFORE.test(sentences[0] ?? "")) return true;
  return i >= sentences.length - 2 && CUT_AFTER.test(sentences.slice(i).join(""));
}
