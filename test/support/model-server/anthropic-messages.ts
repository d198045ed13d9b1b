/** Anthropic's Messages API, as the claude command line speaks it. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Media, Message } from "./request.ts";
import { halvesOf, openStream, piecesOf, type ResolvedCall, USAGE, type Utterance, type Wire } from "./wire.ts";

const Text = z.object({ type: z.literal("text"), text: z.string() });
const Picture = z.object({ media_type: z.string(), data: z.string() });
const Texts = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().optional(), source: Picture.optional() })),
]);
const Block = z.union([
  Text,
  z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal("tool_result"), tool_use_id: z.string(), content: Texts.optional() }),
  z.object({ type: z.literal("image"), source: Picture }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal("redacted_thinking") }),
]);
const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  system: Texts.default(""),
  messages: z.array(
    z.object({ role: z.enum(["system", "user", "assistant"]), content: z.union([z.string(), z.array(Block)]) }),
  ),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  tool_choice: z.looseObject({ type: z.string() }).optional(),
});

/** The text that claude adds to the user's words. */
const ADDED = /^\s*<system-reminder>/;

export const anthropicMessages: Wire = {
  name: "anthropic-messages",
  path: "/v1/messages",
  callId: (id) => `toolu_${id}`,

  read(body) {
    const { model, stream, system, messages, tools, tool_choice } = Body.parse(body);
    const offered = tool_choice?.type === "none" ? [] : tools;
    const spoken = messages.flatMap(({ role, content }): Message[] => {
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return role === "assistant" ? [answerOf(blocks)] : saidBy(role, blocks);
    });
    return {
      model,
      messages: [{ role: "system", content: textOf(system) }, ...spoken],
      tools: offered.map(({ name }) => ({ name, kind: "function" as const })),
      isStreamed: stream,
    };
  },

  stream(response, utterance) {
    start(response, utterance);
    const blocks = blocksOf(utterance);
    for (const [index, block] of blocks.entries()) {
      if (block.type === "text") sayText(response, index, piecesOf(block.text));
      else if (block.type === "thinking") {
        const deltas = piecesOf(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
        const seal = { type: "signature_delta", signature: block.signature };
        sayBlock(response, index, { type: "thinking", thinking: "", signature: "" }, [...deltas, seal]);
      } else {
        const { json, ...use } = block;
        const deltas = halvesOf(json).map((partial_json) => ({ type: "input_json_delta", partial_json }));
        sayBlock(response, index, { ...use, input: {} }, deltas);
      }
      send(response, { type: "content_block_stop", index });
    }
    const stop = { stop_reason: stopReasonOf(utterance), stop_sequence: null };
    send(response, {
      type: "message_delta",
      delta: stop,
      usage: { output_tokens: utterance.withoutUsage === true ? 0 : USAGE.output },
    });
    send(response, { type: "message_stop" });
    response.end();
  },

  begin(response, utterance) {
    start(response, utterance);
    sayText(response, 0, [utterance.say]);
  },

  whole(utterance) {
    const content = blocksOf(utterance).map((block) => {
      if (block.type !== "tool_use") return block;
      const { json, ...use } = block;
      return { ...use, input: JSON.parse(json) };
    });
    return { ...messageOf(utterance), content, stop_reason: stopReasonOf(utterance), usage: usage(utterance) };
  },
};

function textOf(texts: z.infer<typeof Texts>): string {
  return typeof texts === "string" ? texts : texts.map((block) => block.text ?? "").join("\n");
}

function picturesOf(texts: z.infer<typeof Texts>): Media[] {
  if (typeof texts === "string") return [];
  return texts.flatMap(({ source }) => (source === undefined ? [] : [{ type: source.media_type, data: source.data }]));
}

function answerOf(blocks: z.infer<typeof Block>[]): Message {
  const [thought] = blocks.flatMap((block) =>
    block.type === "thinking" ? [{ text: block.thinking, seal: block.signature }] : [],
  );
  return {
    role: "assistant",
    ...(thought !== undefined && { thought }),
    content: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    tool_calls: blocks.flatMap((block) =>
      block.type === "tool_use"
        ? [{ id: block.id, function: { name: block.name, arguments: JSON.stringify(block.input) } }]
        : [],
    ),
  };
}

/** Results come in a message of the user; what he says himself comes after them. */
function saidBy(role: "system" | "user", blocks: z.infer<typeof Block>[]): Message[] {
  return blocks.flatMap((block): Message[] => {
    if (block.type === "image")
      return [{ role, content: "", media: [{ type: block.source.media_type, data: block.source.data }] }];
    if (block.type === "tool_result")
      return [
        {
          role: "tool",
          tool_call_id: block.tool_use_id,
          content: textOf(block.content ?? ""),
          media: picturesOf(block.content ?? ""),
        },
      ];
    return block.type === "text" && !ADDED.test(block.text) ? [{ role, content: block.text }] : [];
  });
}

type AnswerBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; json: string };

function blocksOf({ say, calls, thought }: Utterance): AnswerBlock[] {
  const text: AnswerBlock[] = say !== "" ? [{ type: "text", text: say }] : [];
  const { text: thinking = "", seal: signature = "" } = thought ?? {};
  const thoughts: AnswerBlock[] = thought === undefined ? [] : [{ type: "thinking", thinking, signature }];
  return [...thoughts, ...text, ...calls.map(useOf)];
}

function useOf({ id, name, arguments: json }: ResolvedCall): AnswerBlock {
  return { type: "tool_use", id: `toolu_${id}`, name, json };
}

function start(response: ServerResponse, utterance: Utterance): void {
  openStream(response);
  send(response, { type: "message_start", message: { ...messageOf(utterance), usage: usage(utterance, 1) } });
}

function sayText(response: ServerResponse, index: number, pieces: string[]): void {
  const deltas = pieces.map((text) => ({ type: "text_delta", text }));
  sayBlock(response, index, { type: "text", text: "" }, deltas);
}

function sayBlock(response: ServerResponse, index: number, block: object, deltas: object[]): void {
  send(response, { type: "content_block_start", index, content_block: block });
  for (const delta of deltas) send(response, { type: "content_block_delta", index, delta });
}

function messageOf({ number, model }: Utterance) {
  const head = { id: `msg_${number}`, type: "message", role: "assistant", model };
  return { ...head, content: [], stop_reason: null, stop_sequence: null };
}

function stopReasonOf({ calls, finish }: Utterance): string {
  if (finish === "length") return "max_tokens";
  if (finish === "filter") return "refusal";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function usage({ withoutUsage }: Utterance, output = USAGE.output) {
  const { input, cached } = withoutUsage === true ? { input: 0, cached: 0 } : USAGE;
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}

function send(response: ServerResponse, event: { type: string; [field: string]: unknown }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
