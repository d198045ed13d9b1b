/** Saves who answers from now on: a key in secrets.json, everything else in config.yaml. All of it is saved, or nothing. */

import type { ProviderId } from "@mimikit/protocol/base/provider";
import { Role } from "@mimikit/protocol/base/role";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { ConnectAnswer, ConnectBody } from "@mimikit/protocol/wire/connect";
import { type Config, loadConfig } from "@mimikit/runtime/config/config";
import {
  checkChanges,
  editSettings,
  type SettingChange,
  type SettingsPlace,
  SettingsRefused,
} from "@mimikit/runtime/config/edit-settings";
import { valueAt, withValue } from "@mimikit/runtime/config/fields";
import { factsOf, hostOfKey, keyVariableOf } from "@mimikit/runtime/config/providers";
import { type Keys, problemOfKey, readKeys, setKey } from "@mimikit/runtime/config/secrets";
import { isAdopted, NOT_ADOPTED } from "@mimikit/runtime/home/adoption";
import { chainOf, describeProviders, seenBy, TABLE } from "../providers/index.ts";
import { type At, addressOf, isSamePlace, providerNamed } from "./catalogue.ts";

/**
 * The provider answers for these roles, for all where none is said, as soon as the processes have read it.
 * @returns who answers then, for each role.
 * @throws SettingsRefused where a variable would win, where something is missing, and where it cannot be meant; what the disk
 * and `setKey` throw.
 */
export async function saveConnection(wanted: ConnectBody, place: SettingsPlace): Promise<ConnectAnswer> {
  const { home, env } = place;
  const id = providerNamed(wanted.provider);
  const { config, keys } = loadConfig(home, env);
  const changes = changesFor(id, wanted, config, isAnswering(id, config, place, keys));
  const key = wanted.key?.trim();
  checkChanges(place, changes);
  checkKey(id, key, wanted, config, place, keys);
  checkComplete(
    id,
    wanted.roles ?? Role.options,
    after(config, changes),
    place,
    key === undefined ? keys : { ...keys, [id]: key },
  );
  const before = readKeys(home, env);
  if (key !== undefined) await setKey(home, id, key, hostOfKey(id, after(config, changes)));
  try {
    await editSettings(place, changes);
  } catch (error) {
    if (key !== undefined) await setKey(home, id, before.keys[id], before.hosts?.[id]);
    throw error;
  }
  return answersNow(place);
}

/** The providers that answer now. */
export function answersNow({ home, env }: At): ConnectAnswer {
  const { config, keys } = loadConfig(home, env);
  const { names, models } = describeProviders(config, { home, env, keys });
  return { providers: names, models };
}

/** Forgets the key that is kept of a provider. One that a variable has stays there. @throws SettingsRefused, and as `setKey`. */
export async function forgetKey(provider: string, { home, env }: At): Promise<ProviderId> {
  const id = providerNamed(provider);
  if (!isAdopted(home, env)) throw new SettingsRefused("obstacle", NOT_ADOPTED);
  await setKey(home, id, undefined);
  return id;
}

function isAnswering(id: ProviderId, config: Config, { home, env }: At, keys: Keys): boolean {
  return Role.options.some((role) => chainOf(role, config, { home, env, keys }).ids[0] === id);
}

/** The new text of config.yaml. Settings of a single role are removed where all roles are meant. */
function changesFor(
  id: ProviderId,
  { baseUrl, model, roles }: ConnectBody,
  config: Config,
  isAnswering: boolean,
): SettingChange[] {
  const changes: SettingChange[] = [];
  const put = (name: string, value: unknown) => changes.push({ name, value });
  const drop = (name: string) => {
    if (valueAt(config, name.split(".")) !== undefined) put(name, undefined);
  };
  const { ownBaseUrl } = factsOf(id);
  if (baseUrl !== undefined && baseUrl !== ownBaseUrl) put(`${id}.baseUrl`, baseUrl);
  else if (baseUrl !== undefined) drop(`${id}.baseUrl`);
  if (roles !== undefined && Role.options.some((role) => !roles.includes(role))) {
    for (const role of new Set(roles)) {
      put(`providers.${role}`, id);
      if (model === undefined) drop(`models.${role}`);
      else put(`models.${role}`, model);
    }
    return changes;
  }
  put("provider", id);
  for (const role of Role.options) {
    drop(`providers.${role}`);
    drop(`models.${role}`);
  }
  if (model !== undefined) put(`${id}.model`, model);
  // The common name was meant for another provider, which may not even have such a model.
  else if (!isAnswering && valueAt(config, [id, "model"]) === undefined) drop("model");
  return changes;
}

function after(config: Config, changes: readonly SettingChange[]): Config {
  return changes.reduce<Config>(
    (settings, { name, value }) => withValue(settings, name.split("."), value) as Config,
    config,
  );
}

function checkKey(
  id: ProviderId,
  key: string | undefined,
  { baseUrl }: ConnectBody,
  config: Config,
  { env }: At,
  keys: Keys,
): void {
  const variable = keyVariableOf(id, env);
  if (key !== undefined) {
    const problem = problemOfKey(key);
    if (problem !== null) throw new SettingsRefused("mistake", problem);
    if (variable !== undefined && env[variable] !== key)
      throw new SettingsRefused("obstacle", sentence("key_shadowed", { provider: id, variable }));
    return;
  }
  const now = addressOf(id, config);
  if (baseUrl === undefined || isSamePlace(baseUrl, now)) return;
  if (variable !== undefined)
    throw new SettingsRefused("obstacle", sentence("key_variable_elsewhere", { provider: id, variable }));
  if (keys[id] !== undefined) throw new SettingsRefused("obstacle", sentence("key_elsewhere", { provider: id }));
}

/** @throws SettingsRefused where the provider could not answer with it. */
function checkComplete(id: ProviderId, roles: readonly Role[], config: Config, { home, env }: At, keys: Keys): void {
  for (const role of roles) {
    const lack = TABLE[id].missing(role, seenBy(id, role, config, false), { home, env, keys });
    if (lack !== null) throw new SettingsRefused("mistake", sentence("provider_lacks", { id, lack }));
  }
}
