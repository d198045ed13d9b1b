/** The memories for a run: hits of memory and the conversation before it for the messages that it is about (SPEC E4, E5, F1). */

import type { Context } from "@mimikit/agent/tools/context";
import type { MessageLog } from "@mimikit/memory/search/history-index";
import { recallMemory } from "@mimikit/memory/search/search";
import { type MemoryPlace, QUERY_CHARS_MAX } from "@mimikit/memory/sources/memory-query";
import { type Subject, subjectOf } from "@mimikit/memory/subject/subject";
import { fold } from "@mimikit/memory/text/fold";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { HistoryHit, MemoryHit } from "@mimikit/protocol/wire/api";

/** Paragraphs of memory, and messages of the conversation that bring their neighbours. */
const MEMORY_HITS_MAX = 5;
const SAID_HITS_MAX = 12;
/** Of several messages in one turn, the last ones are searched for: each costs a search. */
const SUBJECTS_MAX = 3;
/** The marks that a search leaves where it has cut a long text. */
const CUT = /^…|…\s?\[truncated\]$/g;
/** A shorter text, "Yes", may be in another that says something else. */
const REPEATED_CHARS_MIN = 12;
/** How a note names who said something, and when. */
const SAID = /^\d{4}-\d{2}-\d{2}T\S+ (?:user|assistant|system): /;

export interface Recalling {
  /** The texts that it is about. */
  asked: readonly string[];
  /** The earlier messages, oldest first. */
  before: readonly string[];
  place: MemoryPlace;
  said: MessageLog;
  /** Is this message shown anyway? */
  isShown(id: string): boolean;
  /** Other texts that are shown anyway, and those of the messages. */
  shown: readonly string[];
  /** The numbers of turns in which something was told that is forgotten, or corrected since. */
  forgotten: ReadonlySet<number>;
}

/** Nothing is recalled for messages that are about nothing, and nothing that has little of what they are about. Throws what the disk throws. */
export async function recall({
  asked,
  before,
  place,
  said,
  isShown,
  shown,
  forgotten,
}: Recalling): Promise<Pick<Context, "memory" | "recalled">> {
  const subjects = asked
    .map((text) => beginningOf(text, QUERY_CHARS_MAX))
    .flatMap((query) => {
      const subject = subjectOf(query, before);
      return subject === null ? [] : { query, subject };
    })
    .slice(-SUBJECTS_MAX);
  const known = [...asked, ...shown].map(bare);
  const memory: MemoryHit[] = [];
  const recalled: HistoryHit[] = [];
  if (subjects.length === 0) return { memory, recalled };
  const saidFromMs = await said.begunMs();
  const found: MemoryHit[][] = [];
  for (const { query, subject } of subjects) found.push(await inMemory({ query, subject, place, saidFromMs }));
  for (const hit of fairly(found)) {
    const isKnown = known.some((text) => isPartOf(hit.text, text));
    if (!isKnown && memory.length < MEMORY_HITS_MAX && !memory.some((each) => isSame(each, hit))) memory.push(hit);
  }
  const remembered = memory.map(({ text }) => bare(text));
  const isKnown = (id: string, folded: string) =>
    isShown(id) ||
    remembered.some((text) => saysAsMuch(text, bare(folded))) ||
    known.some((text) => isPartOf(folded, text));
  const limit = Math.ceil(SAID_HITS_MAX / subjects.length);
  for (const { query, subject } of subjects)
    for (const hit of await said.recall({ subject, asked: fold(query), limit, isKnown, forgotten }))
      if (!recalled.some(({ id }) => id === hit.id)) recalled.push(hit);
  return { memory, recalled };
}

async function inMemory({
  place,
  ...wanted
}: {
  query: string;
  subject: Subject;
  place: MemoryPlace;
  saidFromMs: number;
}): Promise<MemoryHit[]> {
  // Some of them may be shown anyway.
  const answer = await recallMemory({ ...place, ...wanted, limit: MEMORY_HITS_MAX * 2 });
  return answer?.hits ?? [];
}

/** The best of each, then the second of each. */
function fairly<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
}

/** Is a hit a message that is shown anyway, or a piece of one? Both are without what is around words. */
function isPartOf(hit: string, shown: string): boolean {
  const text = bare(hit.replaceAll(CUT, "").replace(SAID, ""));
  return text.length >= REPEATED_CHARS_MIN && shown.includes(text);
}

/** A remembered text need not be shown a second time as it was said: "Remember that …". */
function saysAsMuch(remembered: string, said: string): boolean {
  return remembered.includes(said) || (said.includes(remembered) && said.length < remembered.length * 2);
}

function bare(text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function isSame(a: MemoryHit, b: MemoryHit): boolean {
  return a.source === b.source && a.text === b.text;
}
