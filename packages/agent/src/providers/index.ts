/**
 * Every provider, and who answers for a role. Light: showing the providers loads this too, and no code of a provider but
 * the check whether it can answer.
 */

import { byRole, type Role } from "@mimikit/protocol/base/kind";
import type { PresetId, ProviderId } from "@mimikit/protocol/base/provider";
import type { Task } from "@mimikit/protocol/records/task";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Config } from "@mimikit/runtime/config/config";
import { factsOf, isFree, PROVIDER_IDS, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import type { HomePlace } from "@mimikit/runtime/home/home";
import type { Model } from "../kernel/model.ts";
import { modelOf, type Provider } from "../provider.ts";
import type { CommandLine } from "../shell/sandbox.ts";
import type { CliLogin } from "./agent-cli/login.ts";
import { ANTHROPIC } from "./anthropic/vendor.ts";
import { claudeLogins, claudeSettingsOf, missingForClaude } from "./claude/settings.ts";
import { codexLogins, codexSettingsOf, missingForCodex } from "./codex/settings.ts";
import { missingForVendor, nativeEndpointOf } from "./endpoint/native.ts";
import type { ModelEndpoint } from "./endpoint/place.ts";
import { GOOGLE } from "./google/vendor.ts";
import { type ChatId, endpointOf, missingSetting } from "./openai/endpoint.ts";

/** The settings are those that the provider sees: see `seenBy`. */
type Given = [role: Role, config: Config, environment: ProviderEnvironment];

interface Row {
  /** The missing setup before it can answer for a role; null if nothing is missing. */
  missing(...given: Given): string | null;
  /** Loads its code; nothing may be missing. */
  create(...given: Given): Promise<Provider>;
  /** Of those whom our own loop asks: where its model is, and the model alone, without patience. */
  endpoint?: {
    place(...given: Given): ModelEndpoint & { tokensMax: number; outputTokensMax?: number };
    /** The tokens of a request, where its server may have told another window than `place` knows. */
    tokensMax?(...given: Given): Promise<number>;
    model(...given: Given): Promise<Model>;
  };
  /** Of programs: the commands that sign it in, one after the other. */
  logins?(environment: ProviderEnvironment): readonly CliLogin[];
  /** Where a Worker's commands run in a sandbox of its own, not in ours: runs `attempt` as they are run. Throws `UnusableCli`. */
  inOwnSandbox?<T>(
    attempt: CommandLine,
    config: Config,
    place: HomePlace,
    run: (commandLine: CommandLine, environment: Record<string, string>) => Promise<T>,
  ): Promise<T>;
}

const chatRow = (id: ChatId): Row => ({
  missing: (...given) => missingSetting(id, ...given),
  create: async (...given) => (await import("./openai/index.ts")).createOpenai(endpointOf(...given, id)),
  endpoint: {
    place: (...given) => endpointOf(...given, id),
    tokensMax: async (...given) =>
      (await import("./openai/asked-api.ts")).limitedByApi(endpointOf(...given, id)).tokensMax,
    model: async (...given) => (await import("./openai/either-api.ts")).eitherApi(endpointOf(...given, id)),
  },
});

const isPreset = (id: ProviderId): id is PresetId => factsOf(id).isPreset === true;
const PRESETS = Object.fromEntries(PROVIDER_IDS.filter(isPreset).map((id) => [id, chatRow(id)]));

export const TABLE: Record<ProviderId, Row> = {
  ...(PRESETS as Record<PresetId, Row>),
  openai: chatRow("openai"),
  codex: {
    missing: missingForCodex,
    create: async (...given) => (await import("./codex/index.ts")).createCodex(codexSettingsOf(...given)),
    logins: codexLogins,
    inOwnSandbox: async (attempt, config, place, run) =>
      (await import("./codex/own-sandbox.ts")).inOwnSandbox(
        attempt,
        codexSettingsOf("worker", config, { home: place.home, env: process.env, keys: {} }),
        place,
        run,
      ),
  },
  claude: {
    missing: missingForClaude,
    create: async (...given) => (await import("./claude/index.ts")).createClaude(claudeSettingsOf(...given)),
    logins: claudeLogins,
  },
  anthropic: {
    missing: (...given) => missingForVendor(ANTHROPIC, ...given),
    create: async (...given) =>
      (await import("./anthropic/index.ts")).createAnthropic(nativeEndpointOf(ANTHROPIC, ...given)),
    endpoint: {
      place: (...given) => nativeEndpointOf(ANTHROPIC, ...given),
      model: async (...given) =>
        (await import("./anthropic/index.ts")).anthropicModel(nativeEndpointOf(ANTHROPIC, ...given)),
    },
  },
  google: {
    missing: (...given) => missingForVendor(GOOGLE, ...given),
    create: async (...given) => (await import("./google/index.ts")).createGoogle(nativeEndpointOf(GOOGLE, ...given)),
    endpoint: {
      place: (...given) => nativeEndpointOf(GOOGLE, ...given),
      model: async (...given) => (await import("./google/index.ts")).googleModel(nativeEndpointOf(GOOGLE, ...given)),
    },
  },
  offline: { missing: () => null, create: async () => (await import("./offline/index.ts")).offline },
};

/** A provider that can answer for a role, with the settings as it sees them. */
interface ChainEntry {
  id: ProviderId;
  config: Config;
}

/** The providers of one role, and notes about them for the owner. */
export interface Chain {
  /** The first answers, the others stand in for it. Empty when no provider can answer. */
  entries: readonly ChainEntry[];
  /** Their names. */
  ids: readonly ProviderId[];
  /** One line for each that was named and cannot answer. */
  problems: string[];
  /** The providers that `auto` skipped, and what each of them lacks. */
  passedOver: string[];
}

/**
 * The provider of `role` and its fallbacks: its own settings, else the common ones; `auto` is the first provider that
 * has what it needs. A named provider that cannot answer is left out.
 */
export function chainOf(role: Role, config: Config, environment: ProviderEnvironment): Chain {
  const problems: string[] = [];
  const passedOver: string[] = [];
  const entries = new Map<ProviderId, ChainEntry>();
  /** @returns what it lacks, where it was not added. */
  const add = (id: ProviderId, isStandIn = false): string | null => {
    const seen = seenBy(id, role, config, isStandIn);
    const lack = TABLE[id].missing(role, seen, environment);
    if (lack === null && !entries.has(id)) entries.set(id, { id, config: seen });
    return lack;
  };
  const name = config.providers[role] ?? config.provider;
  if (name !== "auto") {
    const lack = add(name);
    if (lack !== null) problems.push(sentence("provider_named_lacks", { id: name, role, lack }));
  } else
    for (const id of PROVIDER_IDS) {
      const lack = add(id);
      if (lack === null) break;
      passedOver.push(sentence("provider_lacks", { id, lack }));
    }
  for (const id of config.fallbacks[role] ?? config.fallback) {
    const lack = entries.has(id) ? null : add(id, true);
    if (lack !== null) problems.push(sentence("fallback_lacks", { id, role, lack }));
  }
  return { entries: [...entries.values()], ids: [...entries.keys()], problems, passedOver };
}

/**
 * The settings as a provider sees them: of the names of models only the one that is meant for it. `models` is meant for whom
 * the settings choose for the role, `<id>.model` for that provider, `model` for whom they choose for all, or for the role.
 */
export function seenBy(id: ProviderId, role: Role, config: Config, isStandIn: boolean): Config {
  const { provider, models, model: common } = config;
  const settings = id in config ? config[id as keyof Config] : undefined;
  const own = settings !== null && typeof settings === "object" && "model" in settings ? settings.model : undefined;
  const isMeant = !isStandIn || provider === id;
  const model = (isStandIn ? undefined : models[role]) ?? own ?? (isMeant ? common : undefined);
  return { ...config, model: typeof model === "string" ? model : undefined, models: {} };
}

/** Is it a model that answers for `role`? */
export function hasModel(role: Role, config: Config, environment: ProviderEnvironment): boolean {
  const [first] = chainOf(role, config, environment).ids;
  return first !== undefined && !isFree(first);
}

/** The provider of each role, as people are told it. */
export interface Description {
  /** A provider that cannot answer, and has no fallback, keeps its name and is a problem. */
  names: Record<Role, string>;
  /** The model that each of them asks; null if the settings name none, or there is no provider. */
  models: Record<Role, string | null>;
  problems: string[];
  /** The providers that `auto` skipped, and why. */
  passedOver: string[];
}

export function describeProviders(config: Config, environment: ProviderEnvironment): Description {
  const chains = byRole((role) => chainOf(role, config, environment));
  const all = Object.values(chains);
  return {
    names: byRole((role) => chains[role].ids[0] ?? config.providers[role] ?? config.provider),
    models: byRole((role) => {
      const [first] = chains[role].entries;
      return (first && askedModel(first, role)) ?? null;
    }),
    problems: all.flatMap((chain) => chain.problems),
    passedOver: [...new Set(all.flatMap((chain) => chain.passedOver))],
  };
}

/**
 * The settings as they are for one task: a message that has a turn of its own, and a command to be answered again, may
 * say who answers. An unknown one chooses no provider.
 */
export function settingsFor({ role, turn }: Task, config: Config): Config {
  const [message, ...others] = turn?.messages ?? [];
  const { provider, model } = turn?.again?.answerBy ?? ((others.length === 0 && message?.answerBy) || {});
  const id = PROVIDER_IDS.find((one) => one === provider);
  if (id === undefined) return config;
  const { [role]: _other, ...models } = config.models;
  return {
    ...config,
    providers: { ...config.providers, [role]: id },
    models: model === undefined ? models : { ...models, [role]: model },
  };
}

/** The tokens that a request to the first provider of `role` may have; Infinity where it is a program or the offline engine. */
export async function tokensMaxFor(role: Role, config: Config, environment: ProviderEnvironment): Promise<number> {
  const [first] = chainOf(role, config, environment).entries;
  const endpoint = first && TABLE[first.id].endpoint;
  if (first === undefined || endpoint === undefined) return Number.POSITIVE_INFINITY;
  const given: Given = [role, first.config, environment];
  return (await endpoint.tokensMax?.(...given)) ?? endpoint.place(...given).tokensMax;
}

/** Those who can be asked, in their order. */
export interface Answerers {
  providers: readonly Provider[];
  /** Why others whom the configuration names cannot even be asked. */
  problems: readonly string[];
}

/** The provider of `role`, and its fallbacks. */
export function chooseProviders(role: Role, config: Config, environment: ProviderEnvironment): Answerers {
  const { entries, problems } = chainOf(role, config, environment);
  return { providers: entries.map((entry) => loadedWhenAsked(entry, role, environment)), problems };
}

/** The model that is asked; undefined where the settings name none, or there is none behind it. */
export function askedModel({ id, config }: ChainEntry, role: Role): string | undefined {
  return isFree(id) ? undefined : modelOf(role, config);
}

function loadedWhenAsked(entry: ChainEntry, role: Role, environment: ProviderEnvironment): Provider {
  const { id, config } = entry;
  const model = askedModel(entry, role);
  return {
    name: id,
    ...(model !== undefined && { model }),
    async *run(run, signal) {
      const provider = await TABLE[id].create(role, config, environment);
      yield* provider.run(run, signal);
    },
  };
}
