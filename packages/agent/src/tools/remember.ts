/** Writes down what should be known later: long-term in memory.md, else in the day's notes (SPEC E, G). */
import { RememberEffect } from "@mimikit/protocol/effect";
import { z } from "zod";
import { tool } from "../tool.ts";

export const remember = tool({
  name: "remember",
  level: "local-write",
  input: z
    .strictObject({ content: RememberEffect.shape.content, longTerm: z.boolean().default(false) })
    .describe("Write down a fact to be known later; longTerm for what stays true, otherwise it goes to today's notes."),
  effect: ({ content, longTerm }) => ({ type: "remember", content, longTerm }),
});
