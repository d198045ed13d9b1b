/** `POST /v1/responses` in the shapes of OpenAI's API. */
import type { Usage } from "@mimikit/protocol/base/usage";
import { MODEL, type ResponsesBody } from "@mimikit/protocol/wire/v1";
import type { Form } from "./answer.ts";
import type { Reply } from "./reply.ts";

const MS = 1_000;

export function responsesForm({ previous_response_id: previous }: ResponsesBody): Form {
  const createdAt = Math.floor(Date.now() / MS);
  const response = (id: string, rest: object) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: createdAt,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: MODEL,
    output: [],
    parallel_tool_calls: false,
    previous_response_id: typeof previous === "string" ? previous : null,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "none",
    tools: [],
    top_p: null,
    usage: null,
    ...rest,
  });
  const completed = (id: string, { text, usage }: Reply) =>
    response(id, { status: "completed", output: [messageOf(id, "completed", [partOf(text)])], usage: usageOf(usage) });
  return {
    whole: completed,
    stream: (id, events) => {
      let number = 0;
      const send = (type: string, data: object) => events.send({ type, ...data, sequence_number: number++ }, type);
      const item = { item_id: itemId(id), output_index: 0 };
      const part = { ...item, content_index: 0 };
      return {
        begin() {
          const begun = response(id, { status: "in_progress" });
          send("response.created", { response: begun });
          send("response.in_progress", { response: begun });
          send("response.output_item.added", { output_index: 0, item: messageOf(id, "in_progress", []) });
          send("response.content_part.added", { ...part, part: partOf("") });
        },
        delta: (delta) => send("response.output_text.delta", { ...part, delta, logprobs: [] }),
        end(reply) {
          send("response.output_text.done", { ...part, text: reply.text, logprobs: [] });
          send("response.content_part.done", { ...part, part: partOf(reply.text) });
          const message = messageOf(id, "completed", [partOf(reply.text)]);
          send("response.output_item.done", { output_index: 0, item: message });
          send("response.completed", { response: completed(id, reply) });
          events.end();
        },
        fail({ error: { code, message } }) {
          send("response.failed", { response: response(id, { status: "failed", error: { code, message } }) });
          events.end();
        },
      };
    },
  };
}

function itemId(id: string): string {
  return `msg_${id}`;
}

function messageOf(id: string, status: string, content: readonly object[]) {
  return { id: itemId(id), type: "message", role: "assistant", status, content };
}

function partOf(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function usageOf({ inputTokens, cachedTokens, outputTokens }: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
