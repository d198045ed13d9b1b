/** Calls the user's attention, wherever they are: a notification of the browser, a line in the terminal (SPEC G). */
import { NotifyEffect } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import { type ToolContext, tool } from "./tool.ts";

/** Users who get more notifications than this stop reading them. */
export const NOTIFICATIONS_PER_TURN_MAX = 3;
export const NOTIFICATIONS_PER_HOUR_MAX = 12;
const HOUR_MS = 3_600_000;

const { text, title } = NotifyEffect.shape;

export const notify = tool({
  name: "notify",
  level: "message-send",
  input: z.strictObject({ text, title }).describe("Tell a user who is not looking."),
  refuse: (_, { reads, effects }: ToolContext) => {
    if (effects.filter(({ type }) => type === "notify").length >= NOTIFICATIONS_PER_TURN_MAX)
      return `at most ${NOTIFICATIONS_PER_TURN_MAX} notifications in one turn: put it into one`;
    const sinceMs = Date.parse(reads.now) - HOUR_MS;
    const lately = reads.said.newest.filter(
      ({ notification, at }) => notification !== undefined && Date.parse(at) > sinceMs,
    );
    if (lately.length < NOTIFICATIONS_PER_HOUR_MAX) return null;
    return `at most ${NOTIFICATIONS_PER_HOUR_MAX} notifications in an hour: say it in the reply`;
  },
  effect: (input) => ({ type: "notify", ...input }),
});
