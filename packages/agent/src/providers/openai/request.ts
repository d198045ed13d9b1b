/** The body of a request to `/chat/completions`, in the form of its endpoint. */
import { createHash } from "node:crypto";
import { ATTACHMENT_EXTENSIONS, isImage } from "@mimikit/protocol/base/attachment";
import { wellFormedJson } from "@mimikit/protocol/texts/whole-characters";
import type { KernelMessage, ModelRequest, ToolDefinition } from "../../kernel/model.ts";
import type { Media } from "../../prompt/media.ts";
import { wireExtra, wireThoughts } from "./answer.ts";
import { isOpenai } from "./api.ts";
import type { Endpoint } from "./endpoint.ts";
import type { RequestForm } from "./request-form.ts";

const ID_CHARS_MAX = 64;
const BRIDGE = "Understood.";
/** DeepSeek refuses empty thoughts as it does missing ones. */
const BLANK = " ";
/** Keywords that Google's compatible address refuses, as its errors name them. */
const REFUSED_KEYWORDS = new Set([
  "$schema",
  "$id",
  "$comment",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "patternProperties",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "const",
  "examples",
]);

type Wire = Record<string, unknown>;

export function bodyOf(
  endpoint: Endpoint,
  { messages, tools, mayCall, cacheKey }: ModelRequest,
  form: RequestForm,
): Wire {
  const { model, effort, outputTokensMax, configured } = endpoint;
  const { limit, alwaysLimits, namesIdleTools } = form;
  const sends = (field: RequestForm["leaves"][number]) => !form.leaves.includes(field);
  const namesTools = tools.length > 0 && (mayCall || namesIdleTools);
  // The default reserve is no decision of the owner, and too little for models that think.
  const isDecided = configured === undefined || configured.reservedOutput !== undefined;
  const isLimited = outputTokensMax !== undefined && (alwaysLimits || isDecided);
  return {
    model,
    // Before the messages, of which each request has more: what is the same in both is then the beginning of both.
    ...(namesTools && { tools: tools.map((each) => ({ type: "function", function: wireTool(each, form) })) }),
    messages: wireMessages(messages, form),
    stream: true,
    ...(namesTools && !mayCall && { tool_choice: "none" }),
    ...(sends("stream_options") && { stream_options: { include_usage: true } }),
    ...(effort !== undefined && sends("reasoning_effort") && { reasoning_effort: effort }),
    ...(limit !== null && isLimited && { [limit]: outputTokensMax }),
    // No other vendor is known to take it.
    ...(cacheKey !== undefined && isOpenai(endpoint.baseUrl) && { prompt_cache_key: cacheKey }),
  };
}

function wireMessages(messages: readonly KernelMessage[], form: RequestForm): Wire[] {
  const wired: Wire[] = [];
  for (const [i, message] of messages.entries()) {
    if (form.bridgesTools && message.role === "user" && messages[i - 1]?.role === "tool")
      wired.push(wireMessage({ role: "assistant", content: BRIDGE, calls: [] }, form));
    wired.push(wireMessage(message, form));
  }
  return form.rules === "user" ? joinRules(wired) : wired;
}

/** The rules before the user's own first words, as one message: such models want roles to alternate. */
function joinRules(messages: readonly Wire[]): Wire[] {
  const joined: Wire[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "system") joined.push({ ...message, role: "user" });
    else if (message.role === "user" && last?.role === "user")
      joined[joined.length - 1] = { role: "user", content: joinContents(last.content, message.content) };
    else joined.push(message);
  }
  return joined;
}

function joinContents(before: unknown, after: unknown): unknown {
  if (typeof before === "string" && typeof after === "string") return `${before}\n\n${after}`;
  return [before, after].flatMap((each) => (typeof each === "string" ? [{ type: "text", text: each }] : each));
}

function wireMessage(message: KernelMessage, form: RequestForm): Wire {
  if (message.role === "user" && message.media !== undefined && message.media.length > 0)
    return { role: "user", content: [{ type: "text", text: message.content }, ...message.media.map(wirePart)] };
  if (message.role === "tool")
    return { role: "tool", tool_call_id: wireId(message.callId, form), content: message.content };
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  const thoughts = thoughtsOf(message, form);
  if (message.calls.length === 0) return { role: "assistant", content: message.content, ...thoughts };
  const calls = message.calls.map((call) => ({
    id: wireId(call.id, form),
    type: "function",
    function: { name: call.name, arguments: wellFormedJson(call.arguments) },
    ...(!form.leaves.includes("extra_content") && wireExtra(call)),
  }));
  const content = message.content === "" ? form.silence : message.content;
  return { role: "assistant", content, ...thoughts, tool_calls: calls };
}

function thoughtsOf({ calls, thoughts }: Extract<KernelMessage, { role: "assistant" }>, form: RequestForm): Wire {
  if (form.thoughts === "none") return {};
  const own = form.thoughts === "filled" || calls.length > 0 ? wireThoughts(thoughts) : {};
  if (form.thoughts === "own") return own;
  const { reasoning_content: text } = own;
  return { ...own, reasoning_content: typeof text === "string" && text !== "" ? text : BLANK };
}

/** The same for a call and its result: another provider may have named them. */
function wireId(id: string, { ids }: RequestForm): string {
  const isGood =
    ids === "nine" ? /^[a-zA-Z0-9]{9}$/.test(id) : id.length <= ID_CHARS_MAX && (ids === "any" || /^[\w-]+$/.test(id));
  return isGood ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function wireTool(tool: ToolDefinition, { plainSchema, splitsTypes }: RequestForm): ToolDefinition {
  let { parameters } = tool;
  if (plainSchema) parameters = mapSchema(parameters, withoutRefused);
  if (splitsTypes) parameters = mapSchema(withoutAlternatives(parameters), withTypesInside);
  return parameters === tool.parameters ? tool : { ...tool, parameters };
}

/** Changes a schema and all schemas in it. Names of properties are no keywords. */
function mapSchema(schema: Wire, change: (schema: Wire) => Wire): Wire {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    return isObject(value) ? mapSchema(value, change) : value;
  };
  return Object.fromEntries(
    Object.entries(change(schema)).map(([key, value]) => {
      if (key === "enum" || key === "default" || key === "required" || key === "const") return [key, value];
      if (key !== "properties" || !isObject(value)) return [key, within(value)];
      return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, within(each)]))];
    }),
  );
}

function withoutRefused(schema: Wire): Wire {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !REFUSED_KEYWORDS.has(key)));
}

/** The type of alternatives as that of each of them. */
function withTypesInside({ type, ...rest }: Wire): Wire {
  if (type === undefined || !Array.isArray(rest.anyOf)) return type === undefined ? rest : { type, ...rest };
  return { ...rest, anyOf: rest.anyOf.map((each) => (isObject(each) ? { type, ...each } : each)) };
}

/** The input of a tool is one object: where there are alternatives of it, with the fields of all of them. */
function withoutAlternatives({ anyOf, ...schema }: Wire): Wire {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { anyOf, ...schema };
  const properties = [schema, ...anyOf].map((each) => (isObject(each) ? each.properties : undefined));
  return { ...schema, type: "object", properties: Object.assign({}, ...properties) };
}

function isObject(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A picture as a data URL, a recording as its bytes: that is how Chat Completions takes them. */
function wirePart({ type, data }: Media): Wire {
  if (isImage(type)) return { type: "image_url", image_url: { url: `data:${type};base64,${data}` } };
  return { type: "input_audio", input_audio: { data, format: ATTACHMENT_EXTENSIONS[type] } };
}
