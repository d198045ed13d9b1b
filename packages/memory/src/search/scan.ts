/**
 * Search without an index: the sources are read and their units scanned. It also finds words inside of words, so it is
 * asked when the index finds nothing, or cannot be asked (SPEC E5).
 */
import type { MemoryAnswer, MemoryHit } from "@mimikit/protocol/wire/api";
import { grepFiles } from "../sources/grep.ts";
import { limitOf, type MemoryQuery, wordsToScan } from "../sources/memory-query.ts";
import { daysOf, isAskedFor, listSources, type MemorySource, readSource, stampOf } from "../sources/sources.ts";
import { barFor, rarityOf } from "../subject/bar.ts";
import type { Subject } from "../subject/subject.ts";
import { fold } from "../text/fold.ts";
import { excerpt, isKnownSaid, splitUnits } from "../text/units.ts";
import { wholeWords } from "../text/words-in-text.ts";

/** A shorter piece of a Latin word is in too many others. */
const PIECE_CHARS_MIN = 3;
const LATIN = /^[\p{Script=Latin}\p{N}]+$/u;

interface Candidate extends Omit<MemoryHit, "score"> {
  lower: string;
}

/** The units that hold most of the words, rare ones first; ripgrep, where it is there, says which sources to read. */
export async function scanMemory(query: MemoryQuery): Promise<MemoryAnswer> {
  const { subject } = query;
  if (subject !== undefined)
    return { method: "scan", hits: clearing(subject, await allCandidates(query), limitOf(query)) };
  const words = wordsToScan(query.query).filter((word) => !LATIN.test(word) || word.length >= PIECE_CHARS_MIN);
  if (words.length === 0) return { method: "scan", hits: [] };
  const sources = await listSources(query);
  // ripgrep sees the characters that are there: of Chinese, those may be traditional ones.
  const holders = words.every((word) => LATIN.test(word))
    ? await grepFiles(
        words,
        sources.map(({ path }) => path),
      )
    : null;
  const holding = holders === null ? null : new Set(holders);
  const candidates: Candidate[] = [];
  for (const source of sources)
    if (holding === null || holding.has(source.path)) candidates.push(...(await readCandidates(source, query)));
  return { method: holding === null ? "scan" : "rg", hits: rank(candidates, words, limitOf(query)) };
}

async function allCandidates(query: MemoryQuery): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const source of await listSources(query)) candidates.push(...(await readCandidates(source, query)));
  return candidates.filter(({ text }) => !isKnownSaid(text, query.saidFromMs));
}

/** The units that have enough of a subject, in whole words. */
function clearing(subject: Subject, candidates: readonly Candidate[], limit: number): MemoryHit[] {
  const words = [...subject.words, ...(subject.topic ?? [])];
  const counters = words.map(({ forms }) => wholeWords(forms));
  const held = candidates.map(({ lower }) =>
    counters.reduce((bits, countIn, i) => (countIn(lower) > 0 ? bits | (1 << i) : bits), 0),
  );
  const holders = words.map((_, i) => held.filter((bits) => (bits & (1 << i)) !== 0).length);
  const isCleared = barFor(subject, holders, candidates.length);
  const scoreOf = (bits: number) =>
    subject.words.reduce(
      (sum, _, i) => ((bits & (1 << i)) === 0 ? sum : sum + rarityOf(holders[i] ?? 0, candidates.length)),
      0,
    );
  const found = candidates.flatMap(({ source, text, at }, i) => {
    const bits = held[i] ?? 0;
    return isCleared(bits, bits)
      ? [
          {
            source,
            text: excerpt(
              text,
              subject.words.flatMap(({ forms }) => forms),
            ),
            at,
            score: scoreOf(bits),
          },
        ]
      : [];
  });
  return scaled(found.sort((a, b) => b.score - a.score).slice(0, limit));
}

async function readCandidates(source: MemorySource, query: MemoryQuery): Promise<Candidate[]> {
  const stamp = stampOf(source.path);
  if (stamp === null || query.mayRead?.(source.path, stamp) === false) return [];
  const read = await readSource(source);
  if (read === null) return [];
  const days = daysOf(source.name, read.changedMs);
  if (!isAskedFor(source.name, days, query)) return [];
  return splitUnits(read.text).map(({ text }) => ({
    source: source.name,
    text,
    lower: fold(text),
    at: days.first,
  }));
}

function rank(candidates: Candidate[], words: string[], limit: number): MemoryHit[] {
  const weights = new Map(words.map((word) => [word, rarity(word, candidates)]));
  const found = candidates
    .map(({ source, text, lower, at }) => {
      const held = words.filter((word) => lower.includes(word));
      return {
        source,
        text: excerpt(text, held),
        at,
        score: held.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0),
      };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
  return scaled(found);
}

function scaled(found: readonly MemoryHit[]): MemoryHit[] {
  const best = found[0]?.score ?? 1;
  return found.map((hit) => ({ ...hit, score: hit.score / best }));
}

/** A word that few units have tells more; one that all have still tells something, so a single note can be found. */
function rarity(word: string, candidates: Candidate[]): number {
  const holders = candidates.filter(({ lower }) => lower.includes(word)).length;
  return Math.log(1 + candidates.length / Math.max(holders, 1));
}
