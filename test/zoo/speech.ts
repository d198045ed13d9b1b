/** Streams of Chat Completions in the manners of vendors. */
import { halvesOf, piecesOf, type ResolvedCall, USAGE, type Utterance } from "../support/model-server/wire.ts";
import type { Speech } from "./vendor.ts";

interface Manner {
  /** Thoughts are sent in a field, as typed parts of the content, between tags, or before an end tag only. */
  thoughts?: "reasoning_content" | "reasoning" | "parts" | "tags" | "closing" | "tags and reasoning_content";
  /** The index of all calls; each has its own if not given. */
  index?: "zero" | "none";
  /** Each call is sent in one piece. */
  wholeCalls?: boolean;
  /** Arguments are sent as an object, not as text. */
  objectArguments?: boolean;
  id?: (id: string, i: number) => string;
  /** Additional fields of the later pieces of a call. */
  pieceMore?: object;
  deltaMore?: object;
  callMore?: object;
  finish?: (usual: string) => unknown;
  /** Before the first event, and after the last. */
  first?: readonly (object | string)[];
  last?: (utterance: Utterance) => readonly (object | string)[];
  usage?: (counts: object) => object;
  /** Without `[DONE]`. */
  isOpen?: boolean;
}

export function speech(manner: Manner = {}): Speech {
  return (utterance) => {
    const { finish = (usual) => usual, usage = (counts) => ({ choices: [], usage: counts }) } = manner;
    const usual = utterance.finish ?? (utterance.calls.length > 0 ? "tool_calls" : "stop");
    const deltas = [
      ...thoughtDeltas(utterance, manner),
      ...wordDeltas(utterance),
      ...callDeltas(utterance.calls, manner),
    ];
    return [
      ...(manner.first ?? []),
      ...deltas.map((delta) => choice({ ...delta, ...manner.deltaMore })),
      choice({}, finish(usual)),
      usage(COUNTS),
      ...(manner.last?.(utterance) ?? []),
      ...(manner.isOpen === true ? [] : ["data: [DONE]\n\n"]),
    ];
  };
}

const COUNTS = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
};

function choice(delta: object, finish_reason: unknown = null): object {
  return { object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] };
}

function thoughtDeltas({ thought }: Utterance, { thoughts = "reasoning_content" }: Manner): object[] {
  if (thought === undefined) return [];
  const pieces = piecesOf(thought.text);
  switch (thoughts) {
    case "parts":
      return pieces.map((text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }));
    case "tags":
      return ["<think>\n", ...pieces, "\n</think>\n\n"].map((content) => ({ content }));
    case "closing":
      return [...pieces, "\n</think>\n\n"].map((content) => ({ content }));
    case "tags and reasoning_content":
      return ["<think>\n", ...pieces, "\n</think>\n\n"].map((content) => ({ content, reasoning_content: content }));
    default:
      return pieces.map((text) => ({ [thoughts]: text }));
  }
}

function wordDeltas({ say }: Utterance): object[] {
  return say === "" ? [] : piecesOf(say).map((content) => ({ content }));
}

function callDeltas(calls: readonly ResolvedCall[], manner: Manner): object[] {
  const { index, id: idOf = (id) => id, callMore, pieceMore, wholeCalls = false, objectArguments = false } = manner;
  return calls.flatMap((call, i) => {
    const place = index === "none" ? {} : { index: index === "zero" ? 0 : i };
    const head = { ...place, id: idOf(call.id, i), type: "function", ...callMore };
    const input = (given: unknown) => ({ function: { name: call.name, arguments: given } });
    if (objectArguments) return [{ tool_calls: [{ ...head, ...input(JSON.parse(call.arguments)) }] }];
    if (wholeCalls) return [{ tool_calls: [{ ...head, ...input(call.arguments) }] }];
    const [first, second] = halvesOf(call.arguments);
    return [
      { tool_calls: [{ ...head, ...input(first) }] },
      { tool_calls: [{ ...place, ...pieceMore, function: { arguments: second } }] },
    ];
  });
}
