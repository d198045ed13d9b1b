/**
 * Ollama cuts what its loaded window does not hold, the rules first, and says nothing; its `/v1` cannot set the window
 * (ollama/ollama#16814, NousResearch/hermes-agent#43995). So it is asked for the window of the model that is loaded,
 * and a request that is longer is an overflow: it is made shorter instead of being cut.
 */
import { tryJson } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { z } from "zod";
import { measure } from "../../kernel/budget.ts";
import type { Model, ModelFailure } from "../../kernel/model.ts";
import { hostOf, type ModelEndpoint, shareWindow, TOKENS_MIN } from "./place.ts";

const ASK_MS_MAX = 5_000;
const BODY_CHARS_MAX = 4 * 1_048_576;
/** No window of Ollama is smaller by default: a shorter request is not checked. */
const CHECKED_TOKENS_MIN = 2_048;
/** A reported count corrects the estimate within these bounds. */
const FACTOR_MIN = 0.3;
const FACTOR_MAX = 2.5;

const Loaded = z.object({
  models: z.array(
    z.object({
      name: z.string().optional(),
      model: z.string().optional(),
      context_length: z.number().int().positive().optional().catch(undefined),
    }),
  ),
});

/** The window that the model is loaded with at an Ollama; undefined where it is not loaded, or nothing answers. Never throws. */
export async function loadedWindow(place: ModelEndpoint, signal: AbortSignal): Promise<number | undefined> {
  const { baseUrl, model } = place;
  try {
    const response = await fetch(new URL("/api/ps", baseUrl), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS_MAX)]),
      redirect: "error",
    });
    if (!response.ok) return undefined;
    const { models = [] } = Loaded.safeParse(tryJson((await response.text()).slice(0, BODY_CHARS_MAX))).data ?? {};
    const names = [model, `${model}:latest`];
    return models.find((each) => names.includes(each.name ?? "") || names.includes(each.model ?? ""))?.context_length;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Reported tokens divided by estimated ones, by place and model; kept for the life of the process. */
const factors = new Map<string, number>();

/** `model` at an Ollama, which is never sent more than it reads, and whose answer to a cut request does not count. */
export function withinLoadedWindow(model: Model, place: ModelEndpoint, reservedOutput: number): Model {
  const key = `${place.baseUrl} ${place.model}`;
  return {
    async *ask(request, signal) {
      const estimate = measure(request.messages, request.mayCall ? request.tools : []);
      if (estimate < CHECKED_TOKENS_MIN) return yield* model.ask(request, signal);
      const before = await loadedWindow(place, signal);
      const tooLong = overflowOf(estimate, before);
      if (tooLong !== null) return yield tooLong;
      for await (const event of model.ask(request, signal)) {
        if (event.type !== "answer") {
          yield event;
          continue;
        }
        // It may have been loaded only now, or again with another window.
        const cut = overflowOf(estimate, await loadedWindow(place, signal));
        if (cut === null) learn(event.usage.inputTokens / estimate);
        yield cut ?? event;
      }
    },
  };

  function overflowOf(estimate: number, window: number | undefined): ModelFailure | null {
    const factor = factors.get(key) ?? 1;
    if (window === undefined || estimate * factor <= window) return null;
    const { tokensMax } = shareWindow(window, reservedOutput);
    return {
      type: "failure",
      kind: "overflow",
      cause: "window",
      message: sentence("ollama_cuts", { host: hostOf(place), window, tokens: Math.ceil(estimate * factor) }),
      tokensMax: Math.max(TOKENS_MIN, Math.floor(tokensMax / factor)),
    };
  }

  function learn(factor: number): void {
    factors.set(key, Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, factor)));
  }
}
