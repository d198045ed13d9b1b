/**
 * Any endpoint that speaks Responses or Chat Completions: OpenAI itself, compatible vendors, and any other address. It gives
 * the model; the tools and the rules are the kernel's.
 */
import { capabilitiesOf } from "../../kernel/capabilities.ts";
import { runKernel } from "../../kernel/loop.ts";
import type { Senses } from "../../prompt/media.ts";
import type { Provider } from "../../provider.ts";
import { withAskedWindow } from "../endpoint/asked-window.ts";
import { counted, estimatedOf } from "../endpoint/counted.ts";
import { withinLoadedWindow } from "../endpoint/loaded-window.ts";
import { naming } from "../endpoint/naming.ts";
import { persistent } from "../endpoint/persistent.ts";
import { askedApi, limitedByApi } from "./asked-api.ts";
import { eitherApi } from "./either-api.ts";
import type { Endpoint } from "./endpoint.ts";
import { probe } from "./probe.ts";

export function createOpenai(endpoint: Endpoint): Provider {
  const asked = naming(persistent(eitherApi(endpoint), endpoint.retryDelaysMs), "chat", endpoint);
  const { outputTokensMax = 0, toolCalls = true } = limitedByApi(endpoint);
  const within = endpoint.id === "ollama" ? withinLoadedWindow(asked, endpoint, outputTokensMax) : asked;
  const model = counted(within, endpoint);
  const senses = (signal: AbortSignal) => sensesOf(endpoint, signal);
  return {
    name: endpoint.id,
    model: endpoint.model,
    async *run(run, signal) {
      const { tokensMax } = limitedByApi(await withAskedWindow(endpoint, signal));
      yield* runKernel(run, { model, tokensMax: estimatedOf(tokensMax, endpoint), toolCalls, senses }, signal);
    },
  };
}

/** The endpoint is only asked where the settings leave something open. */
async function sensesOf(endpoint: Endpoint, signal: AbortSignal): Promise<Senses> {
  const { model, configured = {} } = endpoint;
  const isTold = configured.vision !== undefined && configured.audio !== undefined;
  const { vision, audio } = capabilitiesOf(model, configured, isTold ? {} : await probe(endpoint, signal));
  // Responses takes no recordings.
  return { vision, audio: audio && askedApi(endpoint) === "chat" };
}
