/** Puts a summary in the place of the conversation so far; what was said stays in the history (SPEC F3). */
import { CompressEffect } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import { tool } from "./tool.ts";

export const compressContext = tool({
  name: "compress_context",
  level: "local-write",
  input: z
    .strictObject({ summary: CompressEffect.shape.summary.describe("in your words; else made by rule") })
    .describe("Later turns read a summary in place of what was said before."),
  refuse: (_, { task, effects }) => {
    if (effects.some(({ type }) => type === "compress_context")) return "it is compressed already";
    return task.turn?.messages.length === 0 ? "nobody talks with you in this turn" : null;
  },
  effect: ({ summary }) => ({ type: "compress_context", ...(summary !== undefined && { summary }) }),
});
