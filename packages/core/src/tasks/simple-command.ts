/**
 * A shell text that is one simple command: a program and its arguments, and nothing that a shell would do with them. Only of
 * such a text can the first words be allowed for good: whatever else is in a text, a prefix of it says nothing of the rest.
 */
import { PREFIX_CHARS_MAX } from "@mimikit/protocol/approvals/approval";

/** Letters, digits and what no shell looks at; `'…'`; and `"…"` without anything that is expanded there. */
const WORD = /(?:[\p{L}\p{N}_@%+=:,./-]|'[^'\p{Cc}]*'|"[^"$`\\!\p{Cc}]*")+/uy;
const SPACE = /[ \t]+/y;
const QUOTES = /'([^']*)'|"([^"]*)"/g;

/** A program that is found in PATH. */
const PROGRAM = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;
const SUBCOMMAND = /^[a-z][a-z0-9:_-]*$/;

/** These run whatever their arguments say: to allow one of them for good is to allow everything. */
const RUN_OTHERS = new Set(
  (
    "sh bash zsh dash ksh fish csh tcsh busybox env sudo doas su xargs nice nohup timeout time setsid stdbuf ionice chroot " +
    "unshare nsenter eval exec command builtin source ssh docker podman kubectl npx pnpx bunx uvx pipx find parallel watch script " +
    "expect awk gawk mawk sed perl python python2 python3 ruby php node deno bun lua tclsh osascript pwsh vim vi ed emacs"
  ).split(" "),
);

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
  const [program, next] = simpleCommand(text) ?? [];
  if (program === undefined || !PROGRAM.test(program) || RUN_OTHERS.has(program)) return undefined;
  // Behind an option of the program itself anything may follow.
  if (next?.startsWith("-") === true || program.length > PREFIX_CHARS_MAX) return undefined;
  return next !== undefined && next.length <= PREFIX_CHARS_MAX && SUBCOMMAND.test(next) ? [program, next] : [program];
}

/** Is it one simple command that begins with these words? */
export function beginsWith(text: string, prefix: readonly string[]): boolean {
  const words = simpleCommand(text);
  return words !== null && prefix.length > 0 && prefix.every((word, i) => words[i] === word);
}
