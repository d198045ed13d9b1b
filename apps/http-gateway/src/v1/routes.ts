/** The routes of /v1: what clients of OpenAI's API find here (docs/clients.md). Loaded when the first of them asks. */
import { ChatBody, MODEL, ResponsesBody, V1_BODY_BYTES_MAX } from "@mimikit/protocol/wire/v1";
import { z } from "zod";
import { type Route, route } from "../api/route.ts";
import { answer } from "./answer.ts";
import { askedByChat, askedByResponse } from "./asked.ts";
import { chatForm } from "./chat-completions.ts";
import { Entrance } from "./entrance.ts";
import { responsesForm } from "./responses.ts";
import { unknownModel } from "./wrong.ts";

const Model = z.object({
  id: z.literal(MODEL),
  object: z.literal("model"),
  created: z.number(),
  owned_by: z.literal(MODEL),
});
const THE_MODEL: z.infer<typeof Model> = { id: MODEL, object: "model", created: 0, owned_by: MODEL };

/** Those of one gateway: they know together which replies were delivered. */
export function v1Routes(): readonly Route[] {
  const entrance = new Entrance();
  return [
    route({
      method: "get",
      path: "/v1/models",
      summary: "the model of this instance",
      status: 200,
      answer: z.object({ object: z.literal("list"), data: z.array(Model) }),
      handle: () => ({ object: "list" as const, data: [THE_MODEL] }),
    }),
    route({
      method: "get",
      path: "/v1/models/:model",
      summary: "the model by its name",
      params: z.object({ model: z.string() }),
      status: 200,
      answer: Model,
      errors: { 404: "another name" },
      handle: ({ params: { model } }) => {
        if (model === MODEL) return THE_MODEL;
        throw unknownModel();
      },
    }),
    route({
      method: "post",
      path: "/v1/chat/completions",
      summary: "sends the new part of `messages`, and answers with the reply, at once or as a stream",
      body: ChatBody,
      bodyBytesMax: V1_BODY_BYTES_MAX,
      takesKey: true,
      status: 200,
      handle: ({ body, key, request, response }, parts) =>
        answer({ asked: askedByChat(body), body, key, request, response }, chatForm(body), entrance, parts),
    }),
    route({
      method: "post",
      path: "/v1/responses",
      summary: "the same with `input`",
      body: ResponsesBody,
      bodyBytesMax: V1_BODY_BYTES_MAX,
      takesKey: true,
      status: 200,
      handle: ({ body, key, request, response }, parts) =>
        answer({ asked: askedByResponse(body), body, key, request, response }, responsesForm(body), entrance, parts),
    }),
  ];
}
