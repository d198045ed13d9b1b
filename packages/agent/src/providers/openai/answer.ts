/** Puts the pieces of a streamed answer together. An answer that came in one piece is one piece. */
import { JsonObjects, tryJson } from "@mimikit/protocol/base/json";
import type { Usage } from "@mimikit/protocol/base/usage";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { ModelAnswer, ModelRequest, Thought, ToolCall } from "../../kernel/model.ts";
import { oneLine } from "../../prompt/quote.ts";
import { ANSWER_CHARS_MAX, CALLS_MAX, usageOf } from "../endpoint/measure-answer.ts";
import type { BlockField, CallPiece, PlainChunk } from "./chunk.ts";

/** The key of this wire's data in the `vendor` field of thoughts and calls. */
export const VENDOR = "chat";
/** The name of a call without one. The call is refused, and sent back under this name, since vendors refuse empty ones. */
const UNNAMED = "unnamed";
const WITHHELD_CHARS_MAX = 300;

/**
 * Finish reasons of OpenAI, Mistral (`model_length`), Anthropic and Gemini behind gateways, Z.ai (`sensitive`,
 * `network_error`), DeepSeek (`insufficient_system_resource`), OpenRouter (`error`) and Bedrock (`guardrail_intervened`).
 * Any other one is an ordinary end: `stop`, `eos`, `eos_token`, `end_turn`, numbers.
 */
const ENDS: Readonly<Record<string, "truncated" | "withheld" | "failed">> = {
  length: "truncated",
  max_tokens: "truncated",
  max_output_tokens: "truncated",
  model_length: "truncated",
  content_filter: "withheld",
  content_filtered: "withheld",
  guardrail_intervened: "withheld",
  refusal: "withheld",
  safety: "withheld",
  sensitive: "withheld",
  recitation: "withheld",
  content_policy_violation: "withheld",
  moderation: "withheld",
  blocked: "withheld",
  blocklist: "withheld",
  prohibited_content: "withheld",
  spii: "withheld",
  image_safety: "withheld",
  model_armor: "withheld",
  error: "failed",
  abort: "failed",
  insufficient_system_resource: "failed",
  network_error: "failed",
  malformed_function_call: "failed",
  malformed_response: "failed",
};

/** Gateways also write `content-filter` and `ContentFilter`. */
const lettersOf = (reason: string) => reason.replace(/[^a-z]+/g, "");
const END_OF = new Map(Object.entries(ENDS).map(([reason, end]) => [lettersOf(reason), end]));

/** The speech and the thoughts in a piece of an answer. */
interface Heard {
  text: string;
  thought: string;
}

export class AnswerBuilder {
  private text = "";
  private refusal = "";
  private thought: PlainChunk["thought"] = null;
  private readonly blocks: Record<string, unknown>[] = [];
  private blockField: BlockField | null = null;
  private chars = 0;
  private readonly calls: CallPiece[] = [];
  private isWhole = false;
  private cameInPieces = false;
  private finishReason = "";
  private usage: PlainChunk["usage"] = null;

  /** Adds a piece; returns what is new in it. */
  add(given: PlainChunk): Heard {
    const chunk = given.isWhole && this.cameInPieces ? this.missingOf(given) : given;
    const { text, refusal, usage, isWhole } = chunk;
    this.cameInPieces ||= !isWhole && (text !== "" || chunk.calls.length > 0 || chunk.thought !== null);
    if (usage?.prompt_tokens || usage?.completion_tokens) this.usage = usage;
    this.finishReason = chunk.finishReason || this.finishReason;
    this.isWhole ||= isWhole;
    for (const call of chunk.calls) this.addCall(call, isWhole);
    this.text += text;
    this.refusal += refusal;
    const { field, text: thought } = chunk.thought ?? { field: null, text: "" };
    if (field !== null) this.thought = { field, text: (this.thought?.text ?? "") + thought };
    const inBlocks = chunk.blocks === null ? "" : this.addBlocks(chunk.blocks);
    this.chars += text.length + thought.length;
    return { text, thought: thought || inBlocks };
  }

  /** Enough: nothing of this length is meant. */
  get isTooLong(): boolean {
    return this.chars > ANSWER_CHARS_MAX;
  }

  /** The model has ended its answer. The connection no longer matters. */
  get isFinished(): boolean {
    return this.finishReason !== "";
  }

  /** The answer can be used if the body ends here: something came, and no call is torn. */
  get isComplete(): boolean {
    if (this.isWhole || this.isFinished || this.isTooLong) return true;
    const isSound = this.calls.every((call) => call.arguments === "" || tryJson(call.arguments) !== undefined);
    return isSound && (this.text.trim() !== "" || this.calls.length > 0);
  }

  /** The finish reason of an answer that the model could not end, or null. */
  get failure(): string | null {
    return this.end === "failed" ? this.finishReason : null;
  }

  /** @param request what was asked, for the estimate where the endpoint does not count. */
  build(request: ModelRequest): ModelAnswer {
    const calls = this.calls.flatMap(callsOf).slice(0, CALLS_MAX);
    const isTruncated = this.isTooLong || this.end === "truncated";
    const usage = this.count(request);
    const { withheld, thoughts } = this;
    // A server that takes the thoughts out of the text takes all of it where the model does not end them.
    const isAllThought = this.text.trim() === "" && calls.length === 0;
    const unended = isAllThought ? thoughts[0]?.text.trim() : undefined;
    const more = { thoughts, ...(unended !== undefined && { unended }), ...(withheld !== null && { withheld }) };
    return { type: "answer", text: this.text, calls, ...more, isTruncated, usage };
  }

  private get end() {
    return END_OF.get(lettersOf(this.finishReason));
  }

  /** The model's words of refusal or the finish reason; null if nothing was withheld. */
  private get withheld(): string | null {
    const words = beginningOf(oneLine(this.refusal.trim()), WITHHELD_CHARS_MAX);
    return (words.endsWith(".") ? words.slice(0, -1) : words) || (this.end === "withheld" ? this.finishReason : null);
  }

  /** The parts of a whole message that its pieces did not have: MiniMax ends a stream with all of the answer once more. */
  private missingOf(whole: PlainChunk): PlainChunk {
    return {
      ...whole,
      text: this.text === "" ? whole.text : "",
      refusal: this.refusal === "" ? whole.refusal : "",
      calls: this.calls.length === 0 ? whole.calls : [],
      thought: this.thought === null && this.blocks.length === 0 ? whole.thought : null,
      blocks: this.thought === null && this.blocks.length === 0 ? whole.blocks : null,
    };
  }

  /**
   * Pieces of a call carry its index. Ollama, Gemini and SGLang give all calls the same index, so a new id with a name begins
   * another call. A new id without a name does not: Poolside changes the id within a call.
   */
  private addCall(piece: CallPiece, isWhole: boolean): void {
    const open = isWhole ? undefined : this.openCall(piece);
    const isOther =
      open !== undefined &&
      piece.name !== "" &&
      ((piece.id !== "" && open.id !== "" && piece.id !== open.id) ||
        (open.name !== "" && open.name !== piece.name && tryJson(open.arguments) !== undefined));
    this.chars += piece.arguments.length;
    if (open === undefined || isOther) {
      if (this.calls.length < CALLS_MAX) this.calls.push({ ...piece });
      return;
    }
    open.id ||= piece.id;
    open.name ||= piece.name;
    open.arguments += piece.arguments;
    if (piece.extra !== undefined) open.extra = piece.extra;
  }

  private openCall({ index, id }: CallPiece): CallPiece | undefined {
    const calls = index === null ? this.calls : this.calls.filter((call) => call.index === index);
    return calls.findLast((call) => id !== "" && call.id === id) ?? calls.at(-1);
  }

  /** Joins the pieces of blocks: the text comes in several, the signature in the last. Returns the new text. */
  private addBlocks({ field, blocks }: NonNullable<PlainChunk["blocks"]>): string {
    this.blockField = field;
    let text = "";
    for (const block of blocks) {
      if (typeof block !== "object" || block === null) continue;
      const piece = Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
      text += wordsIn(piece);
      this.chars += JSON.stringify(piece).length;
      const last = this.blocks.at(-1);
      const isSame = last !== undefined && last.type === piece.type && last.index === piece.index;
      if (!isSame || last.signature || piece.data !== undefined) this.blocks.push(piece);
      else
        for (const [key, value] of Object.entries(piece))
          last[key] = WORD_FIELDS.includes(key) ? `${String(last[key] ?? "")}${String(value)}` : value;
    }
    return text;
  }

  private get thoughts(): Thought[] {
    const said = this.blocks.map(wordsIn).join("");
    const { field, text } = this.thought ?? { field: null, text: said };
    if (this.blockField !== null && this.blocks.length > 0)
      return [{ text, vendor: { [VENDOR]: { field: this.blockField, blocks: JSON.stringify(this.blocks) } } }];
    return field === null ? [] : [{ text, vendor: { [VENDOR]: { field } } }];
  }

  private count(request: ModelRequest): Usage {
    const { prompt_tokens, completion_tokens, prompt_tokens_details, prompt_cache_hit_tokens } = this.usage ?? {};
    const cached = prompt_tokens_details?.cached_tokens ?? prompt_cache_hit_tokens;
    const written = this.calls.reduce(
      (text, call) => text + call.name + call.arguments,
      this.text + (this.thoughts[0]?.text ?? ""),
    );
    return usageOf({ input: prompt_tokens || null, cached, output: completion_tokens }, request, written);
  }
}

/** The fields of a block that come in pieces. */
const WORD_FIELDS = ["text", "summary", "thinking"];

function wordsIn(block: Record<string, unknown>): string {
  const words = block.text ?? block.summary ?? block.thinking;
  return typeof words === "string" ? words : "";
}

/** The calls of one entry: one for each JSON object in its arguments. An empty entry has none. */
function callsOf({ id, name, arguments: input, extra }: CallPiece): ToolCall[] {
  if (name === "" && input.trim() === "") return [];
  const problem = name === "" ? { problem: "the call names no tool" } : {};
  const vendor = extra === undefined ? {} : { vendor: { [VENDOR]: { extra_content: extra } } };
  return inputsOf(input).map((each, i) => ({
    id: i === 0 ? id : "",
    name: name || UNNAMED,
    arguments: each,
    ...problem,
    ...(i === 0 && vendor),
  }));
}

/**
 * Splits arguments that are several JSON objects. Some servers send `{}` before the real object, or the whole object again at
 * the end. Others encode the JSON twice.
 */
function inputsOf(text: string): string[] {
  const objects = new JsonObjects();
  const whole = objects.add(text);
  if (whole.length < 2 || objects.hasMore || objects.rest !== "") return [unquoted(text)];
  const meant = [...new Set(whole)].filter((each) => !/^\{\s*\}$/.test(each));
  return meant.length === 0 ? ["{}"] : meant;
}

function unquoted(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  const inner = tryJson(text);
  return typeof inner === "string" && tryJson(inner) !== undefined ? inner : text;
}

/** The thoughts of an earlier answer in the field that they came in. Those of another wire are nothing to this one. */
export function wireThoughts(thoughts: readonly Thought[] = []): Record<string, unknown> {
  const own = thoughts.flatMap(({ text, vendor }) => {
    const { field, blocks } = vendor?.[VENDOR] ?? {};
    if (field === undefined || field === "content") return [];
    return [[field, blocks === undefined ? text : tryJson(blocks)] as const];
  });
  return Object.fromEntries(own);
}

/** The fields to send back unchanged with an earlier call. */
export function wireExtra({ vendor }: Pick<ToolCall, "vendor">): Record<string, unknown> {
  const extra = tryJson(vendor?.[VENDOR]?.extra_content ?? "");
  return extra === undefined ? {} : { extra_content: extra };
}
