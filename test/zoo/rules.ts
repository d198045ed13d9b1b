/** Conditions of a request that vendors refuse. */
import { z } from "zod";
import type { SentRequest } from "../support/model-server.ts";
import type { Objection, Rule } from "./vendor.ts";

const Message = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(z.looseObject({ id: z.string(), extra_content: z.unknown().optional() })).default([]),
});
export type ChatMessage = z.infer<typeof Message>;
const Chat = z.looseObject({
  messages: z.array(Message),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }) }))
    .default([]),
});
export type ChatBody = z.infer<typeof Chat>;

/** A rule over a request to `/chat/completions`. */
export function chatRule(source: string, finds: (body: ChatBody) => boolean, objection: Objection): Rule {
  return {
    source,
    objects: ({ path, body }: SentRequest) =>
      path.endsWith("/chat/completions") && finds(Chat.parse(body)) ? objection : null,
  };
}

const pairs = (messages: readonly ChatMessage[]) => messages.slice(1).map((each, i) => [messages[i], each] as const);
const assistants = ({ messages }: ChatBody) => messages.filter(({ role }) => role === "assistant");
const callsIn = (body: ChatBody) => assistants(body).flatMap(({ tool_calls: calls }) => calls);
const idsIn = (body: ChatBody) => [
  ...callsIn(body).map(({ id }) => id),
  ...body.messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id])),
];

export const userAfterTool = ({ messages }: ChatBody) =>
  pairs(messages).some(([before, each]) => before?.role === "tool" && each.role === "user");

/** Two messages of the same role in a row, not counting calls and results, as templates count turns. */
export const rolesRepeat = ({ messages }: ChatBody) => {
  const spoken = messages.filter(
    ({ role, tool_calls: calls }) => role !== "tool" && !(role === "assistant" && calls.length > 0),
  );
  return pairs(spoken.filter(({ role }) => role !== "system")).some(([before, each]) => before?.role === each.role);
};

export const systemInTheMiddle = ({ messages }: ChatBody) => messages.slice(1).some(({ role }) => role === "system");
export const idsUnlike = (pattern: RegExp) => (body: ChatBody) => idsIn(body).some((id) => !pattern.test(id));
export const idsRepeat = (body: ChatBody) => {
  const ids = callsIn(body).map(({ id }) => id);
  return new Set(ids).size < ids.length;
};
export const toolsMissing = ({ messages, tools }: ChatBody) =>
  tools.length === 0 && messages.some(({ role, tool_calls: calls }) => role === "tool" || calls.length > 0);
export const field =
  (...names: readonly string[]) =>
  (body: ChatBody) =>
    names.some((name) => name in body);
export const fieldOutside = (names: readonly string[]) => (body: ChatBody) =>
  Object.keys(body).some((name) => !names.includes(name));
export const messageField =
  (...names: readonly string[]) =>
  ({ messages }: ChatBody) =>
    messages.some((message) => names.some((name) => name in message));
/** An earlier answer lacks its thoughts. @param which all answers, or only those with calls */
export const thoughtsMissing = (which: "calling" | "all") => (body: ChatBody) => {
  const calling = assistants(body).filter(({ tool_calls: calls }) => calls.length > 0);
  if (calling.length === 0) return false;
  return (which === "all" ? assistants(body) : calling).some(({ reasoning_content: text }) => !text);
};
export const emptyAssistant = (body: ChatBody) =>
  assistants(body).some(({ content, tool_calls: calls }) => calls.length === 0 && !content);
export const emptyBesideCalls = (body: ChatBody) =>
  assistants(body).some(({ content, tool_calls: calls }) => calls.length > 0 && content === "");
export const lastIsAssistant = ({ messages }: ChatBody) => messages.at(-1)?.role === "assistant";
export const pictures = ({ messages }: ChatBody) => JSON.stringify(messages).includes('"image_url"');
export const toolsGiven = ({ tools }: ChatBody) => tools.length > 0;
export const sameToolTwice = ({ tools }: ChatBody) =>
  new Set(tools.map(({ function: { name } }) => name)).size < tools.length;

/** Searches all schemas in the parameters of a tool. Names of properties are no keywords. */
const anySchema = (finds: (schema: Record<string, unknown>) => boolean) => (body: ChatBody) => {
  const look = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(look);
    if (typeof value !== "object" || value === null) return false;
    const schema = value as Record<string, unknown>;
    if (finds(schema)) return true;
    return Object.entries(schema).some(([key, each]) =>
      key === "properties" ? Object.values(each as object).some(look) : look(each),
    );
  };
  return body.tools.some(({ function: { parameters } }) => look(parameters));
};
export const keywords = (...names: readonly string[]) => anySchema((schema) => names.some((name) => name in schema));
export const typeBesideAnyOf = anySchema((schema) => "type" in schema && "anyOf" in schema);

/** The first call of an answer lacks Gemini's signature. Only answers since the last message of the user are checked. */
export const unsigned = ({ messages }: ChatBody) =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "user") + 1)
    .some(({ tool_calls: [first] }) => first !== undefined && !/thought_signature/.test(JSON.stringify(first)));

const Anthropic = z.looseObject({
  max_tokens: z.number().optional(),
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) }),
  ),
});
type AnthropicBody = z.infer<typeof Anthropic>;
export function anthropicRule(source: string, finds: (body: AnthropicBody) => boolean, message: string): Rule {
  return {
    source,
    objects: ({ path, body }) => (path.endsWith("/messages") && finds(Anthropic.parse(body)) ? { message } : null),
  };
}
export const blocksOf = ({ messages }: AnthropicBody) =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
export const cacheMarks = (body: AnthropicBody) => (JSON.stringify(body).match(/"cache_control":/g) ?? []).length;

const Gemini = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string(), parts: z.array(z.looseObject({})) })),
  tools: z.unknown().optional(),
});
export type GeminiBody = z.infer<typeof Gemini>;
export function geminiRule(source: string, finds: (body: GeminiBody) => boolean, message: string): Rule {
  return {
    source,
    objects: ({ path, body }) => (path.includes(":stream") && finds(Gemini.parse(body)) ? { message } : null),
  };
}
export const unsignedParts = ({ contents }: GeminiBody) => {
  const said = contents.findLastIndex(({ role, parts }) => role === "user" && parts.some((part) => "text" in part));
  return contents.slice(said + 1).some(({ role, parts }) => {
    const first = parts.find((part) => "functionCall" in part);
    return role === "model" && first !== undefined && !first.thoughtSignature;
  });
};
