/** Which providers answer for a role, by name alone: whoever only shows it need not load any provider. */
import { ROLES, type Role } from "@mimikit/protocol/base/role";
import { type Config, PROVIDERS, type ProviderId } from "@mimikit/runtime/config/config";
import type { Environment } from "@mimikit/runtime/home/home";
import { missingForClaude } from "./claude/settings.ts";
import { missingForCodex } from "./codex/settings.ts";
import { missingSetting } from "./openai/endpoint.ts";

/** The settings that say who answers. */
export type Choice = Pick<
  Config,
  "provider" | "providers" | "fallback" | "fallbacks" | "model" | "models" | "openai" | "codex" | "claude"
>;

/** Where the choice is made: the environment holds keys and where programs are, the state directory the logins. */
export interface Surroundings {
  home: string;
  env: Environment;
}

type Missing = (role: Role, config: Choice, env: Environment, home: string) => string | null;

/** What must be set before a provider can answer for a role; null when nothing is missing. */
const MISSING: Record<ProviderId, Missing> = {
  openai: missingSetting,
  codex: missingForCodex,
  claude: missingForClaude,
  offline: () => null,
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
export function chainOf(role: Role, config: Choice, { home, env }: Surroundings): Chain {
  const missing = (id: ProviderId) => MISSING[id](role, config, env, home);
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
    for (const id of PROVIDERS) {
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

/** Is it a model that answers for `role`? The offline engine is none. */
export function hasModel(role: Role, config: Choice, surroundings: Surroundings): boolean {
  const [first = "offline"] = chainOf(role, config, surroundings).ids;
  return first !== "offline";
}

/** Who answers for each role as people are told it. */
export interface Description {
  /** A provider that cannot answer, and has nobody to stand in for it, keeps its name and is a problem. */
  names: Record<Role, string>;
  problems: string[];
  /** What `auto` did not take, and why. */
  passedOver: string[];
}

export function describeProviders(config: Choice, surroundings: Surroundings): Description {
  const chains = ROLES.map((role) => [role, chainOf(role, config, surroundings)] as const);
  const nameOf = (role: Role, { ids }: Chain) => ids[0] ?? config.providers[role] ?? config.provider;
  return {
    names: Object.fromEntries(chains.map(([role, chain]) => [role, nameOf(role, chain)])) as Record<Role, string>,
    problems: chains.flatMap(([, chain]) => chain.problems),
    passedOver: [...new Set(chains.flatMap(([, chain]) => chain.passedOver))],
  };
}
