/** `POST /api/input`: 202 only when the message is durable; the same Idempotency-Key is the same message (SPEC K2). */
import { Accepted, InputBody, MESSAGE_BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";

export const input = route({
  method: "post",
  path: "/api/input",
  summary:
    "sends a message; durable when answered; `mode` is `next` for a turn of its own, `quote` the id of the message it replies to, `attachments` at most 10 ids, or `{id, name}`, `answerBy` the provider and model, in a turn of its own, `pool` the machine where the work is done",
  body: InputBody,
  bodyBytesMax: MESSAGE_BODY_BYTES_MAX,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 404: "an attachment that was never uploaded" },
  handle: async ({ body, key }, { commands }) => ({ id: await commands.sendMessage(body, key) }),
});
