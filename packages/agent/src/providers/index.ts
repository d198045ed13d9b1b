/**
 * Every provider, and who answers for a role. Light: whoever only shows who answers loads this too, and no code of a provider
 * but what says whether it can.
 */
import { byRole, type Role } from "@mimikit/protocol/base/kind";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import type { Config } from "@mimikit/runtime/config/config";
import { isFree, PROVIDER_IDS, type Surroundings } from "@mimikit/runtime/config/providers";
import type { Place } from "@mimikit/runtime/home/home";
import { modelOf, type Provider } from "../provider.ts";
import type { CommandLine } from "../shell/sandbox.ts";
import { ANTHROPIC } from "./anthropic/vendor.ts";
import { claudeSettingsOf, missingForClaude } from "./claude/settings.ts";
import { codexSettingsOf, missingForCodex } from "./codex/settings.ts";
import { missingForVendor, nativeEndpointOf } from "./endpoint/native.ts";
import { GOOGLE } from "./google/vendor.ts";
import { endpointOf, missingSetting } from "./openai/endpoint.ts";

type Given = [role: Role, config: Config, surroundings: Surroundings];

interface Row {
  /** What must be there before it can answer for a role; null when nothing is missing. */
  missing(...given: Given): string | null;
  /** Loads its code; nothing may be missing. */
  create(...given: Given): Promise<Provider>;
  /** Where a Worker's commands run in a sandbox of its own, not in ours: runs `attempt` as they are run. Throws `UnusableCli`. */
  inOwnSandbox?<T>(
    attempt: CommandLine,
    config: Config,
    place: Place,
    run: (commandLine: CommandLine, environment: Record<string, string>) => Promise<T>,
  ): Promise<T>;
}

export const TABLE: Record<ProviderId, Row> = {
  openai: {
    missing: missingSetting,
    create: async (...given) => (await import("./openai/index.ts")).createOpenai(endpointOf(...given)),
  },
  codex: {
    missing: missingForCodex,
    create: async (...given) => (await import("./codex/index.ts")).createCodex(codexSettingsOf(...given)),
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
  },
  anthropic: {
    missing: (...given) => missingForVendor(ANTHROPIC, ...given),
    create: async (...given) =>
      (await import("./anthropic/index.ts")).createAnthropic(nativeEndpointOf(ANTHROPIC, ...given)),
  },
  google: {
    missing: (...given) => missingForVendor(GOOGLE, ...given),
    create: async (...given) => (await import("./google/index.ts")).createGoogle(nativeEndpointOf(GOOGLE, ...given)),
  },
  offline: { missing: () => null, create: async () => (await import("./offline/index.ts")).offline },
};

/** Who answers for one role, and what its owner should know of that. */
export interface Chain {
  /** The first answers, the others stand in for it. Empty when nobody can answer. */
  ids: ProviderId[];
  /** One line for each that was named and cannot answer. */
  problems: string[];
  /** What `auto` did not take, and what each of them lacks. */
  passedOver: string[];
}

/**
 * Who answers for `role`, and who stands in for it: its own settings, else the common ones; `auto` is the first provider
 * that has what it needs. What is named and cannot answer is left out.
 */
export function chainOf(role: Role, config: Config, surroundings: Surroundings): Chain {
  const missing = (id: ProviderId) => TABLE[id].missing(role, config, surroundings);
  const problems: string[] = [];
  const passedOver: string[] = [];
  const ids = new Set<ProviderId>();
  const add = (id: ProviderId, what: string) => {
    const lack = missing(id);
    if (lack === null) ids.add(id);
    else problems.push(`the ${what} "${id}" for the ${role} lacks ${lack}`);
  };
  const name = config.providers[role] ?? config.provider;
  if (name !== "auto") add(name, "provider");
  else
    for (const id of PROVIDER_IDS) {
      const lack = missing(id);
      if (lack === null) {
        ids.add(id);
        break;
      }
      passedOver.push(`${id} lacks ${lack}`);
    }
  for (const id of config.fallbacks[role] ?? config.fallback) add(id, "fallback");
  return { ids: [...ids], problems, passedOver };
}

/** Is it a model that answers for `role`? */
export function hasModel(role: Role, config: Config, surroundings: Surroundings): boolean {
  const [first] = chainOf(role, config, surroundings).ids;
  return first !== undefined && !isFree(first);
}

/** Who answers for each role as people are told it. */
export interface Description {
  /** A provider that cannot answer, and has nobody to stand in for it, keeps its name and is a problem. */
  names: Record<Role, string>;
  /** The model that each of them asks, where the settings name it. */
  models: Record<Role, string | null>;
  problems: string[];
  /** What `auto` did not take, and why. */
  passedOver: string[];
}

export function describeProviders(config: Config, surroundings: Surroundings): Description {
  const chains = byRole((role) => chainOf(role, config, surroundings));
  const all = Object.values(chains);
  const names = byRole((role) => chains[role].ids[0] ?? config.providers[role] ?? config.provider);
  return {
    names,
    models: byRole((role) => askedModel(names[role], role, config) ?? null),
    problems: all.flatMap((chain) => chain.problems),
    passedOver: [...new Set(all.flatMap((chain) => chain.passedOver))],
  };
}

/** Those who can be asked, in their order. */
export interface Answerers {
  providers: readonly Provider[];
  /** Why others whom the configuration names cannot even be asked. */
  problems: readonly string[];
}

/** Who answers for `role`, and who stands in for it. */
export function chooseProviders(role: Role, config: Config, surroundings: Surroundings): Answerers {
  const { ids, problems } = chainOf(role, config, surroundings);
  return { providers: ids.map((id) => loadedWhenAsked(id, role, config, surroundings)), problems };
}

/** The model that a provider asks for `role`; undefined where the settings name none, or there is none behind it. */
function askedModel(name: string, role: Role, config: Config): string | undefined {
  return isFree(name) ? undefined : modelOf(role, config);
}

function loadedWhenAsked(id: ProviderId, role: Role, config: Config, surroundings: Surroundings): Provider {
  const model = askedModel(id, role, config);
  return {
    name: id,
    ...(model !== undefined && { model }),
    async *run(run, signal) {
      const provider = await TABLE[id].create(role, config, surroundings);
      yield* provider.run(run, signal);
    },
  };
}
