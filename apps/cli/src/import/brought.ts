/** The content of an export, in our terms. All of its texts are a stranger's: they are kept and shown, and never followed. */

import { headingOf } from "@mimikit/memory/text/heading";
import { REMEMBER_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { withoutComments } from "@mimikit/protocol/texts/comments";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import { t } from "../i18n/language.ts";

export const SOURCES = ["chatgpt", "claude", "openclaw"] as const;
export type ImportSource = (typeof SOURCES)[number];
export const SOURCE_NAMES: Readonly<Record<ImportSource, string>> = {
  chatgpt: "ChatGPT",
  claude: "Claude",
  openclaw: "OpenClaw",
};

/** @param source of a folder of imported/, which may be anything. */
export function sourceName(source: string): string {
  return (SOURCE_NAMES as Readonly<Record<string, string>>)[source] ?? source;
}

/** Parts of an import, as they are said. */
export const COUNTED = {
  messages: (count: number) => (count === 1 ? t("1 message") : t("{count} messages", { count })),
  conversations: (count: number) => (count === 1 ? t("1 conversation") : t("{count} conversations", { count })),
  memories: (count: number) => (count === 1 ? t("1 memory") : t("{count} memories", { count })),
  schedules: (count: number) => (count === 1 ? t("1 schedule") : t("{count} schedules", { count })),
};

/** Bounds of one import; what lies beyond is said, and not brought. */
export const MEMORIES_MAX = 500;
export const SCHEDULES_MAX = 100;
export const MESSAGES_MAX = 200_000;
export const MESSAGE_CHARS_MAX = 64_000;

export interface BroughtMessage {
  /** Its name there; with the conversation's it is told apart from all others. */
  id: string;
  role: "user" | "assistant";
  text: string;
  /** Milliseconds since 1970. */
  atMs: number;
}

export interface ImportedConversation {
  id: string;
  title: string;
  messages: BroughtMessage[];
}

export interface BroughtSchedule {
  title: string;
  definition: TriggerDefinition;
}

export interface Brought {
  conversations: ImportedConversation[];
  /** Each of at most as many characters as an entry of memory has. */
  memories: string[];
  schedules: BroughtSchedule[];
  /** Parts that are not brought, and why. */
  passedOver: { what: string; reason: string }[];
}

export function nothing(): Brought {
  return { conversations: [], memories: [], schedules: [], passedOver: [] };
}

/**
 * The entries of a text that people or models keep: list items and paragraphs, each with the heading above it where it has one.
 * Those that are too long are cut at a blank.
 * @param mark comes after each: ` (from Claude)`.
 */
export function memoriesIn(text: string, mark: string): string[] {
  const memories: string[] = [];
  const lines: string[] = [];
  let heading = "";
  const end = () => {
    const entry = lines
      .splice(0)
      .join(" ")
      .replace(/\s+/g, " ")
      .replace(/^[-*+] (\[[ x]\] )?/i, "")
      .trim();
    if (entry === "" || /^[-*_=]{3,}$/.test(entry)) return;
    for (const piece of pieces(heading === "" ? entry : `${heading}: ${entry}`, REMEMBER_CHARS_MAX - mark.length))
      memories.push(piece + mark);
  };
  for (const line of withoutComments(text).split(/\r?\n/)) {
    const title = headingOf(line)?.title ?? /^\*\*([^*]+)\*\*:?\s*$/.exec(line)?.[1];
    if (title !== undefined || line.trim() === "" || /^[-*+] /.test(line)) end();
    if (title !== undefined) heading = title.trim();
    else if (line.trim() !== "") lines.push(line.trim());
  }
  end();
  return memories;
}

function pieces(text: string, charsMax: number): string[] {
  const all: string[] = [];
  let rest = text;
  while (rest.length > charsMax) {
    const blank = rest.lastIndexOf(" ", charsMax);
    const cut = blank > charsMax / 2 ? blank : charsMax;
    all.push(rest.slice(0, cut).toWellFormed());
    rest = rest.slice(cut).trimStart();
  }
  return [...all, rest];
}
