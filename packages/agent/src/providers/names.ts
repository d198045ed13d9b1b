/** Which provider answers for a role, by name alone: whoever only shows it need not load any provider. */
import { ROLES, type Role } from "@mimikit/protocol/role";
import type { Config } from "@mimikit/runtime/config";
import type { Environment } from "@mimikit/runtime/home";
import { missingSetting } from "./openai/endpoint.ts";

/** The providers of this version. Each has its file or folder beside this one, and its line in `index.ts`. */
export const PROVIDERS = ["offline", "openai"] as const;
export type ProviderId = (typeof PROVIDERS)[number];

/** The settings that say who answers. */
export type Choice = Pick<Config, "provider" | "providers" | "openai" | "model" | "models">;

/** The configuration names a provider that cannot answer; the message says for which role, and what would help. */
export class UnusableProvider extends Error {}

/**
 * The provider of `role`: its own setting, else the common one; `auto` is a model endpoint where one is configured, else
 * the offline engine. Throws `UnusableProvider`.
 */
export function providerIdOf(role: Role, config: Choice, env: Environment = process.env): ProviderId {
  const name = config.providers[role] ?? config.provider;
  const missing = missingSetting(role, config, env);
  if (name === "auto") return missing === null ? "openai" : "offline";
  const id = PROVIDERS.find((each) => each === name);
  if (id === undefined)
    throw new UnusableProvider(
      `the provider "${name}" for the ${role} is not in this version; there is: auto, ${PROVIDERS.join(", ")}`,
    );
  if (id === "openai" && missing !== null)
    throw new UnusableProvider(`the provider "${name}" for the ${role} lacks ${missing}`);
  return id;
}

/** Who answers for each role as people are told it: one that cannot answer keeps its name, and is a problem. */
export function describeProviders(
  config: Choice,
  env: Environment = process.env,
): { names: Record<Role, string>; problems: string[] } {
  const problems: string[] = [];
  const nameOf = (role: Role): string => {
    try {
      return providerIdOf(role, config, env);
    } catch (error) {
      if (!(error instanceof UnusableProvider)) throw error;
      problems.push(error.message);
      return config.providers[role] ?? config.provider;
    }
  };
  return { names: Object.fromEntries(ROLES.map((role) => [role, nameOf(role)])) as Record<Role, string>, problems };
}
