/** Ollama's facts about a model beside its list: its abilities, and the context window that it was loaded with. */
import { tryJson } from "@mimikit/protocol/base/json";
import { z } from "zod";
import type { KnownCapabilities } from "../kernel/capabilities.ts";
import { loadedWindow } from "../providers/endpoint/loaded-window.ts";
import type { ModelEndpoint } from "../providers/endpoint/place.ts";

const ASK_MS_MAX = 5_000;
const BODY_CHARS_MAX = 4 * 1_048_576;

const Shown = z.object({
  capabilities: z.array(z.string()).nullish(),
  /** Lines of `name value`. */
  parameters: z.string().nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});
/** Nothing where it says nothing. Ask after the model has answered: only then is it loaded. Never throws. */
export async function askOllama(place: ModelEndpoint, signal: AbortSignal): Promise<KnownCapabilities> {
  const shown = Shown.safeParse(await ask(place, signal)).data;
  if (shown === undefined) return {};
  const { capabilities, parameters, model_info } = shown;
  const held = await loadedWindow(place, signal);
  const set = /^num_ctx\s+(\d+)$/m.exec(parameters ?? "")?.[1];
  const most = Object.entries(model_info ?? {}).find(([name]) => name.endsWith(".context_length"))?.[1];
  return {
    toolCalls: capabilities?.includes("tools"),
    vision: capabilities?.includes("vision"),
    contextWindow: held ?? (set === undefined ? (typeof most === "number" ? most : undefined) : Number(set)),
  };
}

/** undefined if there is no answer, or none in JSON. */
async function ask({ baseUrl, model }: ModelEndpoint, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(new URL("/api/show", baseUrl), {
      method: "POST",
      body: JSON.stringify({ model }),
      headers: { "content-type": "application/json" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS_MAX)]),
      redirect: "error",
    });
    return response.ok ? tryJson((await response.text()).slice(0, BODY_CHARS_MAX)) : undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return undefined;
    throw error;
  }
}
