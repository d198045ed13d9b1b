/** Does a provider answer, with what is given here? Nothing is saved. */

import { PROVIDER_TITLES, type ProviderId } from "@mimikit/protocol/base/provider";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import type { ConnectionTest, ConnectionTestBody } from "@mimikit/protocol/wire/connect";
import { Config, loadConfig } from "@mimikit/runtime/config/config";
import { SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import { withValue } from "@mimikit/runtime/config/fields";
import { factsOf, keyNamesOf, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { problemOfKey } from "@mimikit/runtime/config/secrets";
import { TABLE } from "../providers/index.ts";
import { type At, addressOf, isSamePlace, providerNamed } from "./catalogue.ts";
import { tryEndpoint } from "./try-endpoint.ts";

/** A model that is loaded first takes its time; a caller must not wait for ever. */
const TEST_MS_MAX = 110_000;

/** A provider as it would be with what is wanted. */
export interface ProviderTrial {
  id: ProviderId;
  title: string;
  /** As the provider sees them; `model` is the one that is asked, if any. */
  config: Config;
  environment: ProviderEnvironment;
}

/**
 * Lists the models, and makes one small request where a model is named; a program is asked in any case.
 * @throws SettingsRefused for what cannot be meant: a provider that there is not or has no such setting, a key that can be none.
 */
export async function testConnection(
  wanted: ConnectionTestBody,
  at: At & { workDir: string },
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const trial = trialOf(wanted, at);
  const { endpoint } = TABLE[trial.id];
  const until = AbortSignal.any([signal, AbortSignal.timeout(TEST_MS_MAX)]);
  if (factsOf(trial.id).isFree) return { models: [] };
  if (endpoint !== undefined) return tryEndpoint(trial, endpoint, until);
  const { tryProgram } = await import("./try-program.ts");
  return tryProgram(trial, at.workDir, until);
}

function trialOf({ provider, baseUrl, key, model }: ConnectionTestBody, at: At): ProviderTrial {
  const id = providerNamed(provider);
  const problem = key === undefined ? null : problemOfKey(key);
  if (problem !== null) throw new SettingsRefused("mistake", problem);
  const { config: now, keys } = loadConfig(at.home, at.env);
  const changed = baseUrl === undefined ? now : withValue(now, [id, "baseUrl"], baseUrl);
  const checked = Config.safeParse({ ...changed, models: {}, model });
  if (!checked.success) throw new SettingsRefused("mistake", describeIssues(checked.error));
  const config = checked.data;
  const { [id]: kept, ...others } = keys;
  // A key that is kept or in a variable was given for the address that is in force: another one must not get it.
  const isHere = isSamePlace(addressOf(id, config), addressOf(id, now));
  const asked = key?.trim() ?? (isHere ? kept : undefined);
  const hidden = key === undefined && isHere ? [] : keyNamesOf(id);
  const env = Object.fromEntries(Object.entries(at.env).filter(([name]) => !hidden.includes(name)));
  return {
    id,
    title: PROVIDER_TITLES[id],
    config,
    environment: { home: at.home, env, keys: asked === undefined ? others : { ...others, [id]: asked } },
  };
}
