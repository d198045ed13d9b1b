/**
 * How long a search of 100,000 messages takes, how long it takes until the first one can begin, and how much memory that
 * costs: `node --expose-gc scripts/bench/history-search.ts [messages]`. Half of the talk is English, half Chinese; words are as rare as in real
 * talk (the n-th has the frequency 1/n).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import { HistoryQuery } from "@mimikit/protocol/wire/api";
import { appendHistory } from "@mimikit/store/views/history-partitions";

const MESSAGES_DEFAULT = 100_000;
const MONTHS = 36;
const WORDS = 20_000;
const CHARACTERS = 3_000;
const FIRST_CHARACTER = 0x4e00;
const RUNS = 15;
const SYLLABLES = [..."bdfgklmnprstvz"].flatMap((first) => [..."aeiou"].map((second) => first + second));
/** Spreads the numbers of words over syllables; a prime. */
const SPREAD = 7_919;

const QUERIES = [
  word(17_000),
  `${word(40)} ${word(300)}`,
  `what did I decide about ${word(40)} and ${word(900)} in March?`,
  [3, 5, 7, 9, 11, 13, 15, 17].map(word).join(" "),
  characters(20, 21),
  characters(20, 21, 400, 401, 90, 91, 12, 1_500),
  "nothing of this kind",
];

/** The same numbers from 0 to 1 each time (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = random(1);
const between = (low: number, high: number) => low + Math.floor(next() * (high - low));
const rank = (count: number) => Math.floor(count ** next());

function characters(...ranks: number[]): string {
  return String.fromCodePoint(...ranks.map((each) => FIRST_CHARACTER + each));
}

/** The n-th word: `kidosa`. */
function word(n: number): string {
  const syllables = [];
  for (let rest = n * SPREAD + SPREAD; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    syllables.push(SYLLABLES[rest % SYLLABLES.length]);
  return syllables.join("");
}

function speak(): string {
  if (next() < 0.5) return Array.from({ length: between(5, 45) }, () => word(rank(WORDS))).join(" ");
  return characters(...Array.from({ length: between(10, 90) }, () => rank(CHARACTERS)));
}

function monthOf(index: number): string {
  return new Date(Date.UTC(2024, index, 1)).toISOString().slice(0, "2024-01".length);
}

async function writeTalk(home: string, messages: number): Promise<number> {
  let chars = 0;
  for (let month = 0; month < MONTHS; month++) {
    const at = `${monthOf(month)}-15T12:00:00.000Z`;
    const turns: HistoryTurn[] = [];
    for (
      let n = Math.floor((messages / 2 / MONTHS) * month);
      n < Math.floor((messages / 2 / MONTHS) * (month + 1));
      n++
    ) {
      const [asked, said] = [speak(), speak()];
      chars += asked.length + said.length;
      const id = `t-${String(n + 1).padStart(6, "0")}`;
      turns.push({
        turn: n + 1,
        messages: [
          { id: `m-${n + 1}`, role: "user", text: asked, at },
          { id: `${id}.reply`, role: "assistant", text: said, at, answers: [`m-${n + 1}`] },
        ],
      });
    }
    await appendHistory(home, monthOf(month), turns);
  }
  return chars;
}

/** What is in use, in bytes; with what could be freed where the collector is not exposed. */
function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const messages = Number(process.argv[2] ?? MESSAGES_DEFAULT);
const home = mkdtempSync(join(tmpdir(), "mimikit-bench-"));
try {
  const chars = await writeTalk(home, messages);
  const index = new HistoryIndex(home);
  const bytesBefore = bytesInUse();
  const began = performance.now();
  await index.refresh();
  const line = (ms: number, text: string) => process.stdout.write(`${ms.toFixed(1).padStart(8)} ms  ${text}\n`);
  line(performance.now() - began, `to read ${messages} messages, ${chars} characters`);
  process.stdout.write(`${((bytesInUse() - bytesBefore) / 1e6).toFixed(1).padStart(8)} MB  to keep them\n`);
  for (const query of QUERIES) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now();
      await index.with([]).search(HistoryQuery.parse({ query }));
      times.push(performance.now() - start);
    }
    line(times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0, `to find "${query}" (the median of ${RUNS})`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
