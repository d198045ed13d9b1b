/** Says something to the user. A Teller's final text is its reply anyway; this one takes its place. */
import { ReplyEffect } from "@mimikit/protocol/effect";
import { z } from "zod";
import { tool } from "../tool.ts";

export const reply = tool({
  name: "reply",
  input: z.strictObject({ text: ReplyEffect.shape.text }),
  effect: ({ text }) => ({ type: "reply", text }),
});
