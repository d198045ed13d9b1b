/**
 * Requests of clients of OpenAI's API to /v1 (docs/clients.md). They send many fields that mean nothing here, so unknown ones are
 * let through; those that would change what the answer is are refused by name (`refusalOf` in apps/http-gateway/src/v1).
 */
import { z } from "zod";

/** The one model that there is. */
export const MODEL = "mimikit";

/** Bytes of a body: clients send the whole conversation each time, with every picture that was ever in it. */
export const V1_BODY_BYTES_MAX = 32 * 1_048_576;
/** Messages or items of one request. */
const ITEMS_MAX = 10_000;

/** A part of a message: text, or a file. Its content follows from its `type`, and is read when it is new. */
export const MessagePart = z.looseObject({ type: z.string() });
export type MessagePart = z.infer<typeof MessagePart>;

const Content = z.union([z.string(), z.array(MessagePart)]).nullish();

const Options = {
  model: z.string(),
  stream: z.boolean().nullish(),
};

export const ChatBody = z.looseObject({
  ...Options,
  messages: z
    .array(z.looseObject({ role: z.string(), content: Content }))
    .min(1)
    .max(ITEMS_MAX),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;

export const ResponsesBody = z.looseObject({
  ...Options,
  input: z.union([
    z.string().min(1),
    z
      .array(z.looseObject({ type: z.string().nullish(), role: z.string().nullish(), content: Content }))
      .min(1)
      .max(ITEMS_MAX),
  ]),
  instructions: z.string().nullish(),
});
export type ResponsesBody = z.infer<typeof ResponsesBody>;
