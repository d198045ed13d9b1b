/** The meaning of the chat's slash commands, for people at a terminal. */
import { SLASH_COMMANDS, type SlashName, type TypedLine } from "@mimikit/protocol/wire/slash-command";
import { t } from "../i18n/language.ts";

const MEANINGS: Record<SlashName, string> = {
  steer: "add something to the current task; it is read after the next step",
  next: "send a message that is answered separately",
  attach: "attach a file of any kind to your next message",
  stop: "stop what is running: the reply that is being written, or else the work that began last",
  retry: "answer your last message again; the earlier reply stays as a version",
  clear: "start a new conversation; the old one and memory are kept",
  help: "show this list",
};

/** One line for each command: how it is typed, and what it does. */
export function slashHelp(): string {
  const rows = SLASH_COMMANDS.map(({ name, takes }) => [
    `/${name}${takes === "text" ? " <text>" : ""}`,
    t(MEANINGS[name]),
  ]);
  const width = Math.max(...rows.map(([typed = ""]) => typed.length));
  const lines = rows.map(([typed = "", meaning = ""]) => `${typed.padEnd(width)}  ${meaning}`);
  return [...lines, `${"//".padEnd(width)}  ${t("starts a message with a slash")}`].join("\n");
}

/** Completes a command with Tab. @returns the commands that begin like the line, and the part that they complete. */
export function completeSlash(line: string): [string[], string] {
  const typed = SLASH_COMMANDS.map(({ name, takes }) => `/${name}${takes === "text" ? " " : ""}`);
  return [line.startsWith("/") ? typed.filter((command) => command.startsWith(line.toLowerCase())) : [], line];
}

/** Explains why a line was not sent. */
export function mistakeText({ mistake, name }: Extract<TypedLine, { kind: "mistake" }>): string {
  switch (mistake) {
    case "unknown":
      return t(
        "there is no command /{name}; nothing was sent: /help lists the commands, // starts a message with a slash",
        { name },
      );
    case "textMissing":
      return t("text is missing: /{name} <text>", { name });
    case "textUnwanted":
      return t("/{name} takes no text; nothing was sent: // starts a message with a slash", { name });
  }
}
