/** What follows from the table of providers: who can be named, who is free, where logins are, and which variables hold keys. */
import { PROVIDERS, type ProviderFacts, type ProviderId } from "@mimikit/protocol/base/provider";
import type { Environment } from "../home/home.ts";
import type { Keys } from "./secrets.ts";

/** In the order of `auto`. */
export const PROVIDER_IDS = Object.keys(PROVIDERS) as ProviderId[];

export const factsOf = (id: ProviderId): ProviderFacts => PROVIDERS[id];

/** Does it cost nothing, whatever it says, because there is no model behind it? */
export const isFree = (name: string) => PROVIDER_IDS.some((id) => id === name && factsOf(id).isFree === true);

/** Those whose settings and login are in a folder of the state directory that has their name. */
export const PROVIDER_FOLDERS: readonly string[] = PROVIDER_IDS.filter((id) => factsOf(id).hasFolder);

/** Every variable that holds a key, once. */
export const KEY_VARIABLES: readonly string[] = [...new Set(PROVIDER_IDS.flatMap(keyNamesOf))];

/** The variables that may hold the key of a provider; the first that is set counts. */
export function keyNamesOf(id: ProviderId): string[] {
  const { key = [] } = factsOf(id);
  return typeof key === "string" ? [key] : [...key];
}

/** Where a provider finds what it needs: keys in the environment or in `secrets.json`, logins in the state directory. */
export interface Surroundings {
  home: string;
  env: Environment;
  /** Those of `secrets.json`, by provider. */
  keys: Keys;
}

/** The variable that holds the key of a provider; an empty one holds none. */
export function keyVariableOf(id: ProviderId, env: Environment): string | undefined {
  return keyNamesOf(id).find((name) => env[name]);
}

/** The key of a provider: that of a variable, else the one that is kept. */
export function keyOf(id: ProviderId, { env, keys }: Pick<Surroundings, "env" | "keys">): string | undefined {
  const variable = keyVariableOf(id, env);
  return variable === undefined ? keys[id] : env[variable];
}
