/**
 * Writes down what should be known later: long-term in memory.md, else in the day's notes, and what the Teller is or the
 * user is like in a file of its own, which every turn is told (SPEC E, G).
 */
import { RememberEffect } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import { meantEntry, SaidEntry } from "./meant-entry.ts";
import { tool } from "./tool.ts";

export const remember = tool({
  name: "remember",
  level: "local-write",
  input: z
    .strictObject({
      content: RememberEffect.shape.content,
      longTerm: z.boolean().default(false),
      target: RememberEffect.shape.target,
      replaces: SaidEntry.optional(),
    })
    .describe("Write down what is to be known later."),
  effect: async ({ content, longTerm, target, replaces }, { reads }) => ({
    type: "remember",
    content,
    longTerm,
    ...(target !== undefined && { target }),
    ...(replaces !== undefined && { replaces: await meantEntry(replaces, reads.memoryPlace) }),
  }),
});
