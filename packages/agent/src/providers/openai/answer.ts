/** Puts the pieces of a streamed answer together. An answer that came in one piece is one piece. */
import { NO_USAGE, type Usage } from "@mimikit/protocol/base/usage";
import { z } from "zod";
import { measure } from "../../kernel/budget.ts";
import type { ModelAnswer, ModelRequest } from "../../kernel/model.ts";
import { estimateTokens } from "../../prompt/tokens.ts";

/** What a model says beyond this is left out, and the answer counts as truncated. */
export const ANSWER_CHARS_MAX = 2 * 1_048_576;
/** More calls than this in one answer are not read. */
const CALLS_MAX = 128;

const Call = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const Piece = z.object({ content: z.string().nullish(), tool_calls: z.array(Call).nullish() });
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

export class AnswerBuilder {
  private text = "";
  private chars = 0;
  private readonly calls: OpenCall[] = [];
  private finishReason: string | null = null;
  private usage: Chunk["usage"];

  /** Adds a piece; returns the text in it. */
  add({ choices, usage }: Chunk): string {
    if (usage) this.usage = usage;
    const [choice] = choices ?? [];
    if (choice?.finish_reason) this.finishReason = choice.finish_reason;
    const piece = choice?.delta ?? choice?.message;
    for (const call of piece?.tool_calls ?? []) this.addCall(call);
    const text = piece?.content ?? "";
    this.text += text;
    this.chars += text.length;
    return text;
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
    const ids = new Set<string>();
    const calls = this.calls.map(({ id, name, arguments: input }, i) => {
      const isGood = id !== "" && !ids.has(id);
      const unique = isGood ? id : `call${String(i).padStart(5, "0")}`;
      ids.add(unique);
      return { id: unique, name, arguments: input };
    });
    const isTruncated = this.isTooLong || this.finishReason === "length";
    return { type: "answer", text: this.text, calls, isTruncated, usage: this.count(request) };
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

  private count(request: ModelRequest): Usage {
    const { prompt_tokens, completion_tokens, prompt_tokens_details } = this.usage ?? {};
    const written = this.calls.reduce((text, call) => text + call.name + call.arguments, this.text);
    const inputTokens = prompt_tokens ?? measure(request.messages, request.tools);
    return {
      ...NO_USAGE,
      inputTokens,
      cachedTokens: Math.min(inputTokens, prompt_tokens_details?.cached_tokens ?? 0),
      outputTokens: completion_tokens ?? estimateTokens(written),
    };
  }
}
