/**
 * The window of a model that no setting and no table knows, as its server says: Ollama of the model that it has loaded, all others in
 * their list of models. It is asked once, and remembered.
 */
import { type KnownCapabilities, knownOf } from "../../kernel/capabilities.ts";
import { learn, readLearnt } from "./learnt.ts";
import { isList, listModels } from "./list-models.ts";
import { loadedWindow } from "./loaded-window.ts";
import { type ModelEndpoint, shareWindow } from "./place.ts";

/** The question of the user waits for it. */
const ASK_MS_MAX = 2_000;

/** An endpoint of Chat Completions. */
interface Asked extends ModelEndpoint {
  id: string;
  home?: string;
  configured?: KnownCapabilities;
  outputTokensMax?: number;
}

/** The windows that servers have told this process, by address and model; undefined of a model of which none is told. */
const asked = new Map<string, number | undefined>();

/** The endpoint with the window that its server tells. Never throws for what a server does. */
export async function withAskedWindow<E extends Asked>(endpoint: E, signal: AbortSignal): Promise<E> {
  const { id, baseUrl, model, configured } = endpoint;
  const isKnown = knownOf(model).contextWindow !== undefined || readLearnt(endpoint).window !== undefined;
  // Only an endpoint of the settings: what is open there may be filled in.
  if (configured === undefined || configured.contextWindow !== undefined || isKnown) return endpoint;
  const window = id === "ollama" ? await loadedWindow(endpoint, signal) : await listedWindow(endpoint, signal);
  if (window === undefined) return endpoint;
  // Ollama may load it with another window the next time.
  if (id !== "ollama")
    learn({ baseUrl, model, ...(endpoint.home !== undefined && { home: endpoint.home }) }, { window });
  const { outputTokensMax = 0 } = endpoint;
  return { ...endpoint, ...shareWindow(window, outputTokensMax) };
}

async function listedWindow(endpoint: Asked, signal: AbortSignal): Promise<number | undefined> {
  const key = `${endpoint.baseUrl} ${endpoint.model}`;
  if (asked.has(key)) return asked.get(key);
  const listed = await listModels("chat", endpoint, signal, ASK_MS_MAX);
  // An address that could not be reached is asked again.
  if (!isList(listed) && listed.status === undefined) return undefined;
  asked.set(key, isList(listed) ? listed.find(({ id }) => id === endpoint.model)?.contextWindow : undefined);
  return asked.get(key);
}
