/** The memories in a prompt or an answer, as they are kept with the reply (docs/memory.md#what-a-reply-has-used). */
import { digestOf } from "@mimikit/memory/text/told";
import { SHOWN_CHARS_MAX, type ShownMemory } from "@mimikit/protocol/records/shown-memory";
import { isTurn } from "@mimikit/protocol/records/task";
import type { HistoryHit, MemoryHit } from "@mimikit/protocol/wire/api";
import { PERSONA_PATH, PROFILE_PATH } from "@mimikit/store/disk/state";
import type { Run } from "../provider.ts";
import { memoryLine } from "./quote.ts";
import { recalledLine } from "./recalled-line.ts";

/** @param user what changes of a prompt, as the model is sent it: where there was no room, less of memory stands in it. */
export function shownIn(user: string, { task, context }: Pick<Run, "task" | "context">): ShownMemory[] {
  if (!isTurn(task)) return [];
  const told = [
    { source: PROFILE_PATH, text: context.profile },
    { source: PERSONA_PATH, text: context.persona },
  ].filter(({ text }) => text !== "");
  const lines = new Set(user.split("\n"));
  const found = context.memory.filter(({ source, text }) => lines.has(memoryLine(source, text)));
  const recalled = context.recalled.filter((hit) => lines.has(recalledLine(hit, context)));
  return [
    ...told.map(({ source, text }) => ({
      source,
      text,
      always: true as const,
      ...(text.length > SHOWN_CHARS_MAX && { digest: digestOf(text) }),
    })),
    ...memoryShown(found),
    ...saidShown(recalled),
  ];
}

/** Hits in memory. */
export function memoryShown(hits: readonly MemoryHit[]): ShownMemory[] {
  return hits.map(({ source, text, at }) => ({ source, text, ...(at !== undefined && { at }) }));
}

/** Hits in the conversation. */
export function saidShown(hits: readonly HistoryHit[]): ShownMemory[] {
  return hits.map(({ id: message, text, at }) => ({ message, text, at }));
}
