/**
 * Parses a line of the chat: `/stop` is a command, everything else a message. The page and the command line share it, so
 * that the same words do the same everywhere. No imports: the page loads it as it is.
 */

/** Every command, in the order in which lists show them; `takes` is what must follow it. */
export const SLASH_COMMANDS = [
  { name: "steer", takes: "text" },
  { name: "next", takes: "text" },
  { name: "attach", takes: "text" },
  { name: "stop", takes: "nothing" },
  { name: "retry", takes: "nothing" },
  { name: "clear", takes: "nothing" },
  { name: "help", takes: "nothing" },
] as const;

export type SlashName = (typeof SLASH_COMMANDS)[number]["name"];

export type TypedLine =
  | { kind: "message"; text: string }
  | { kind: "steer"; text: string }
  | { kind: "next"; text: string }
  /** A file goes along with the next message; the text is its path, where there are paths. */
  | { kind: "attach"; text: string }
  | { kind: "stop" }
  | { kind: "retry" }
  | { kind: "clear" }
  | { kind: "help" }
  /** Nothing is sent; the writer is told what is wrong with it. */
  | { kind: "mistake"; mistake: "unknown" | "textMissing" | "textUnwanted"; name: string };

/** A path (`/etc/hosts`) or a fraction begins with a slash, too: a command is one word of letters. */
const COMMAND = /^\/([a-z]+)(?:\s+(\S[\s\S]*))?$/i;

/**
 * Reads one line of the chat. `//stop` is the message `/stop`, and `/etc/hosts` is a message as well. The text is without
 * white space around it; an empty line is a message without text.
 */
export function readLine(line: string): TypedLine {
  const text = line.trim();
  if (text.startsWith("//")) return { kind: "message", text: text.slice(1) };
  const [, word, rest = ""] = COMMAND.exec(text) ?? [];
  if (word === undefined) return { kind: "message", text };
  const name = word.toLowerCase();
  const command = SLASH_COMMANDS.find((each) => each.name === name);
  if (command === undefined) return { kind: "mistake", mistake: "unknown", name: word };
  if (command.takes === "text")
    return rest === "" ? { kind: "mistake", mistake: "textMissing", name } : { kind: command.name, text: rest };
  return rest === "" ? { kind: command.name } : { kind: "mistake", mistake: "textUnwanted", name };
}
