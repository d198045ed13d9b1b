/** What the slash commands of the chat do, for people at a terminal. */
import { type Line, SLASH_COMMANDS, type SlashName } from "@mimikit/protocol/wire/slash-command";

const MEANINGS: Record<SlashName, string> = {
  steer: "say something to what runs now; it hears it after its next step",
  next: "a message with a turn of its own, after the one that runs",
  attach: "take a file of any kind along with your next message",
  stop: "end what runs now: the reply that is being written, or else the work that began last",
  retry: "have your last message answered anew; the earlier reply stays as a version",
  clear: "begin a new conversation; the old one is kept, and memory stays",
  help: "show this list",
};

/** One line for each command: how it is typed, and what it does. */
export function slashHelp(): string {
  const rows = SLASH_COMMANDS.map(({ name, takes }) => [
    `/${name}${takes === "text" ? " <text>" : ""}`,
    MEANINGS[name],
  ]);
  const width = Math.max(...rows.map(([typed = ""]) => typed.length));
  const lines = rows.map(([typed = "", meaning = ""]) => `${typed.padEnd(width)}  ${meaning}`);
  return [...lines, `${"//".padEnd(width)}  begins a message with a slash`].join("\n");
}

/** What Tab makes of a line that begins a command: the commands that begin so, and the part that they complete. */
export function completeSlash(line: string): [string[], string] {
  const typed = SLASH_COMMANDS.map(({ name, takes }) => `/${name}${takes === "text" ? " " : ""}`);
  return [line.startsWith("/") ? typed.filter((command) => command.startsWith(line.toLowerCase())) : [], line];
}

/** What is wrong with a line that was not sent. */
export function mistakeText({ mistake, name }: Extract<Line, { kind: "mistake" }>): string {
  switch (mistake) {
    case "unknown":
      return `there is no command /${name}, and nothing was sent: /help shows what there is, // begins a message with a slash`;
    case "textMissing":
      return `say what: /${name} <text>`;
    case "textUnwanted":
      return `/${name} stands alone, and nothing was sent: // begins a message with a slash`;
  }
}
