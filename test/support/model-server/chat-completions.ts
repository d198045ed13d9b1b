/** Chat Completions: what OpenAI, LM Studio, Ollama and their like speak. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { type Media, type Message, wholeText } from "./request.ts";
import { halvesOf, openStream, piecesOf, type ResolvedCall, USAGE, type Utterance, type Wire } from "./wire.ts";

const Call = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
/** Pictures as data URLs and recordings as their bytes, after the text that they belong to. */
const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({ url: z.string().regex(/^data:image\/\w+;base64,/) }),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.base64(), format: z.enum(["wav", "mp3"]) }),
  }),
]);
const Body = z.object({
  model: z.string(),
  stream: z.boolean(),
  messages: z.array(
    z.object({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.union([z.string(), z.array(Part)]).nullable(),
      tool_calls: z.array(Call).optional(),
      tool_call_id: z.string().optional(),
      reasoning_content: z.string().optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })).optional(),
  tool_choice: z.string().optional(),
});

export const chatCompletions: Wire = {
  name: "chat-completions",
  path: "/v1/chat/completions",

  read(body) {
    const { model, stream, messages, tools = [], tool_choice } = Body.parse(body);
    // Strict endpoints refuse a conversation with arguments that are no JSON.
    for (const call of messages.flatMap((message) => message.tool_calls ?? []))
      JSON.parse(call.function.arguments, wholeText);
    const named = tool_choice === "none" ? [] : tools;
    const offered = named.map((tool) => ({ name: tool.function.name, kind: "function" as const }));
    return { model, messages: messages.map(plain), tools: offered, isStreamed: stream };
  },

  stream(response, utterance) {
    openStream(response);
    if (utterance.thought !== undefined)
      for (const reasoning_content of piecesOf(utterance.thought.text)) sendDelta(response, { reasoning_content });
    for (const content of piecesOf(utterance.say)) sendDelta(response, { content });
    for (const [index, call] of utterance.calls.map(wireCall).entries()) {
      const [first, second] = halvesOf(call.function.arguments);
      sendDelta(response, { tool_calls: [{ ...call, index, function: { ...call.function, arguments: first } }] });
      sendDelta(response, { tool_calls: [{ index, function: { arguments: second } }] });
    }
    send(response, { choices: [{ index: 0, delta: {}, finish_reason: finishOf(utterance) }] });
    if (utterance.withoutUsage !== true) send(response, { choices: [], usage: usage() });
    response.end("data: [DONE]\n\n");
  },

  begin(response, { say }) {
    openStream(response);
    sendDelta(response, { content: say });
  },

  whole(utterance) {
    const message = { role: "assistant", content: utterance.say, tool_calls: utterance.calls.map(wireCall) };
    const choices = [{ index: 0, message, finish_reason: finishOf(utterance) }];
    return { object: "chat.completion", choices, usage: usage() };
  },
};

function plain({ content, reasoning_content, ...rest }: z.infer<typeof Body>["messages"][number]): Message {
  const thought = reasoning_content === undefined ? undefined : { text: reasoning_content };
  const message = { ...rest, thought };
  if (content === null || typeof content === "string") return { ...message, content: content ?? "" };
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { ...message, content: text, media: content.flatMap(mediaOf) };
}

function mediaOf(part: z.infer<typeof Part>): Media[] {
  if (part.type === "text") return [];
  if (part.type === "input_audio") return [{ type: `audio/${part.input_audio.format}`, data: part.input_audio.data }];
  const [, type = "", data = ""] = /^data:(.*?);base64,(.*)$/s.exec(part.image_url.url) ?? [];
  return [{ type, data }];
}

function wireCall({ id, name, arguments: input }: ResolvedCall) {
  return { id, type: "function", function: { name, arguments: input } };
}

function sendDelta(response: ServerResponse, delta: object): void {
  send(response, { choices: [{ index: 0, delta, finish_reason: null }] });
}

function send(response: ServerResponse, event: object): void {
  response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", ...event })}\n\n`);
}

function finishOf({ calls, finish }: Utterance): string {
  if (finish === "filter") return "content_filter";
  return finish ?? (calls.length > 0 ? "tool_calls" : "stop");
}

function usage() {
  const { input, cached, output } = USAGE;
  return { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: { cached_tokens: cached } };
}
