/**
 * `POST /api/steer`, `/api/tasks/:id/steer`, `/api/stop`, `/api/clear` and `/api/conversation/retry`: what the user says meanwhile (SPEC I5). 202
 * once the command is durable; the same Idempotency-Key is the same command.
 */
import { Accepted, MESSAGE_BODY_BYTES_MAX, NoBody, RetryBody, SteerBody } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";

export const steer = route({
  method: "post",
  path: "/api/steer",
  summary: "sends a steering message to what is running ([steering](steering.md))",
  body: SteerBody,
  bodyBytesMax: MESSAGE_BODY_BYTES_MAX,
  takesKey: true,
  status: 202,
  answer: Accepted,
  handle: async ({ body, key }, { commands }) => ({ id: await commands.steer(body.text, undefined, key) }),
});

export const steerTask = route({
  method: "post",
  path: "/api/tasks/:id/steer",
  summary: "sends a steering message to this task, or to a turn by its id",
  params: IdParams,
  body: SteerBody,
  bodyBytesMax: MESSAGE_BODY_BYTES_MAX,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown", 409: "it has ended, or is a step of self-improvement" },
  handle: async ({ params, body, key }, { commands }) => ({ id: await commands.steer(body.text, params.id, key) }),
});

export const stop = route({
  method: "post",
  path: "/api/stop",
  summary: "stops what is running",
  body: NoBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  handle: async ({ key }, { commands }) => ({ id: await commands.stop(key) }),
});

export const clear = route({
  method: "post",
  path: "/api/clear",
  summary: "starts a new conversation",
  body: NoBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  handle: async ({ key }, { commands }) => ({ id: await commands.clear(key) }),
});

export const retry = route({
  method: "post",
  path: "/api/conversation/retry",
  summary:
    "answers your last message again: `messageId` is its id, `text` a new wording, `answerBy` the provider and model ([second thoughts](steering.md#second-thoughts))",
  body: RetryBody,
  bodyBytesMax: MESSAGE_BODY_BYTES_MAX,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: {
    404: "unknown message",
    409: "it is not the last one, is being answered, or work that it started has not ended",
  },
  handle: async ({ body, key }, { commands }) => ({ id: await commands.retry(body, key) }),
});
