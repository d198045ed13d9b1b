/** LM Studio's own list names the loaded window, or the largest: https://lmstudio.ai/docs/developer/rest/endpoints */
import type { KnownCapabilities } from "../kernel/capabilities.ts";
import { type EndpointAddress, isList, listModels } from "../providers/endpoint/list-models.ts";

/** Nothing where it says nothing. Never throws. */
export async function askLmStudio(
  place: EndpointAddress & { model: string },
  signal: AbortSignal,
): Promise<KnownCapabilities> {
  const listed = await listModels("chat", { ...place, baseUrl: new URL("/api/v0", place.baseUrl).href }, signal);
  const own = isList(listed) ? listed.find(({ id }) => id === place.model) : undefined;
  return own?.contextWindow === undefined ? {} : { contextWindow: own.contextWindow };
}
