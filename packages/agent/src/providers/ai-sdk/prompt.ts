/** A request of the kernel in the form that the models of the AI SDK take. */
import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { parseJson } from "@mimikit/protocol/base/json";
import type { KernelMessage, ModelRequest, ToolCall } from "../../kernel/model.ts";
import type { Media } from "../../prompt/media.ts";

const ID_CHARS_MAX = 64;

type Assistant = Extract<KernelMessage, { role: "assistant" }>;
type VendorOptions = NonNullable<LanguageModelV4Message["providerOptions"]>;

/**
 * The messages and the tools. Where nothing may be called the tools are named all the same: strict endpoints want to know
 * those that the conversation speaks of, and the cache begins with them.
 * @param cacheMark what the vendor wants to see where its cache shall end: behind the rules, behind the conversation before the
 * question, which later runs begin with, and behind the newest message.
 * @param marksErrors whether its wire has a mark for the failure of a call; the words of a result tell it in any case.
 */
export function promptOf(
  { messages, tools, mayCall }: ModelRequest,
  { cacheMark, marksErrors = true }: { cacheMark?: VendorOptions | undefined; marksErrors?: boolean | undefined } = {},
): Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice"> {
  const prompt = joinResults(messages.map((message) => messageOf(message, marksErrors)));
  const before = messages.findIndex((message) => message.role === "user" && message.isQuestion === true) - 1;
  const rules = prompt.findLast(({ role }) => role === "system");
  // No tool has answered before the question: the places are the same.
  for (const message of new Set([rules, prompt[before], prompt.at(-1)]))
    if (message !== undefined && cacheMark !== undefined) message.providerOptions = cacheMark;
  if (tools.length === 0) return { prompt };
  return {
    prompt,
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      name,
      inputSchema: parameters,
      ...(description !== undefined && { description }),
    })),
    toolChoice: { type: mayCall ? "auto" : "none" },
  };
}

function messageOf(message: KernelMessage, marksErrors: boolean): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return {
        role: "user",
        content: [{ type: "text", text: message.content }, ...(message.media ?? []).map(fileOf)],
      };
    case "assistant":
      return { role: "assistant", content: [...thoughtsOf(message), ...textOf(message), ...message.calls.map(callOf)] };
    case "tool": {
      const { callId, tool, content, error } = message;
      const isMarked = error !== undefined && marksErrors;
      const output = { type: isMarked ? ("error-text" as const) : ("text" as const), value: content };
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: wireId(callId), toolName: tool, output }],
      };
    }
    default:
      return message satisfies never;
  }
}

function fileOf({ type, data }: Media) {
  return { type: "file" as const, mediaType: type, data: { type: "data" as const, data } };
}

function thoughtsOf({ thoughts = [] }: Assistant) {
  return thoughts.map(({ text, vendor }) => ({
    type: "reasoning" as const,
    text,
    ...(vendor !== undefined && { providerOptions: vendor }),
  }));
}

function textOf({ content }: Assistant) {
  return content === "" ? [] : [{ type: "text" as const, text: content }];
}

/** The arguments are JSON: the tool-call format has seen to it. */
function callOf({ id, name, arguments: input, vendor }: ToolCall) {
  return {
    type: "tool-call" as const,
    toolCallId: wireId(id),
    toolName: name,
    input: input.trim() === "" ? {} : parseJson(input),
    ...(vendor !== undefined && { providerOptions: vendor }),
  };
}

/** Anthropic takes no other characters, OpenAI no longer ones; an earlier attempt may have had its ids from elsewhere. */
function wireId(id: string): string {
  const plain = id.replace(/[^\w-]/g, "_");
  if (plain.length <= ID_CHARS_MAX) return plain;
  const hash = createHash("sha256")
    .update(id)
    .digest("hex")
    .slice(0, ID_CHARS_MAX / 2);
  return plain.slice(0, ID_CHARS_MAX / 2) + hash;
}

/** The results of one answer are one message. */
function joinResults(messages: readonly LanguageModelV4Message[]): LanguageModelV4Prompt {
  const joined: LanguageModelV4Prompt = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "tool" && last?.role === "tool") last.content.push(...message.content);
    else joined.push(message);
  }
  return joined;
}
