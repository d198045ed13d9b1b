/** Says something to the user. A Teller's final text is its reply anyway; this one takes its place. */
import { ReplyEffect } from "@mimikit/protocol/effect";
import { z } from "zod";
import { tool } from "../tool.ts";

export const reply = tool({
  name: "reply",
  level: "message-send",
  input: z
    .strictObject({ text: ReplyEffect.shape.text })
    .describe("Say this to the user. Your final text is your reply anyway; this takes its place."),
  effect: ({ text }) => ({ type: "reply", text }),
});
