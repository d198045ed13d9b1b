/** Does the search engine that is set up have what it needs? */
import { missingForSearch } from "@mimikit/agent/web/web";
import { loadConfig } from "@mimikit/runtime/config/config";
import { type Check, ok, type Patient, warn } from "./check.ts";

export function checkWeb({ home, exists }: Patient): Check[] {
  if (!exists) return [];
  const { config, keys } = loadConfig(home, process.env);
  const lack = missingForSearch(config, { env: process.env, keys });
  if (lack !== null) return [warn(lack, "then: mimikit restart")];
  const { fetch, search } = config.web;
  const searched =
    search.engine === undefined ? "no search engine is set up" : `searches are asked of ${search.engine}`;
  return [ok(`Workers of model endpoints ${fetch ? "can load pages" : "load no pages"}; ${searched}`)];
}
