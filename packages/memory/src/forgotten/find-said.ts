/** Finds what was said, to forget it. */

import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { HISTORY_QUERY_CHARS_MAX } from "@mimikit/protocol/wire/api";
import type { MessageLog } from "../search/history-index.ts";
import { isShownCut, meantTexts } from "../sources/meant-text.ts";
import { holdsWhole, plainOf, sentencesOf, tellingWords } from "../text/sentences.ts";

const HITS = 20;
/** A message of this length is shown cut, so that its beginning names all of it. */
const LONG_CHARS = 1_000;
/** The share of the words of a line that a sentence has which is the one that is meant. */
const SHARE_MEANT = 0.75;
const SHARED_MIN = 2;
/** Sentences that say the same, and are kept with it. */
const SENTENCES_MAX = 10;

/** In a request to forget something: that alone does not say it. */
const FORGETTING = /forget|忘/i;

type Said = Pick<HistoryMessage, "role" | "text" | "attachments">;

/**
 * Finds the words that a line of the conversation means: `said` is the line, and the sentences that say so, or all of a message that is
 * long or has files, where the line begins it. Else `nearest` are sentences that may be meant. Throws what the disk throws.
 * @param current the messages of this turn, which no history has yet.
 */
export async function findSaid(
  line: string,
  log: Pick<MessageLog, "search" | "page">,
  current: readonly Said[] = [],
): Promise<{ said: string } | { nearest: string[] }> {
  const text = meantTexts(line).at(-1)?.text ?? "";
  const sought = plainOf(text);
  if (sought === "") return { nearest: [] };
  const earlier = await messagesAbout(text, log);
  for (const messages of [earlier, [...current]]) {
    const ofUser = messages.filter(({ role }) => role === "user");
    const isTelling = tellingWords(text).size >= SHARED_MIN;
    const whole = isTelling ? ofUser.find((message) => begins(message, text, line)) : undefined;
    if (whole !== undefined) return { said: beginningOf(whole.text.trim(), MESSAGE_CHARS_MAX) };
    const said = sentencesThatSay(text, ofUser.length > 0 ? ofUser : messages);
    const others = ofUser.length > 0 ? sentencesThatSay(text, messages) : said;
    const found = said.length > 0 ? said : others;
    if (found.length === 0) continue;
    // A name alone may be in many: only one that is all of a sentence, or in one sentence, is meant.
    if (!isTelling && found.length > 1) return { nearest: found.slice(0, SENTENCES_MAX) };
    const kept = isTelling ? [text, ...found] : found;
    return { said: distinct(kept).slice(0, SENTENCES_MAX).join("\n") };
  }
  return { nearest: nearestOf(text, [...earlier, ...current]) };
}

/** The messages that share words with a text, whole. */
async function messagesAbout(text: string, log: Pick<MessageLog, "search" | "page">): Promise<Said[]> {
  const query = beginningOf(text, HISTORY_QUERY_CHARS_MAX);
  const hits = await log.search({ query, limit: HITS });
  return Promise.all(
    hits.map(async (hit) => {
      if (hit.origin !== undefined) return hit;
      const page = await log.page({ around: hit.id, limit: 1 });
      return (
        page?.flatMap(({ versions = [], ...message }) => [message, ...versions]).find(({ id }) => id === hit.id) ?? hit
      );
    }),
  );
}

/** Does the line begin a message that is meant as a whole? */
function begins({ text, attachments }: Said, line: string, shown: string): boolean {
  const plain = plainOf(text);
  const isAll = isShownCut(shown) || text.length > LONG_CHARS || attachments !== undefined;
  return isAll && plain.startsWith(plainOf(line));
}

function sentencesThatSay(line: string, messages: readonly Said[]): string[] {
  const sought = sentencesOf(line).map((text) => ({ plain: plainOf(text), words: tellingWords(text) }));
  const says = (sentence: string) => {
    const plain = plainOf(sentence);
    const words = tellingWords(sentence);
    return sought.some((each) => {
      if (each.plain === "" || plain === "") return false;
      if (FORGETTING.test(plain) && !FORGETTING.test(each.plain) && !plain.startsWith(each.plain)) return false;
      if (plain === each.plain || holdsWhole(plain, each.plain)) return true;
      const shared = [...each.words].filter((word) => words.has(word)).length;
      return shared >= Math.max(SHARED_MIN, Math.ceil(each.words.size * SHARE_MEANT));
    });
  };
  return distinct(messages.flatMap(({ text }) => sentencesOf(text).filter(says)));
}

function nearestOf(line: string, messages: readonly Said[]): string[] {
  const sought = tellingWords(line);
  const sentences = distinct(messages.flatMap(({ text }) => sentencesOf(text))).map((sentence) => ({
    sentence,
    shared: [...tellingWords(sentence)].filter((word) => sought.has(word)).length,
  }));
  return sentences
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ sentence }) => sentence);
}

function distinct(sentences: readonly string[]): string[] {
  return [...new Map(sentences.map((each) => [plainOf(each), each.trim()])).values()];
}
