/**
 * Normalises one event of Chat Completions, whatever the vendor makes of it. An unreadable field counts as missing: a
 * statistic never costs a reply.
 */
import { parseJson } from "@mimikit/protocol/base/json";
import { z } from "zod";

const LIMITS = { bytes: 16 * 1_048_576, depth: 32 };

/** Fields with thoughts: DeepSeek; vLLM, Ollama and OpenRouter; GitHub Copilot. Some endpoints send one text in two of them. */
const THOUGHT_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;
/** Fields with thoughts in blocks, some of them signed: OpenRouter, LiteLLM. They are sent back unchanged. */
const BLOCK_FIELDS = ["reasoning_details", "thinking_blocks"] as const;
export type BlockField = (typeof BLOCK_FIELDS)[number];
/** Mistral sends thoughts as parts of `content`. */
const CONTENT = "content";
export type ThoughtField = (typeof THOUGHT_FIELDS)[number] | typeof CONTENT;

const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);
const Any = z.unknown().optional();
const Text = lenient(z.union([z.string(), z.number().transform(String)]));
const List = lenient(z.array(z.unknown()));
const Count = lenient(z.number().int().nonnegative());
const Index = lenient(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ]),
);

const Called = z.object({ name: Text, arguments: Any });
const Call = z.object({ index: Index, id: Text, function: lenient(Called), extra_content: Any });
const Piece = z.object({
  content: Any,
  refusal: Any,
  tool_calls: lenient(z.array(lenient(Call))),
  /** The predecessor of `tool_calls`. */
  function_call: lenient(Called),
  reasoning_content: Any,
  reasoning: Any,
  reasoning_text: Any,
  reasoning_details: List,
  thinking_blocks: List,
});
const Usage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: lenient(z.object({ cached_tokens: Count })),
  /** DeepSeek's name for it. */
  prompt_cache_hit_tokens: Count,
});
const Chunk = z.object({
  choices: lenient(
    z.array(
      z
        .object({
          delta: lenient(Piece),
          message: lenient(Piece),
          finish_reason: Text,
          error: Any,
          /** Moonshot counts here. */
          usage: lenient(Usage),
        })
        .catch({} as never),
    ),
  ),
  usage: lenient(Usage),
  error: Any,
  /** The fields of an error that is not in an object of its own: DashScope; FastAPI; MiniMax. */
  message: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  base_resp: lenient(z.object({ status_code: z.number(), status_msg: Text })),
});

export interface CallPiece {
  index: number | null;
  /** Empty if missing. */
  id: string;
  name: string;
  arguments: string;
  /** `extra_content` as JSON: the signature of a Gemini call, which must be sent back. */
  extra?: string;
}

export interface PlainChunk {
  text: string;
  thought: { field: ThoughtField; text: string } | null;
  blocks: { field: BlockField; blocks: readonly unknown[] } | null;
  refusal: string;
  calls: CallPiece[];
  /** It is a message, not a delta: each of its calls is complete. */
  isWhole: boolean;
  /** In lower case; empty until the answer ends. */
  finishReason: string;
  usage: z.infer<typeof Usage> | null;
  error: unknown;
  /** It has a choice or a usage. */
  isKnown: boolean;
}

/** Throws `BadJson`. */
export function readChunk(json: string): PlainChunk {
  const value = parseJson(json, LIMITS);
  const { data: chunk = {} } = Chunk.safeParse(value);
  const [choice] = chunk.choices ?? [];
  const { delta, message } = choice ?? {};
  const piece = delta ?? message ?? undefined;
  const { text, thought, refusal } = partsOf(piece?.content);
  const reason = (choice?.finish_reason ?? "").toLowerCase();
  return {
    text,
    thought: thoughtIn(piece, thought),
    blocks: blocksIn(piece),
    refusal: refusal + partsOf(piece?.refusal).text,
    calls: callsIn(piece),
    isWhole: delta == null && message != null,
    finishReason: reason === "null" ? "" : reason,
    usage: chunk.usage ?? choice?.usage ?? null,
    isKnown: choice !== undefined || chunk.usage != null,
    error: chunk.error || choice?.error || bareError(chunk, value),
  };
}

/** An error whose fields are not in an object of their own; null if there is none. */
function bareError({ choices, message, detail, base_resp }: z.infer<typeof Chunk>, value: unknown): unknown {
  if (base_resp != null && base_resp.status_code !== 0)
    return { code: base_resp.status_code, message: base_resp.status_msg ?? "" };
  if (choices != null) return null;
  if (message !== undefined) return value;
  return detail === undefined ? null : { message: detail };
}

interface Parts {
  text: string;
  thought: string;
  refusal: string;
}

/** The kinds of typed parts. Others are left out, such as Mistral's `reference`. */
const KINDS: Readonly<Record<string, keyof Parts>> = {
  text: "text",
  output_text: "text",
  thinking: "thought",
  reasoning: "thought",
  reasoning_text: "thought",
  refusal: "refusal",
};

/** Reads a content: a text, a typed part, a list of parts, or nothing. */
function partsOf(content: unknown): Parts {
  const parts: Parts = { text: "", thought: "", refusal: "" };
  if (typeof content === "string") parts.text = content;
  for (const each of Array.isArray(content) ? content : [content]) {
    if (typeof each === "string" && Array.isArray(content)) parts.text += each;
    if (typeof each !== "object" || each === null) continue;
    const { type = "text" } = each as Record<string, unknown>;
    const kind = typeof type === "string" && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
    if (kind !== undefined) parts[kind] += wordsOf(each as Record<string, unknown>, String(type));
  }
  return parts;
}

/** The words of a part, in the field named like its type (for Mistral's `thinking` a list of parts) or in `text`. */
function wordsOf(part: Record<string, unknown>, type: string): string {
  const { text, thought } = partsOf(part[type] ?? part.text ?? part.content);
  return text + thought;
}

function thoughtIn(piece: z.infer<typeof Piece> | undefined, within: string): PlainChunk["thought"] {
  if (within !== "") return { field: CONTENT, text: within };
  for (const field of THOUGHT_FIELDS) {
    const { text, thought } = partsOf(piece?.[field]);
    if (text + thought !== "") return { field, text: text + thought };
  }
  return null;
}

function blocksIn(piece: z.infer<typeof Piece> | undefined): PlainChunk["blocks"] {
  const field = BLOCK_FIELDS.find((name) => (piece?.[name] ?? []).length > 0);
  return field === undefined ? null : { field, blocks: piece?.[field] ?? [] };
}

function callsIn(piece: z.infer<typeof Piece> | undefined): CallPiece[] {
  const calls = (piece?.tool_calls ?? []).flatMap((call) => call ?? []);
  const plain = calls.map(
    ({ index, id, function: called, extra_content: extra }, i): CallPiece => ({
      // Gemini sends complete calls without an index.
      index: index ?? (calls.length > 1 ? i : null),
      id: id ?? "",
      ...calledIn(called),
      ...(typeof extra === "object" && extra !== null && { extra: JSON.stringify(extra) }),
    }),
  );
  return piece?.function_call ? [...plain, { index: null, id: "", ...calledIn(piece.function_call) }] : plain;
}

function calledIn(called: z.infer<typeof Called> | null | undefined): Pick<CallPiece, "name" | "arguments"> {
  const { name, arguments: input } = called ?? {};
  const text = input == null ? "" : typeof input === "string" ? input : JSON.stringify(input);
  return { name: (name ?? "").trim(), arguments: text };
}
