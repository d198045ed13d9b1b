/** A run's access to the web, as its tools see it. Light: what loads and reads pages is loaded when a tool is called. */

import type { Config } from "@mimikit/runtime/config/config";
import { keyOf, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { SEARCH_ENGINES, type SearchEngine, type SearchEngineFacts } from "@mimikit/runtime/config/search-engines";
import type { WebReach } from "./get-page.ts";

/** Where a search is asked for. */
export interface SearchPlace {
  engine: SearchEngine;
  url: string;
  apiKey?: string;
}

export interface Web {
  /** The pages that may be loaded; null if none may. */
  reach: WebReach | null;
  /** Null where no search engine is set up. */
  search: SearchPlace | null;
}

type Keys = Pick<ProviderEnvironment, "env" | "keys">;

/** The access that the settings allow. */
export function webOf({ web }: Pick<Config, "web">, environment: Keys): Web {
  const { fetch, hosts, privateHosts } = web;
  return { reach: fetch ? { hosts, privateHosts } : null, search: searchPlaceOf({ web }, environment) };
}

/** The missing setup of the search engine, in a line for people; null if nothing is missing, or none is set up. */
export function missingForSearch({ web: { search } }: Pick<Config, "web">, environment: Keys): string | null {
  const { engine } = search;
  if (engine === undefined) return null;
  const { key, ownUrl }: SearchEngineFacts = SEARCH_ENGINES[engine];
  if (search.url === undefined && ownUrl === undefined)
    return `web.search.engine is ${engine}, which needs its address: set web.search.url`;
  if (key !== undefined && keyOf(engine, environment) === undefined)
    return `web.search.engine is ${engine}, which needs a key: start once with ${key} set, and it is kept`;
  return null;
}

function searchPlaceOf(config: Pick<Config, "web">, environment: Keys): SearchPlace | null {
  const { engine, url } = config.web.search;
  if (engine === undefined || missingForSearch(config, environment) !== null) return null;
  const { ownUrl = "" }: SearchEngineFacts = SEARCH_ENGINES[engine];
  const apiKey = keyOf(engine, environment);
  return { engine, url: url ?? ownUrl, ...(apiKey !== undefined && { apiKey }) };
}
