/**
 * Bedrock's Converse, with what it refuses. Its streams are binary: AWS's event stream encoding, frames with checksums.
 * Sources: "Converse" and "ConverseStream" in the API reference of Amazon Bedrock; the refusals are in pydantic/pydantic-ai#1966
 * and BerriAI/litellm#24158 (no tools), langchain-ai/langchain-aws#130 (roles), NousResearch/hermes-agent#64858 (blank text).
 */
import type { ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { BadRequest, type Message } from "./request.ts";
import { halvesOf, piecesOf, USAGE, type Utterance, type Wire } from "./wire.ts";

/** The alphabet and length of ids and names. */
const Id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const Text = z.object({ text: z.string().refine((text) => text.trim() !== "", "the text field is blank") });
const Thinking = z.object({ text: z.string(), signature: z.string().optional() });
const Block = z.union([
  Text,
  z.object({ toolUse: z.object({ toolUseId: Id, name: Id, input: z.record(z.string(), z.unknown()) }) }),
  z.object({
    toolResult: z.object({ toolUseId: Id, content: z.array(z.looseObject({ text: z.string().optional() })) }),
  }),
  z.object({ image: z.object({ format: z.string(), source: z.object({ bytes: z.base64() }) }) }),
  z.object({ reasoningContent: z.object({ reasoningText: Thinking }) }),
  z.object({ cachePoint: z.object({ type: z.literal("default") }) }),
]);
type Block = z.infer<typeof Block>;
const Body = z.object({
  system: z.array(z.looseObject({ text: z.string().optional() })).default([]),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.array(Block).min(1) })).min(1),
  toolConfig: z
    .object({
      tools: z.array(z.looseObject({ toolSpec: z.looseObject({ name: Id }).optional() })).min(1),
      toolChoice: z.looseObject({}).optional(),
    })
    .optional(),
});

const PATH = /^\/model\/([^/]+)\/converse(?:-stream)?$/;

export const bedrock: Wire = {
  name: "bedrock",
  path: PATH,
  callId: (id) => `tooluse_${id}`,

  read(body, path) {
    const { system, messages, toolConfig } = Body.parse(body);
    if (messages.some(({ role }, i) => role !== (i % 2 === 0 ? "user" : "assistant")))
      throw new BadRequest("A conversation must alternate between user and assistant roles, and begin with a user's.");
    const blocks = messages.flatMap(({ content }) => content);
    if (toolConfig === undefined && blocks.some((block) => "toolUse" in block || "toolResult" in block))
      throw new BadRequest("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
    return {
      model: decodeURIComponent(PATH.exec(path)?.[1] ?? ""),
      messages: [
        { role: "system", content: system.map(({ text = "" }) => text).join("\n") },
        ...messages.flatMap(({ role, content }) =>
          role === "assistant" ? [answerOf(content)] : content.flatMap(saidIn),
        ),
      ],
      tools: (toolConfig?.tools ?? []).flatMap(({ toolSpec }) =>
        toolSpec === undefined ? [] : [{ name: toolSpec.name, kind: "function" as const }],
      ),
      isStreamed: path.endsWith("-stream"),
    };
  },

  stream(response, utterance) {
    const { thought, say, calls } = utterance;
    open(response);
    let contentBlockIndex = 0;
    const block = (deltas: readonly object[], start?: object) => {
      if (start !== undefined) send(response, "contentBlockStart", { start, contentBlockIndex });
      for (const delta of deltas) send(response, "contentBlockDelta", { delta, contentBlockIndex });
      send(response, "contentBlockStop", { contentBlockIndex });
      contentBlockIndex += 1;
    };
    if (thought !== undefined)
      block(
        [...piecesOf(thought.text).map((text) => ({ text })), { signature: thought.seal }].map((reasoningContent) => ({
          reasoningContent,
        })),
      );
    if (say !== "") block(piecesOf(say).map((text) => ({ text })));
    for (const { id, name, arguments: json } of calls)
      block(
        halvesOf(json).map((input) => ({ toolUse: { input } })),
        { toolUse: { toolUseId: `tooluse_${id}`, name } },
      );
    send(response, "messageStop", { stopReason: stopReasonOf(utterance) });
    if (utterance.withoutUsage !== true) send(response, "metadata", { usage, metrics: { latencyMs: 1 } });
    response.end();
  },

  begin(response, { say }) {
    open(response);
    send(response, "contentBlockDelta", { delta: { text: say }, contentBlockIndex: 0 });
  },

  whole(utterance) {
    const { thought, say, calls } = utterance;
    const reasoningText = thought && { text: thought.text, signature: thought.seal };
    const content = [
      ...(reasoningText === undefined ? [] : [{ reasoningContent: { reasoningText } }]),
      ...(say === "" ? [] : [{ text: say }]),
      ...calls.map(({ id, name, arguments: json }) => ({
        toolUse: { toolUseId: `tooluse_${id}`, name, input: JSON.parse(json) },
      })),
    ];
    const output = { message: { role: "assistant", content } };
    return { output, stopReason: stopReasonOf(utterance), usage, metrics: { latencyMs: 1 } };
  },
};

const usage = {
  inputTokens: USAGE.input - USAGE.cached,
  cacheReadInputTokens: USAGE.cached,
  cacheWriteInputTokens: 0,
  outputTokens: USAGE.output,
  totalTokens: USAGE.input + USAGE.output,
};

function answerOf(blocks: readonly Block[]): Message {
  const [thought] = blocks.flatMap((block) =>
    "reasoningContent" in block ? [block.reasoningContent.reasoningText] : [],
  );
  return {
    role: "assistant",
    content: blocks.flatMap((block) => ("text" in block ? [block.text] : [])).join(""),
    ...(thought !== undefined && { thought: { text: thought.text, seal: thought.signature } }),
    tool_calls: blocks.flatMap((block) => {
      if (!("toolUse" in block)) return [];
      const { toolUseId: id, name, input } = block.toolUse;
      return [{ id, function: { name, arguments: JSON.stringify(input) } }];
    }),
  };
}

function saidIn(block: Block): Message[] {
  if ("toolResult" in block) {
    const { toolUseId, content } = block.toolResult;
    const text = content.map(({ text = "" }) => text).join("\n");
    return [{ role: "tool", tool_call_id: toolUseId, content: text }];
  }
  if ("image" in block) {
    const { format, source } = block.image;
    return [{ role: "user", content: "", media: [{ type: `image/${format}`, data: source.bytes }] }];
  }
  return "text" in block ? [{ role: "user", content: block.text }] : [];
}

function stopReasonOf({ calls, finish }: Utterance): string {
  if (finish === "length") return "max_tokens";
  if (finish === "filter") return "content_filtered";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  send(response, "messageStart", { role: "assistant" });
}

/** A frame: its length, the length of its headers and a checksum; the headers; the payload; a checksum of it all. */
function send(response: ServerResponse, event: string, payload: object): void {
  const headers = Buffer.concat(
    Object.entries({ ":event-type": event, ":content-type": "application/json", ":message-type": "event" }).map(
      ([name, value]) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(Buffer.byteLength(value));
        // 7: the value is a text.
        return Buffer.concat([
          Buffer.from([name.length]),
          Buffer.from(name),
          Buffer.from([7]),
          length,
          Buffer.from(value),
        ]);
      },
    ),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(12 + headers.length + body.length + 4);
  prelude.writeUInt32BE(headers.length, 4);
  const frame = Buffer.concat([prelude, checksumOf(prelude), headers, body]);
  response.write(Buffer.concat([frame, checksumOf(frame)]));
}

function checksumOf(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum;
}
