/**
 * A talk of years for whatever searches one: half of it English, half Chinese, and words as rare as in real talk (the n-th has
 * the frequency 1/n). It is the same each time.
 */
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import { appendHistory } from "@mimikit/store/views/history-partitions";

const MONTHS = 36;
const WORDS = 20_000;
const CHARACTERS = 3_000;
const FIRST_CHARACTER = 0x4e00;
const SYLLABLES = [..."bdfgklmnprstvz"].flatMap((first) => [..."aeiou"].map((second) => first + second));
/** Spreads the numbers of words over syllables; a prime. */
const SPREAD = 7_919;

export const QUERIES = [
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

/** Writes so many messages into history/. @returns how many characters they have. */
export async function writeTalk(home: string, messages: number): Promise<number> {
  let chars = 0;
  for (const { month, turns } of talkOf(messages)) {
    for (const { text } of turns.flatMap((turn) => turn.messages)) chars += text.length;
    await appendHistory(home, month, turns);
  }
  return chars;
}

/** The same messages, a month after the other. */
export function* talkOf(messages: number): Generator<{ month: string; turns: HistoryTurn[] }> {
  for (let month = 0; month < MONTHS; month++) {
    const at = `${monthOf(month)}-15T12:00:00.000Z`;
    const turns: HistoryTurn[] = [];
    for (
      let n = Math.floor((messages / 2 / MONTHS) * month);
      n < Math.floor((messages / 2 / MONTHS) * (month + 1));
      n++
    ) {
      const [asked, said] = [speak(), speak()];
      const id = `t-${String(n + 1).padStart(6, "0")}`;
      turns.push({
        turn: n + 1,
        messages: [
          { id: `m-${n + 1}`, role: "user", text: asked, at },
          { id: `${id}.reply`, role: "assistant", text: said, at, answers: [`m-${n + 1}`] },
        ],
      });
    }
    yield { month: monthOf(month), turns };
  }
}
