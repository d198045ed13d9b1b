/** `POST /v1/chat/completions` in the shapes of OpenAI's API. */
import type { Usage } from "@mimikit/protocol/base/usage";
import { type ChatBody, MODEL } from "@mimikit/protocol/wire/v1";
import type { Form } from "./answer.ts";

const MS = 1_000;
/** How a stream says that it came to its end. */
const DONE = "data: [DONE]\n\n";

export function chatForm({ stream_options: options }: ChatBody): Form {
  const created = Math.floor(Date.now() / MS);
  const facts = (id: string, object: string) => ({ id: `chatcmpl-${id}`, object, created, model: MODEL });
  const withUsage = options?.include_usage === true;
  return {
    whole: (id, { text, usage }) => ({
      ...facts(id, "chat.completion"),
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: text, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: usageOf(usage),
    }),
    stream: (id, events) => {
      const chunk = (delta: object, finish: string | null = null) =>
        events.send({
          ...facts(id, "chat.completion.chunk"),
          choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
          ...(withUsage && { usage: null }),
        });
      return {
        begin: () => chunk({ role: "assistant", content: "" }),
        delta: (content) => chunk({ content }),
        end: ({ usage }) => {
          chunk({}, "stop");
          if (withUsage) events.send({ ...facts(id, "chat.completion.chunk"), choices: [], usage: usageOf(usage) });
          events.end(DONE);
        },
        fail: (error) => {
          events.send(error);
          events.end();
        },
      };
    },
  };
}

function usageOf({ inputTokens, cachedTokens, outputTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}
