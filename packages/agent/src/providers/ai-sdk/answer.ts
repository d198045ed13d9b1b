/** Puts the parts of a streamed answer together that a model of the AI SDK gives. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type {
  ModelAnswer,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Thought,
  ToolCall,
  VendorData,
} from "../../kernel/model.ts";
import { ANSWER_CHARS_MAX, BROKE_OFF, CALLS_MAX, usageOf } from "../endpoint/measure-answer.ts";

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

export class SdkAnswer {
  private text = "";
  private chars = 0;
  private readonly calls: ToolCall[] = [];
  private readonly thoughts = new Map<string, Thought>();
  private finish: Finish | null = null;

  /** Adds a part; returns what is to be told of it at once. */
  add(part: LanguageModelV4StreamPart): Extract<ModelEvent, { type: "delta" | "thought" }> | null {
    switch (part.type) {
      case "text-delta":
        this.text += part.delta;
        this.chars += part.delta.length;
        return part.delta === "" ? null : { type: "delta", text: part.delta };
      case "reasoning-start":
        this.think(part.id, "", part.providerMetadata);
        return null;
      case "reasoning-delta":
        this.think(part.id, part.delta, part.providerMetadata);
        return part.delta === "" ? null : { type: "thought", text: part.delta };
      case "tool-call":
        this.call(part);
        return null;
      case "finish":
        this.finish = part;
        return null;
      default:
        return null;
    }
  }

  /** Enough: nothing of this length is meant. */
  get isTooLong(): boolean {
    return this.chars > ANSWER_CHARS_MAX;
  }

  /** @param request what was asked, for the estimate where the endpoint does not count. */
  build(request: ModelRequest): ModelAnswer | ModelFailure {
    const { finishReason, usage } = this.finish ?? {};
    const reason = this.isTooLong ? "length" : (finishReason?.unified ?? "interrupted");
    const raw = finishReason?.raw ?? reason;
    if (reason === "interrupted") return unavailable(BROKE_OFF);
    if (reason === "error") return unavailable(`the model could not end an answer: ${raw}`);
    const written = [this.text, ...this.calls.flatMap((call) => [call.name, call.arguments])].join("");
    const counted = {
      input: usage?.inputTokens.total || null,
      cached: usage?.inputTokens.cacheRead,
      output: usage?.outputTokens.total || null,
    };
    return {
      type: "answer",
      text: this.text,
      calls: this.calls,
      thoughts: [...this.thoughts.values()],
      ...(reason === "content-filter" && { withheld: raw }),
      isTruncated: reason === "length",
      usage: usageOf(counted, request, written),
    };
  }

  private think(id: string, piece: string, metadata: unknown): void {
    const { text, vendor } = this.thoughts.get(id) ?? { text: "" };
    this.chars += piece.length;
    this.thoughts.set(id, { text: text + piece, vendor: { ...vendor, ...vendorData(metadata) } });
  }

  private call(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): void {
    const { toolCallId: id, toolName: name, input, providerMetadata } = part;
    this.chars += input.length;
    if (this.calls.length >= CALLS_MAX) return;
    const vendor = vendorData(providerMetadata);
    this.calls.push({ id, name, arguments: input, ...(vendor !== undefined && { vendor }) });
  }
}

/** Data that must go back with a thought or a call: texts, as all signatures are. */
function vendorData(metadata: unknown): VendorData | undefined {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const vendors = Object.entries(metadata).map(([vendor, fields]) => [
    vendor,
    Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => typeof value === "string")),
  ]);
  return Object.fromEntries(vendors);
}

function unavailable(message: string): ModelFailure {
  return { type: "failure", kind: "unavailable", cause: "busy", message };
}
