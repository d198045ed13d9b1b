/** Puts the pieces of a streamed answer together. An answer that came in one piece is one piece. */
import type { Usage } from "@mimikit/protocol/base/usage";
import { z } from "zod";
import type { ModelAnswer, ModelRequest, Thought } from "../../kernel/model.ts";
import { ANSWER_CHARS_MAX, CALLS_MAX, usageOf, withIds } from "../endpoint/measure-answer.ts";

/** The fields in which endpoints of this wire tell what a model thought: DeepSeek and its like, and vLLM, Ollama, OpenRouter. */
const THOUGHT_FIELDS = ["reasoning_content", "reasoning"] as const;
/** Under this name a thought says in which of them it came: there it goes back. */
const VENDOR = "chat";

const Call = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const Piece = z.object({
  content: z.string().nullish(),
  tool_calls: z.array(Call).nullish(),
  reasoning_content: z.string().nullish().catch(null),
  reasoning: z.string().nullish().catch(null),
});
const Count = z.number().int().nonnegative().nullish();

export const Chunk = z.object({
  choices: z
    .array(z.object({ delta: Piece.nullish(), message: Piece.nullish(), finish_reason: z.string().nullish() }))
    .nullish(),
  usage: z
    .object({
      prompt_tokens: Count,
      completion_tokens: Count,
      prompt_tokens_details: z.object({ cached_tokens: Count }).nullish(),
      /** DeepSeek's name for it. */
      prompt_cache_hit_tokens: Count,
    })
    .nullish(),
  error: z.unknown().optional(),
});
export type Chunk = z.infer<typeof Chunk>;

interface OpenCall {
  index: number | null;
  id: string;
  name: string;
  arguments: string;
}

/** A piece of an answer: what is said in it, and what is thought. */
interface Heard {
  text: string;
  thought: string;
}

export class AnswerBuilder {
  private text = "";
  private thought: { field: string; text: string } | null = null;
  private chars = 0;
  private readonly calls: OpenCall[] = [];
  private finishReason: string | null = null;
  private usage: Chunk["usage"];

  /** Adds a piece; returns what is new in it. */
  add({ choices, usage }: Chunk): Heard {
    if (usage) this.usage = usage;
    const [choice] = choices ?? [];
    if (choice?.finish_reason) this.finishReason = choice.finish_reason;
    const piece = choice?.delta ?? choice?.message;
    for (const call of piece?.tool_calls ?? []) this.addCall(call);
    const text = piece?.content ?? "";
    this.text += text;
    // Some endpoints send the same under both names.
    const field = THOUGHT_FIELDS.find((name) => piece?.[name]);
    const thought = (field && piece?.[field]) ?? "";
    if (field !== undefined) this.thought = { field, text: (this.thought?.text ?? "") + thought };
    this.chars += text.length + thought.length;
    return { text, thought };
  }

  /** Enough: nothing of this length is meant. */
  get isTooLong(): boolean {
    return this.chars > ANSWER_CHARS_MAX;
  }

  /** Did the model itself say that this is all? Without that, a closed stream is a torn one. */
  get isFinished(): boolean {
    return this.finishReason !== null;
  }

  /** @param request what was asked, for the estimate where the endpoint does not count. */
  build(request: ModelRequest): ModelAnswer {
    const calls = withIds(this.calls.map(({ index: _, ...call }) => call));
    const isTruncated = this.isTooLong || this.finishReason === "length";
    const usage = this.count(request);
    // A server that takes the thoughts out of the text takes all of it where the model does not end them.
    const isAllThought = this.text.trim() === "" && calls.length === 0;
    const unended = isAllThought ? this.thought?.text.trim() : undefined;
    const more = { thoughts: this.thoughts, ...(unended !== undefined && { unended }) };
    return { type: "answer", text: this.text, calls, ...more, isTruncated, usage };
  }

  /** Pieces of a call carry its index; endpoints that send none send each call whole, or its id first. */
  private addCall({ index, id, function: called }: z.infer<typeof Call>): void {
    const isSame = (open: OpenCall) => (index != null ? open.index === index : id == null || open.id === id);
    let call = this.calls.findLast(isSame);
    if (call === undefined) {
      if (this.calls.length >= CALLS_MAX) return;
      call = { index: index ?? null, id: id ?? "", name: "", arguments: "" };
      this.calls.push(call);
    }
    if (call.name === "") call.name = called?.name ?? "";
    call.arguments += called?.arguments ?? "";
    this.chars += called?.arguments?.length ?? 0;
  }

  private get thoughts(): Thought[] {
    if (this.thought === null) return [];
    const { field, text } = this.thought;
    return [{ text, vendor: { [VENDOR]: { field } } }];
  }

  private count(request: ModelRequest): Usage {
    const { prompt_tokens, completion_tokens, prompt_tokens_details, prompt_cache_hit_tokens } = this.usage ?? {};
    const cached = prompt_tokens_details?.cached_tokens ?? prompt_cache_hit_tokens;
    const written = this.calls.reduce(
      (text, call) => text + call.name + call.arguments,
      this.text + (this.thought?.text ?? ""),
    );
    return usageOf({ input: prompt_tokens, cached, output: completion_tokens }, request, written);
  }
}

/** The thoughts of an earlier answer in the field that they came in. Those of another wire are nothing to this one. */
export function wireThoughts(thoughts: readonly Thought[] = []): Record<string, string> {
  const own = thoughts.flatMap(({ text, vendor }) => {
    const field = THOUGHT_FIELDS.find((name) => name === vendor?.[VENDOR]?.field);
    return field === undefined ? [] : [[field, text] as const];
  });
  return Object.fromEntries(own);
}
