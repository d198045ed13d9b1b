/**
 * Corrects the estimate of tokens by what an endpoint counts: a window is neither overrun by a script that costs more than
 * estimated, nor left half empty by one that costs less. Kept for the life of the process, by place and model.
 */
import { measure } from "../../kernel/budget.ts";
import type { Model, ModelRequest } from "../../kernel/model.ts";
import { type ModelEndpoint, TOKENS_MIN } from "./place.ts";

/** A shorter request is mostly rules and frames. */
const MEASURED_TOKENS_MIN = 2_048;
/** Counted tokens divided by estimated ones are believed within these bounds. */
const FACTOR_MIN = 0.4;
const FACTOR_MAX = 2.5;
/** Less than this is no count of the whole request: some servers leave out what their cache holds. */
const WHOLE_MIN = 0.2;

type Place = Pick<ModelEndpoint, "baseUrl" | "model">;

const factors = new Map<string, number>();
const keyOf = ({ baseUrl, model }: Place) => `${baseUrl} ${model}`;

/** Counted tokens divided by estimated ones; 1 before anything is known. */
export function factorOf(place: Place): number {
  return factors.get(keyOf(place)) ?? 1;
}

/** Converts tokens of the model to estimated ones. */
export function estimatedOf(tokens: number, place: Place): number {
  return Math.max(TOKENS_MIN, Math.floor(tokens / factorOf(place)));
}

/** The estimate of a request. */
export function estimateOf({ messages, tools, mayCall }: ModelRequest): number {
  return measure(messages, mayCall ? tools : []);
}

/** `model`, whose answers correct the estimate: at once where it was too low, by half where it was too high. */
export function counted(model: Model, place: Place): Model {
  return {
    async *ask(request, signal) {
      for await (const event of model.ask(request, signal)) {
        // An overflow was either estimated too low, or the correction was wrong.
        if (event.type === "failure" && event.kind === "overflow" && factorOf(place) < 1) factors.delete(keyOf(place));
        if (event.type === "answer") note(request, event.usage.inputTokens);
        yield event;
      }
    },
  };

  function note(request: ModelRequest, tokens: number): void {
    const estimate = estimateOf(request);
    const ratio = tokens / estimate;
    // Pictures cost what their vendor likes.
    const hasMedia = request.messages.some((message) => message.role === "user" && (message.media?.length ?? 0) > 0);
    if (estimate < MEASURED_TOKENS_MIN || ratio < WHOLE_MIN || hasMedia) return;
    const before = factors.get(keyOf(place)) ?? ratio;
    const factor = ratio > before ? ratio : (before + ratio) / 2;
    factors.set(keyOf(place), Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, factor)));
  }
}
