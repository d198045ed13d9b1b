/** Facts that follow from the table of providers: valid names, free ones, places of logins, and variables that hold keys. */

import { PROVIDERS, type ProviderFacts, type ProviderId } from "@mimikit/protocol/base/provider";
import type { Environment } from "../home/home.ts";
import { SEARCH_ENGINES, type SearchEngine } from "./search-engines.ts";
import type { Keys } from "./secrets.ts";

/** In the order of `auto`. */
export const PROVIDER_IDS = Object.keys(PROVIDERS) as ProviderId[];

export const factsOf = (id: ProviderId): ProviderFacts => PROVIDERS[id];

/** Does it cost nothing, whatever it says, because there is no model behind it? */
export const isFree = (name: string) => PROVIDER_IDS.some((id) => id === name && factsOf(id).isFree === true);

/** Those whose settings and login are in a folder of the state directory that has their name. */
export const PROVIDER_FOLDERS: readonly string[] = PROVIDER_IDS.filter((id) => factsOf(id).hasFolder);

/** Owners of keys: providers, and search engines. */
export type KeyOwner = ProviderId | SearchEngine;
export const KEY_OWNERS: readonly KeyOwner[] = [...PROVIDER_IDS, ...(Object.keys(SEARCH_ENGINES) as SearchEngine[])];

/** Every variable that holds a key, once. */
export const KEY_VARIABLES: readonly string[] = [...new Set(KEY_OWNERS.flatMap(keyNamesOf))];

/** The variables that may hold the key of a provider or a search engine; the first that is set counts. */
export function keyNamesOf(id: KeyOwner): string[] {
  const { key = [] }: { key?: string | readonly string[] } =
    id in SEARCH_ENGINES ? SEARCH_ENGINES[id as SearchEngine] : factsOf(id as ProviderId);
  return typeof key === "string" ? [key] : [...key];
}

/** The server that the key of a provider or a search engine is sent to, by the settings: `https://api.openai.com`. */
export function hostOfKey(id: KeyOwner, config: object): string {
  const isEngine = id in SEARCH_ENGINES;
  const facts: { ownUrl?: string; ownBaseUrl?: string } = isEngine
    ? SEARCH_ENGINES[id as SearchEngine]
    : factsOf(id as ProviderId);
  const set = valueIn(config, isEngine ? ["web", "search", "url"] : [id, "baseUrl"]);
  const address = set ?? facts.ownUrl ?? facts.ownBaseUrl;
  // A program without an address decides itself.
  return typeof address === "string" ? new URL(address).origin : "its own";
}

const valueIn = (config: unknown, path: readonly string[]) =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    config,
  );

/** Where a provider finds what it needs: keys in the environment or in `secrets.json`, logins in the state directory. */
export interface ProviderEnvironment {
  home: string;
  env: Environment;
  /** Those of `secrets.json`, by provider and search engine. */
  keys: Keys;
}

/** The variable that holds the key of a provider or a search engine; an empty one holds none. */
export function keyVariableOf(id: KeyOwner, env: Environment): string | undefined {
  return keyNamesOf(id).find((name) => env[name]);
}

/** The key of a provider or a search engine: that of a variable, else the one that is kept. */
export function keyOf(id: KeyOwner, { env, keys }: Pick<ProviderEnvironment, "env" | "keys">): string | undefined {
  const variable = keyVariableOf(id, env);
  return variable === undefined ? keys[id] : env[variable];
}
