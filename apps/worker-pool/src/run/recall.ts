/** The memories for a run: hits of memory and the conversation before it for the messages that it is about (SPEC E4, E5, F1). */

import type { Context } from "@mimikit/agent/tools/context";
import type { MessageLog } from "@mimikit/memory/search/history-index";
import { recallMemory } from "@mimikit/memory/search/search";
import { type MemoryPlace, QUERY_CHARS_MAX } from "@mimikit/memory/sources/memory-query";
import { fold } from "@mimikit/memory/text/fold";
import { keywordsOf } from "@mimikit/memory/text/keywords";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { MemoryHit } from "@mimikit/protocol/wire/api";

/** Paragraphs of memory, and messages of the conversation. */
const MEMORY_HITS_MAX = 5;
const SAID_HITS_MAX = 3;
/** Of less than this share of the best hit's score it is chance that it has a word of the question. */
const SHARE_MIN = 0.3;

export interface Recalling {
  /** The texts that it is about. */
  asked: readonly string[];
  /** The earlier messages, oldest first. */
  before: readonly string[];
  place: MemoryPlace;
  said: MessageLog;
  /** Is this message shown anyway? */
  isShown(id: string): boolean;
  /** The numbers of turns in which something was told that is forgotten, or corrected since. */
  forgotten: ReadonlySet<number>;
}

/**
 * The hits of what is asked come first; only places that they leave free go to hits of what was said before it, which may say
 * what "it" is. Throws what the disk throws.
 */
export async function recall(recalling: Recalling): Promise<Pick<Context, "memory" | "recalled">> {
  const { asked, before, place, said, isShown, forgotten } = recalling;
  const query = beginningOf(asked.join("\n"), QUERY_CHARS_MAX);
  if (query.trim() === "") return { memory: [], recalled: [] };
  const ofMemory = async (words: string) => {
    const answer = await recallMemory({ ...place, query: words, limit: MEMORY_HITS_MAX });
    return answer && telling(answer.hits);
  };
  const found = await ofMemory(query);
  const own = found ?? [];
  const recalled = telling(await said.recall({ query, limit: SAID_HITS_MAX, isKnown: isShown, forgotten }));
  const older = keywordsOf(before);
  const hasRoom = found !== null && found.length < MEMORY_HITS_MAX && older.length > 0;
  const further = hasRoom ? ((await ofMemory([query, ...older].join("\n"))) ?? []) : [];
  const memory = [...own, ...further.filter((hit) => !own.some((each) => isSame(each, hit)))].slice(0, MEMORY_HITS_MAX);
  return {
    memory,
    recalled: recalled.filter((hit) => !memory.some((each) => saysAsMuch(each.text, hit.text))),
  };
}

function telling<Hit extends { score: number }>(hits: readonly Hit[]): Hit[] {
  return hits.filter(({ score }) => score >= SHARE_MIN);
}

/** A remembered text need not be shown a second time as it was said: "Remember that …". */
function saysAsMuch(remembered: string, said: string): boolean {
  const [a, b] = [bare(remembered), bare(said)];
  return a.includes(b) || (b.includes(a) && b.length < a.length * 2);
}

function bare(text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function isSame(a: MemoryHit, b: MemoryHit): boolean {
  return a.source === b.source && a.text === b.text;
}
