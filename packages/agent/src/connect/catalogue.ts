/** Every provider as the connect form shows it: what it is, what it needs, and which of that is there. */

import { nearest } from "@mimikit/core/base/nearest";
import { PROVIDER_TITLES, type ProviderId } from "@mimikit/protocol/base/provider";
import { Role } from "@mimikit/protocol/base/role";
import { sentence } from "@mimikit/protocol/texts/coded";
import { CHINESE_TITLES } from "@mimikit/protocol/wire/chinese-titles";
import type { ProviderEntry, ProvidersAnswer } from "@mimikit/protocol/wire/connect";
import { type Config, loadConfig } from "@mimikit/runtime/config/config";
import { maskedIn } from "@mimikit/runtime/config/describe-settings";
import { SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import { valueAt } from "@mimikit/runtime/config/fields";
import { factsOf, keyVariableOf, PROVIDER_IDS, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import type { Environment } from "@mimikit/runtime/home/home";
import { readCircuits } from "@mimikit/runtime/process/circuit-record";
import { modelOf } from "../provider.ts";
import { cliEnvironment } from "../providers/agent-cli/environment.ts";
import { loginText } from "../providers/agent-cli/login.ts";
import { chainOf, seenBy, TABLE } from "../providers/index.ts";
import { describeApi } from "../providers/openai/describe-api.ts";

/** The state directory, and the variables of the processes that answer: they win over what is saved. */
export interface At {
  home: string;
  env: Environment;
}

/** All of them, and who answers for each role, with the stand-ins. */
export function describeCatalogue(at: At): ProvidersAnswer {
  const { config, keys } = loadConfig(at.home, at.env);
  const environment = { ...at, keys };
  const open = readCircuits(at.home);
  const order = Object.fromEntries(Role.options.map((role) => [role, [...chainOf(role, config, environment).ids]]));
  return {
    providers: PROVIDER_IDS.map((id) => {
      const circuit = open.find(({ provider }) => provider === id);
      const state = circuit && { state: "open" as const, retryAt: circuit.retryAt, reason: circuit.reason };
      return { ...entryOf(id, config, environment), ...state };
    }),
    order: order as ProvidersAnswer["order"],
  };
}

/** One of them. */
export function describeProvider(id: ProviderId, at: At): ProviderEntry {
  const { config, keys } = loadConfig(at.home, at.env);
  return entryOf(id, config, { ...at, keys });
}

/** The provider of this name. @throws SettingsRefused where there is none. */
export function providerNamed(name: string): ProviderId {
  const found = PROVIDER_IDS.find((id) => id === name);
  if (found !== undefined) return found;
  const meant = nearest(name, PROVIDER_IDS);
  const names = PROVIDER_IDS.join(", ");
  throw new SettingsRefused(
    "mistake",
    meant === undefined
      ? sentence("provider_unknown", { names })
      : sentence("provider_misspelt", { detail: sentence("did_you_mean", { name: meant }), names }),
  );
}

export function kindOf(id: ProviderId): ProviderEntry["kind"] {
  const { isFree, isLocal, wire } = factsOf(id);
  if (isFree) return "offline";
  if (isLocal) return "local";
  return wire === undefined ? "program" : "endpoint";
}

/** The address of a provider, where it is set or is its own; undefined for those that have none, or decide themselves. */
export function addressOf(id: ProviderId, config: Config): string | undefined {
  return setAddressOf(id, config) ?? factsOf(id).ownBaseUrl;
}

function setAddressOf(id: ProviderId, config: Config): string | undefined {
  const address = valueAt(config, [id, "baseUrl"]);
  return typeof address === "string" ? address : undefined;
}

/** A login of a program, as it is run at a terminal. */
export interface LoginCommand {
  commandLine: readonly [file: string, ...args: string[]];
  /** The folder that the login is kept in, which must exist. */
  dir: string;
  environment: Record<string, string>;
}

/** How a program is signed in: one after the other. */
export function loginsOf(id: ProviderId, at: At): LoginCommand[] {
  const logins = TABLE[id].logins?.({ ...at, keys: {} }) ?? [];
  return logins.map(({ commandLine, variable, dir }) => ({
    commandLine,
    dir,
    environment: cliEnvironment({ [variable]: dir }),
  }));
}

/** Are both on one server? */
export function isSamePlace(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined ? new URL(a).origin === new URL(b).origin : a === b;
}

/** Nothing for those that are asked in one way alone. */
function apiOf(id: ProviderId, model: string | undefined, config: Config, { home }: ProviderEnvironment) {
  const baseUrl = addressOf(id, config);
  if (factsOf(id).wire !== "chat" || model === undefined || baseUrl === undefined) return {};
  return describeApi({ api: config.openai.api, baseUrl, model, home });
}

function entryOf(id: ProviderId, config: Config, environment: ProviderEnvironment): ProviderEntry {
  const { keyPage, ownBaseUrl } = factsOf(id);
  const en = PROVIDER_TITLES[id];
  const kind = kindOf(id);
  const answersFor = Role.options.filter((role) => chainOf(role, config, environment).ids[0] === id);
  const [role = "teller"] = answersFor;
  const seen = seenBy(id, role, config, answersFor.length === 0);
  const baseUrl = maskedIn(addressOf(id, config));
  const model = kind === "offline" ? undefined : modelOf(role, seen);
  const logins = TABLE[id].logins?.(environment);
  const variable = keyVariableOf(id, environment.env);
  const kept = environment.keys[id] === undefined ? null : ({ from: "secrets.json" } as const);
  return {
    id,
    title: { en, zh: CHINESE_TITLES[id] ?? en },
    kind,
    needsKey: kind === "endpoint" && (setAddressOf(id, config) === undefined || ownBaseUrl === undefined),
    ...(keyPage !== undefined && { keyPage }),
    ...(typeof baseUrl === "string" && { baseUrl }),
    ...(ownBaseUrl !== undefined && { ownBaseUrl }),
    ...(model !== undefined && { model }),
    ...apiOf(id, model, config, environment),
    key: variable === undefined ? kept : { from: "variable", variable },
    missing: TABLE[id].missing(role, seen, environment),
    ...(logins !== undefined && { login: loginText(id, logins) }),
    answersFor,
  };
}
