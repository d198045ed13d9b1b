/**
 * Ollama cuts what its loaded window does not hold, the rules first, and says nothing; its `/v1` cannot set the window
 * (ollama/ollama#16814, NousResearch/hermes-agent#43995). So it is asked for the window of the model that is loaded,
 * and a request that is longer is an overflow: it is made shorter instead of being cut.
 */
import { tryJson } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { z } from "zod";
import type { Model, ModelFailure } from "../../kernel/model.ts";
import { estimatedOf, estimateOf, factorOf } from "./counted.ts";
import { hostOf, type ModelEndpoint, shareWindow } from "./place.ts";

const ASK_MS_MAX = 5_000;
const BODY_CHARS_MAX = 4 * 1_048_576;
/** No window of Ollama is smaller by default: a shorter request is not checked. */
const CHECKED_TOKENS_MIN = 2_048;

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

/** `model` at an Ollama, which is never sent more than it reads, and whose answer to a cut request does not count. */
export function withinLoadedWindow(model: Model, place: ModelEndpoint, reservedOutput: number): Model {
  return {
    async *ask(request, signal) {
      const estimate = estimateOf(request);
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
        yield overflowOf(estimate, await loadedWindow(place, signal)) ?? event;
      }
    },
  };

  function overflowOf(estimate: number, window: number | undefined): ModelFailure | null {
    const tokens = Math.ceil(estimate * factorOf(place));
    if (window === undefined || tokens <= window) return null;
    const { tokensMax } = shareWindow(window, reservedOutput);
    return {
      type: "failure",
      kind: "overflow",
      cause: "window",
      message: sentence("ollama_cuts", { host: hostOf(place), window, tokens }),
      tokensMax: estimatedOf(tokensMax, place),
    };
  }
}
