/**
 * A shell text that is one simple command: a program and its arguments, and nothing that a shell would do with them. Only of
 * such a text can the first words be allowed for good: whatever else is in a text, a prefix of it says nothing of the rest.
 */
import { PREFIX_CHARS_MAX } from "@mimikit/protocol/approvals/approval";
import { lastingCommand } from "./lasting-commands.ts";

/** Letters, digits and what no shell looks at; `'…'`; and `"…"` without anything that is expanded there. */
const WORD = /(?:[\p{L}\p{N}_@%+=:,./-]|'[^'\p{Cc}]*'|"[^"$`\\!\p{Cc}]*")+/uy;
const SPACE = /[ \t]+/y;
const QUOTES = /'([^']*)'|"([^"]*)"/g;

/** The second word of a prefix, where the program has no sub-commands: letters that begin no option and no path. */
const SECOND_WORD = /^[a-z][a-z0-9:_-]*$/;

/** Its words; null where it is not one simple command: with `;`, `|`, `&`, `$`, `>`, `*`, a line break, an assignment, and so on. */
export function simpleCommand(text: string): string[] | null {
  const words: string[] = [];
  const trimmed = text.trim();
  let at = 0;
  while (at < trimmed.length) {
    WORD.lastIndex = at;
    const word = WORD.exec(trimmed)?.[0];
    if (word === undefined) return null;
    words.push(word.replace(QUOTES, (_whole, single?: string, double?: string) => single ?? double ?? ""));
    at += word.length;
    if (at === trimmed.length) break;
    SPACE.lastIndex = at;
    const space = SPACE.exec(trimmed)?.[0];
    if (space === undefined) return null;
    at += space.length;
  }
  return words[0] === undefined || words[0] === "" || words[0].includes("=") ? null : words;
}

/** The words of a command that may be allowed for good: the program, with its subcommand where it has one; undefined where none may. */
export function prefixOf(text: string): string[] | undefined {
  const words = simpleCommand(text) ?? [];
  const [program, next] = words;
  if (program === undefined || lastingCommand(words) === undefined) return undefined;
  return next !== undefined && next.length <= PREFIX_CHARS_MAX && SECOND_WORD.test(next) ? [program, next] : [program];
}

/** Is it one simple command that begins with these words, and one that may be allowed for good? */
export function beginsWith(text: string, prefix: readonly string[]): boolean {
  const words = simpleCommand(text);
  if (words === null || prefix.length === 0 || lastingCommand(words) === undefined) return false;
  return prefix.every((word, i) => words[i] === word);
}
