/** Says something to the user. A Teller's final text is its reply anyway; this one takes its place. */
import { ReplyEffect } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import { tool } from "./tool.ts";

export const reply = tool({
  name: "reply",
  level: "message-send",
  input: z
    .strictObject({ text: ReplyEffect.shape.text })
    .describe("Say this to the user, in place of your final text."),
  effect: ({ text }) => ({ type: "reply", text }),
});
