/** Servers with models on this machine, on the loopback ports that they usually have. It looks only when it is asked. */
import { isList, listModels } from "../providers/endpoint/list-models.ts";

/** The usual places. A server says itself what it is where two share a port. */
const PLACES = [
  { provider: "ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { provider: "lmstudio", baseUrl: "http://127.0.0.1:1234/v1" },
  { provider: "llamacpp", baseUrl: "http://127.0.0.1:8080/v1" },
  { provider: "vllm", baseUrl: "http://127.0.0.1:8000/v1" },
  { provider: "litellm", baseUrl: "http://127.0.0.1:4000/v1" },
] as const;
/** Loopback answers at once, or there is nothing. */
const LOOK_MS_MAX = 1_000;

export interface FoundServer {
  provider: (typeof PLACES)[number]["provider"];
  baseUrl: string;
  /** Names of its models. */
  models: string[];
}

/** Those that answer with a list of models. @param places for tests: other ports. */
export async function findLocal(
  signal: AbortSignal,
  places: readonly { provider: FoundServer["provider"]; baseUrl: string }[] = PLACES,
): Promise<FoundServer[]> {
  const looks = places.map(async (place) => {
    const listed = await listModels("chat", place, signal, LOOK_MS_MAX);
    return isList(listed) && listed.length > 0 ? [{ ...place, models: listed.map(({ id }) => id) }] : [];
  });
  return (await Promise.all(looks)).flat();
}
