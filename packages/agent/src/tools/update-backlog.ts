/** Adds to the backlog, ticks an item off, or takes it out. Items are named by their text. */
import { BacklogEffect } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import { tool } from "./tool.ts";

export const updateBacklog = tool({
  name: "update_backlog",
  level: "local-write",
  input: z
    .strictObject({ op: BacklogEffect.shape.op, item: BacklogEffect.shape.item })
    .describe("Add an item to the backlog, tick it off or remove it."),
  effect: ({ op, item }) => ({ type: "update_backlog", op, item }),
});
