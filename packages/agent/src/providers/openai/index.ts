/**
 * Any endpoint that speaks Chat Completions: OpenAI itself, compatible vendors, and any other address. It gives the
 * model; the tools and the rules are the kernel's.
 */
import { capabilitiesOf } from "../../kernel/capabilities.ts";
import { runKernel } from "../../kernel/loop.ts";
import type { Senses } from "../../prompt/media.ts";
import type { Provider } from "../../provider.ts";
import { withinLoadedWindow } from "../endpoint/loaded-window.ts";
import { naming } from "../endpoint/naming.ts";
import { persistent } from "../endpoint/persistent.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Endpoint } from "./endpoint.ts";
import { probe } from "./probe.ts";

export function createOpenai(endpoint: Endpoint): Provider {
  const asked = naming(persistent(chatCompletions(endpoint), endpoint.retryDelaysMs), "chat", endpoint);
  const { reservedOutput } = capabilitiesOf(endpoint.model, endpoint.configured ?? {});
  const model = endpoint.id === "ollama" ? withinLoadedWindow(asked, endpoint, reservedOutput) : asked;
  const { tokensMax, toolCalls = true } = endpoint;
  const kernel = { model, tokensMax, toolCalls, senses: (signal: AbortSignal) => sensesOf(endpoint, signal) };
  return { name: endpoint.id, model: endpoint.model, run: (run, signal) => runKernel(run, kernel, signal) };
}

/** The endpoint is only asked where the settings leave something open. */
async function sensesOf(endpoint: Endpoint, signal: AbortSignal): Promise<Senses> {
  const { model, configured = {} } = endpoint;
  const isTold = configured.vision !== undefined && configured.audio !== undefined;
  return capabilitiesOf(model, configured, isTold ? {} : await probe(endpoint, signal));
}
