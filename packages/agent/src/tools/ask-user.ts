/** Asks the user. The answer comes as an event of its own, for which this turn does not wait (SPEC G3). */
import { AskEffect } from "@mimikit/protocol/records/effect";
import { QUESTION_TIMEOUT_SEC, QUESTIONS_MAX } from "@mimikit/protocol/records/question";
import { z } from "zod";
import { tool } from "./tool.ts";

const { question, options, default: standard, timeoutSec } = AskEffect.shape;

export const askUser = tool({
  name: "ask_user",
  level: "message-send",
  input: z
    .strictObject({
      question,
      options: options.describe("buttons"),
      default: standard.describe("taken when nobody answers in time"),
      timeoutSec: timeoutSec.unwrap().default(QUESTION_TIMEOUT_SEC),
    })
    .describe("Ask the user one question."),
  refuse: (_input, { reads, effects }) => {
    const staged = effects.filter(({ type }) => type === "ask_user").length;
    return reads.questions.length + staged < QUESTIONS_MAX
      ? null
      : `${QUESTIONS_MAX} questions are open already: wait for answers, or take some back with cancel_task`;
  },
  effect: (input) => ({ type: "ask_user", ...input }),
});
