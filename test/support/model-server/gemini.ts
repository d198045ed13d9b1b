/** Google's Gemini, as `streamGenerateContent` speaks it. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Message } from "./request.ts";
import { openStream, piecesOf, USAGE, type Utterance, type Wire } from "./wire.ts";

const Part = z.object({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: z.object({ mimeType: z.string(), data: z.base64() }).optional(),
  // Without an id a call is known by its name.
  functionCall: z
    .object({ id: z.string().optional(), name: z.string(), args: z.record(z.string(), z.unknown()) })
    .optional(),
  functionResponse: z
    .object({
      id: z.string().optional(),
      name: z.string(),
      // Any object, as the API reference says; the two are what it proposes.
      response: z.looseObject({ content: z.string().optional(), error: z.string().optional() }),
    })
    .optional(),
});
type Part = z.infer<typeof Part>;
const Body = z.object({
  systemInstruction: z.object({ parts: z.array(Part) }).optional(),
  contents: z.array(z.object({ role: z.enum(["user", "model"]), parts: z.array(Part).min(1) })),
  tools: z.array(z.object({ functionDeclarations: z.array(z.looseObject({ name: z.string() })) })).default([]),
  toolConfig: z.object({ functionCallingConfig: z.object({ mode: z.string() }).optional() }).optional(),
});

/** Google takes the names of fields in both spellings, LiteLLM writes some of them in the other one. */
const SNAKE: Readonly<Record<string, string>> = {
  system_instruction: "systemInstruction",
  function_declarations: "functionDeclarations",
  function_call: "functionCall",
  function_response: "functionResponse",
  inline_data: "inlineData",
  mime_type: "mimeType",
  function_calling_config: "functionCallingConfig",
};

function inOneSpelling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneSpelling);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [SNAKE[name] ?? name, inOneSpelling(each)]));
}

const PATH = /^\/v1beta\/models\/([^/:]+):(?:streamGenerateContent|generateContent)$/;

export const gemini: Wire = {
  name: "gemini",
  path: PATH,

  read(body, path) {
    const { systemInstruction, contents, tools, toolConfig } = Body.parse(inOneSpelling(body));
    const system = (systemInstruction?.parts ?? []).map(({ text = "" }) => text).join("\n");
    const spoken = contents.flatMap(({ role, parts }) => (role === "model" ? [answerOf(parts)] : parts.map(saidIn)));
    const mayCall = toolConfig?.functionCallingConfig?.mode !== "NONE";
    const offered = tools.flatMap(({ functionDeclarations }) => (mayCall ? functionDeclarations : []));
    return {
      model: PATH.exec(path)?.[1] ?? "",
      messages: [{ role: "system", content: system }, ...spoken],
      tools: offered.map(({ name }) => ({ name, kind: "function" })),
      isStreamed: path.endsWith(":streamGenerateContent"),
    };
  },

  stream(response, utterance) {
    openStream(response);
    const { thought, say } = utterance;
    if (thought !== undefined) for (const text of piecesOf(thought.text)) send(response, [{ text, thought: true }]);
    if (say !== "") for (const text of piecesOf(say)) send(response, [{ text }]);
    send(response, callsIn(utterance), endOf(utterance));
    response.end();
  },

  begin(response, { say }) {
    openStream(response);
    send(response, [{ text: say }]);
  },

  whole(utterance) {
    const text = utterance.say === "" ? [] : [{ text: utterance.say }];
    return chunk([...text, ...callsIn(utterance)], endOf(utterance));
  },
};

function answerOf(parts: readonly Part[]): Message {
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const seal = parts.find(({ functionCall }) => functionCall !== undefined)?.thoughtSignature;
  const text = parts.flatMap((part) => (part.thought === true ? [part.text ?? ""] : [])).join("");
  return {
    role: "assistant",
    content: parts.flatMap((part) => (part.thought === true ? [] : [part.text ?? ""])).join(""),
    tool_calls: calls.map(({ name, id = name, args }) => ({ id, function: { name, arguments: JSON.stringify(args) } })),
    ...((text !== "" || seal !== undefined) && { thought: { text, seal } }),
  };
}

function saidIn({ text = "", inlineData, functionResponse }: Part): Message {
  if (functionResponse !== undefined) {
    const { name, id = name, response } = functionResponse;
    return { role: "tool", tool_call_id: id, content: response.content ?? response.error ?? JSON.stringify(response) };
  }
  const media = inlineData === undefined ? [] : [{ type: inlineData.mimeType, data: inlineData.data }];
  return { role: "user", content: text, media };
}

/** This wire has no torn calls: a model that writes one ends with the reason for it. */
function isTorn({ calls }: Utterance): boolean {
  return calls.some((call) => !call.arguments.trimEnd().endsWith("}") || !isJson(call.arguments));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function callsIn(utterance: Utterance): object[] {
  if (isTorn(utterance)) return [];
  return utterance.calls.map(({ id, name, arguments: input }, i) => ({
    functionCall: { id, name, args: JSON.parse(input) },
    ...(i === 0 && { thoughtSignature: utterance.thought?.seal }),
  }));
}

function endOf(utterance: Utterance): object {
  const { finish } = utterance;
  const usual = isTorn(utterance) ? "MALFORMED_FUNCTION_CALL" : "STOP";
  const finishReason = finish === "length" ? "MAX_TOKENS" : finish === "filter" ? "SAFETY" : usual;
  return { finishReason, isCounted: utterance.withoutUsage !== true };
}

function chunk(parts: readonly object[], end: { finishReason?: string; isCounted?: boolean } = {}): object {
  const { input, cached, output } = USAGE;
  const counts = { promptTokenCount: input, cachedContentTokenCount: cached, candidatesTokenCount: output };
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: end.finishReason }],
    ...(end.isCounted === true && { usageMetadata: counts }),
  };
}

function send(response: ServerResponse, parts: readonly object[], end?: object): void {
  response.write(`data: ${JSON.stringify(chunk(parts, end))}\n\n`);
}
