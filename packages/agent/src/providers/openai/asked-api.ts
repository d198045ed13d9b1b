/** The API that a model is asked over, by the settings, by what its endpoint has refused, or by its address; and what follows from it. */
import { capabilitiesOf, type KnownCapabilities, knownOf } from "../../kernel/capabilities.ts";
import { readLearnt } from "../endpoint/learnt.ts";
import { shareWindow } from "../endpoint/place.ts";
import { type Api, apiByAddress, isOpenai } from "./api.ts";
import type { Endpoint } from "./endpoint.ts";

/** Over Responses most models think, and their thoughts count as a part of the answer. */
const THINKING: KnownCapabilities = { reservedOutput: 32_000 };
/** No model of OpenAI that Responses knows has a smaller window, whatever a deployment is called. */
const AT_OPENAI: KnownCapabilities = { contextWindow: 128_000 };

/** The API that is asked first. */
export function askedApi({ api = "auto", ...at }: Pick<Endpoint, "api" | "baseUrl" | "model" | "home">): Api {
  return api === "auto" ? (readLearnt(at).api ?? apiByAddress(at.baseUrl, at.model)) : api;
}

/** The endpoint with the limits that its server has told or that its API has, where the settings leave them open. */
export function limitedByApi(endpoint: Endpoint, api = askedApi(endpoint)): Endpoint {
  const { baseUrl, model, configured } = endpoint;
  if (configured === undefined) return endpoint;
  const asked = { contextWindow: readLearnt(endpoint).window };
  if (api === "chat") {
    if (asked.contextWindow === undefined || configured.contextWindow !== undefined) return endpoint;
    return { ...endpoint, ...shareWindow(asked.contextWindow, capabilitiesOf(model, configured).reservedOutput) };
  }
  const known = { ...THINKING, ...(isOpenai(baseUrl) && AT_OPENAI), ...knownOf(model) };
  const { contextWindow, reservedOutput } = capabilitiesOf(model, configured, asked, known);
  return { ...endpoint, ...shareWindow(contextWindow, reservedOutput) };
}
