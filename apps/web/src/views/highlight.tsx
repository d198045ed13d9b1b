/** Marks in a text what was looked for. */
import type { ComponentChildren } from "preact";

const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}_]+/gu;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

interface HighlightedProps {
  text: string;
  query: string;
}

export function Highlighted({ text, query }: HighlightedProps) {
  const pattern = patternOf(query, text);
  if (pattern === undefined) return <>{text}</>;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), <mark key={match.index}>{match[0]}</mark>);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}

/** Any word of the query; of a run of characters without spaces, its pairs where the whole is not in the text. */
function patternOf(query: string, text: string): RegExp | undefined {
  const lower = text.toLowerCase();
  const sought = (query.match(WORDS) ?? []).flatMap((word) =>
    !WITHOUT_SPACES.test(word) || lower.includes(word.toLowerCase()) ? [word] : pairsOf(word),
  );
  if (sought.length === 0) return undefined;
  // Only letters and digits are in there, so nothing needs to be escaped; the longest first.
  const longestFirst = sought.sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.join("|"), "giu");
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 3) return [run];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}
