/** `/api/questions`: what the user is asked, and the command that answers (SPEC G3). */
import { Accepted, AnswerBody, QuestionsAnswer } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";

export const questions = route({
  method: "get",
  path: "/api/questions",
  summary: "the open questions, oldest first",
  status: 200,
  answer: QuestionsAnswer,
  handle: async (_asked, { view }) => ({ questions: [...(await view.refresh()).questions] }),
});

export const answer = route({
  method: "post",
  path: "/api/questions/:id/answer",
  summary: "answers a question; 400 if `isChoice` and the answer is not one of the options",
  params: IdParams,
  body: AnswerBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown", 410: "closed: send it as a message" },
  handle: async ({ params, body, key }, { commands }) => ({ id: await commands.answer(params.id, body.answer, key) }),
});
