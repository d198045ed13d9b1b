/** The OpenAI Responses API, as the codex command line and the library of the AI SDK speak it. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Media, Message, OfferedTool, WireCall } from "./request.ts";
import { openStream, piecesOf, type ResolvedCall, USAGE, type Utterance, type Wire } from "./wire.ts";

const Content = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().optional(), image_url: z.string().optional() })),
]);
const Call = { call_id: z.string(), name: z.string() };
const Output = { call_id: z.string(), output: Content };
const FunctionTool = z.object({ type: z.literal(["function", "custom"]), name: z.string() });
const Tool = z.union([
  FunctionTool,
  z.object({ type: z.literal("namespace"), name: z.string(), tools: z.array(FunctionTool) }),
  // Tools of the endpoint itself, such as a search of the web.
  z.object({ type: z.string() }).transform(() => ({ type: "endpoint" as const })),
]);
const Item = z.union([
  z.object({
    type: z.literal("message"),
    role: z.enum(["system", "developer", "user", "assistant"]),
    content: Content,
  }),
  z.object({ type: z.literal("function_call"), ...Call, arguments: z.string() }),
  z.object({ type: z.literal("custom_tool_call"), ...Call, input: z.string() }),
  z.object({ type: z.literal(["function_call_output", "custom_tool_call_output"]), ...Output }),
  z.object({ type: z.literal("additional_tools"), tools: z.array(Tool) }),
  z.object({
    type: z.literal("reasoning"),
    summary: z.array(z.object({ text: z.string() })).default([]),
    encrypted_content: z.string().nullish(),
  }),
]);
const Body = z.object({
  model: z.string(),
  stream: z.boolean(),
  /** The rules; or they are the first message of the developer. */
  instructions: z.string().default(""),
  input: z.array(Item),
  tools: z.array(Tool).optional(),
  tool_choice: z.unknown().optional(),
});

/** The text that codex adds to the user's words. */
const ADDED = /^\s*(<(environment_context|user_instructions|permissions|skill)|# AGENTS\.md)/;

export const responses: Wire = {
  name: "responses",
  path: "/v1/responses",

  read(body) {
    const { model, instructions, input, tools = [], tool_choice, stream } = Body.parse(body);
    const messages: Message[] = instructions === "" ? [] : [{ role: "system", content: instructions }];
    const offered = tools.flatMap(offeredOf);
    for (const item of input) {
      if (item.type === "additional_tools") offered.push(...item.tools.flatMap(offeredOf));
      else if (item.type === "message") {
        addText(messages, item.role, textOf(item.content));
        const media = picturesOf(item.content);
        const last = messages.at(-1);
        if (media.length > 0 && last !== undefined) last.media = [...(last.media ?? []), ...media];
      } else if ("output" in item)
        messages.push({
          role: "tool",
          tool_call_id: item.call_id,
          content: textOf(item.output),
          media: picturesOf(item.output),
        });
      else if (item.type === "reasoning") addThought(messages, item);
      else
        addCall(messages, {
          id: item.call_id,
          function: { name: item.name, arguments: "input" in item ? item.input : item.arguments },
        });
    }
    return { model, messages, tools: tool_choice === "none" ? [] : offered, isStreamed: stream };
  },

  stream(response, utterance) {
    openStream(response);
    const output = outputOf(utterance);
    start(response, utterance);
    for (const [index, item] of output.entries()) {
      if (item.type === "message") sayItem(response, index, utterance, piecesOf(utterance.say));
      else if (item.type === "reasoning") thinkItem(response, index, utterance);
      else if (item.type === "function_call") callInPieces(response, index, item);
      send(response, "response.output_item.done", { output_index: index, item });
    }
    const end = utterance.finish === "length" ? "response.incomplete" : "response.completed";
    send(response, end, { response: responses.whole(utterance) });
    response.end();
  },

  begin(response, utterance) {
    openStream(response);
    start(response, utterance);
    sayItem(response, 0, utterance, [utterance.say]);
  },

  whole(utterance) {
    const isCut = utterance.finish === "length";
    return {
      id: idOf(utterance),
      object: "response",
      status: isCut ? "incomplete" : "completed",
      output: outputOf(utterance),
      ...(isCut && { incomplete_details: { reason: "max_output_tokens" } }),
      ...(utterance.withoutUsage !== true && { usage: usage() }),
    };
  },
};

function offeredOf(tool: z.infer<typeof Tool>): OfferedTool[] {
  if (tool.type === "endpoint") return [];
  if (tool.type !== "namespace") return [{ name: tool.name, kind: tool.type }];
  return tool.tools.map(({ name, type }) => ({ name, kind: type, namespace: tool.name }));
}

function textOf(content: z.infer<typeof Content>): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

function picturesOf(content: z.infer<typeof Content>): Media[] {
  if (typeof content === "string") return [];
  return content.flatMap(({ image_url = "" }) => {
    const [, type, data] = /^data:(.*?);base64,(.*)$/s.exec(image_url) ?? [];
    return type === undefined || data === undefined ? [] : [{ type, data }];
  });
}

function addText(messages: Message[], role: "system" | "developer" | "user" | "assistant", content: string): void {
  if (role === "developer") messages.push({ role: "system", content });
  else if (role === "assistant") lastAnswer(messages).content += content;
  else if (role !== "user" || !ADDED.test(content)) messages.push({ role, content });
}

function addCall(messages: Message[], call: WireCall): void {
  const answer = lastAnswer(messages);
  answer.tool_calls = [...(answer.tool_calls ?? []), call];
}

/** A thought belongs to the answer that follows it. */
function addThought(
  messages: Message[],
  { summary, encrypted_content }: { summary: { text: string }[]; encrypted_content?: string | null | undefined },
): void {
  lastAnswer(messages).thought = {
    text: summary.map(({ text }) => text).join(""),
    seal: encrypted_content ?? undefined,
  };
}

/** Texts and calls that follow each other are one answer. */
function lastAnswer(messages: Message[]): Message {
  const last = messages.at(-1);
  if (last?.role === "assistant") return last;
  const answer: Message = { role: "assistant", content: "" };
  messages.push(answer);
  return answer;
}

function sayItem(response: ServerResponse, index: number, utterance: Utterance, pieces: string[]): void {
  const item = messageItem(utterance);
  const place = { item_id: item.id, output_index: index, content_index: 0 };
  send(response, "response.output_item.added", { output_index: index, item: { ...item, content: [] } });
  for (const delta of pieces) send(response, "response.output_text.delta", { ...place, delta });
}

/** As OpenAI does: the encrypted thought comes at the end of its item, behind the pieces of its summary. */
function thinkItem(response: ServerResponse, index: number, utterance: Utterance): void {
  const item = reasoningItem(utterance);
  const place = { item_id: item.id, output_index: index, summary_index: 0 };
  const bare = { ...item, summary: [], encrypted_content: undefined };
  send(response, "response.output_item.added", { output_index: index, item: bare });
  send(response, "response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
  for (const delta of piecesOf(utterance.thought?.text ?? ""))
    send(response, "response.reasoning_summary_text.delta", { ...place, delta });
  send(response, "response.reasoning_summary_part.done", { ...place, part: item.summary[0] });
}

function callInPieces(response: ServerResponse, index: number, item: { id: string; arguments: string }): void {
  send(response, "response.output_item.added", { output_index: index, item: { ...item, arguments: "" } });
  for (const delta of piecesOf(item.arguments))
    send(response, "response.function_call_arguments.delta", { item_id: item.id, output_index: index, delta });
}

function outputOf(utterance: Utterance) {
  const hasText = utterance.say !== "" || utterance.calls.length === 0;
  return [
    ...(utterance.thought === undefined ? [] : [reasoningItem(utterance)]),
    ...(hasText ? [messageItem(utterance)] : []),
    ...utterance.calls.map(callItem),
  ];
}

function reasoningItem({ number, thought }: Utterance) {
  const { text = "", seal } = thought ?? {};
  return {
    type: "reasoning" as const,
    id: `rs_${number}`,
    summary: [{ type: "summary_text", text }],
    encrypted_content: seal,
  };
}

function messageItem(utterance: Utterance) {
  const content = [{ type: "output_text", text: utterance.say, annotations: [] }];
  return { type: "message" as const, id: `msg_${utterance.number}`, role: "assistant", content };
}

function callItem({ id, name, namespace, kind, arguments: input }: ResolvedCall) {
  const head = { id: `item_${id}`, call_id: id, name };
  if (kind === "custom") return { ...head, type: "custom_tool_call" as const, input };
  return {
    ...head,
    type: "function_call" as const,
    ...(namespace !== undefined && { namespace }),
    arguments: input,
    status: "completed",
  };
}

function idOf({ number }: Utterance): string {
  return `resp_${number}`;
}

function start(response: ServerResponse, utterance: Utterance): void {
  const begun = { id: idOf(utterance), object: "response", created_at: 1_780_000_000, model: utterance.model };
  send(response, "response.created", { response: begun });
  send(response, "response.in_progress", { response: begun });
}

function send(response: ServerResponse, type: string, event: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`);
}

function usage() {
  const { input, cached, output } = USAGE;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
