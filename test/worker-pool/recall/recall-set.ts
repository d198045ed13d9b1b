/** Facts that somebody may tell an assistant, a question for each, and the small talk around them, in English and Chinese. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { wordsToFind } from "@mimikit/memory/sources/memory-query";

export interface Fact {
  fact: string;
  question: string;
  /** The question has a word of the fact, in whatever form or script: a search can find it. */
  isSaid: boolean;
}

const linesOf = (name: string) =>
  readFileSync(join(import.meta.dirname, name), "utf8")
    .trim()
    .split("\n");

export const FACTS: readonly Fact[] = ["facts.en.txt", "facts.zh.txt"].flatMap((name) =>
  linesOf(name).map((line) => {
    const [fact = "", question = ""] = line.split(" => ");
    const words = new Set(wordsToFind(fact));
    return { fact, question, isSaid: wordsToFind(question).some((word) => words.has(word)) };
  }),
);

export const TALK: readonly string[] = linesOf("talk.txt");

/** Chance that is the same in every run: numbers from 0 to 1 (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(all: readonly T[], chance: () => number): T[] {
  return all
    .map((each) => ({ each, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}
