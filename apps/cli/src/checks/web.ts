/** Does the search engine that is set up have what it needs? */

import { missingForSearch } from "@mimikit/agent/web/web";
import { loadConfig } from "@mimikit/runtime/config/config";
import { t } from "../i18n/language.ts";
import { type DoctorCheck, type DoctorInput, ok, warn } from "./check.ts";

export function checkWeb({ home, exists }: DoctorInput): DoctorCheck[] {
  if (!exists) return [];
  const { config, keys } = loadConfig(home, process.env);
  const lack = missingForSearch(config, { env: process.env, keys });
  if (lack !== null) return [warn(lack, t("then: mimikit restart"))];
  const { fetch, search } = config.web;
  const searched =
    search.engine === undefined
      ? t("no search engine is set up")
      : t("searches are asked of {engine}", { engine: search.engine });
  return [
    ok(
      fetch
        ? t("Workers of model endpoints can load pages; {searched}", { searched })
        : t("Workers of model endpoints load no pages; {searched}", { searched }),
    ),
  ];
}
