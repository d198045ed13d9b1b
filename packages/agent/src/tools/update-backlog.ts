/** Adds to the backlog, ticks an item off, or takes it out. Items are named by their text, or by their number in the list. */
import { meantTexts } from "@mimikit/memory/sources/meant-text";
import { holdsWhole, plainOf, tellingWords } from "@mimikit/memory/text/sentences";
import { BacklogEffect } from "@mimikit/protocol/records/effect";
import { findBacklogItem } from "@mimikit/store/documents/backlog";
import { z } from "zod";
import { notThere } from "./meant-entry.ts";
import { tool } from "./tool.ts";

export const updateBacklog = tool({
  name: "update_backlog",
  level: "local-write",
  input: z
    .strictObject({ op: BacklogEffect.shape.op, item: BacklogEffect.shape.item })
    .describe("Add an item to the backlog, tick it off or remove it."),
  effect: ({ op, item }, { reads, effects }) => {
    if (op === "add" || reads.backlog === undefined) return { type: "update_backlog", op, item };
    const staged = effects.flatMap((each) => (each.type === "update_backlog" && each.op === "add" ? each.item : []));
    return {
      type: "update_backlog",
      op,
      item: meantItem(item, [...reads.backlog.map((each) => each.item), ...staged]),
    };
  },
});

/** The item that is meant: the supervisor finds it by its whole text. Throws in words where none is meant, or one of several. */
function meantItem(said: string, items: readonly string[]): string {
  const numbered = items.map((item, i) => ({ item, done: false, line: i }));
  for (const { text } of meantTexts(said)) {
    const found = findBacklogItem(numbered, text)?.item;
    if (found !== undefined) return found;
    const sought = plainOf(text);
    if (sought === "") continue;
    const same = items.filter((item) => plainOf(item) === sought);
    const [first, ...others] = same.length > 0 ? same : items.filter((item) => holdsWhole(plainOf(item), sought));
    if (first === undefined) continue;
    if (others.every((other) => other === first)) return first;
    throw new Error(notThere(`${others.length + 1} items say so`, [first, ...others]));
  }
  const words = tellingWords(said);
  const shared = (item: string) => [...tellingWords(item)].filter((word) => words.has(word)).length;
  throw new Error(
    notThere(
      "no item of the backlog says so",
      items.toSorted((a, b) => shared(b) - shared(a)),
    ),
  );
}
