/** Which provider answers for a role, by name alone: whoever only shows it need not load any provider. */
import { ROLES, type Role } from "@mimikit/protocol/role";
import type { Config } from "@mimikit/runtime/config";

/** The providers of this version. Each has its file or folder beside this one, and its line in `index.ts`. */
export const PROVIDERS = ["offline"] as const;
export type ProviderId = (typeof PROVIDERS)[number];

type Choice = Pick<Config, "provider" | "providers">;

/** The configuration names a provider that is not there; the message says for which role, and what there is. */
export class UnknownProvider extends Error {}

/** The provider of `role`: its own setting, else the common one; `auto` is the offline engine. Throws `UnknownProvider`. */
export function providerIdOf(role: Role, config: Choice): ProviderId {
  const name = config.providers[role] ?? config.provider;
  const wanted = name === "auto" ? "offline" : name;
  const id = PROVIDERS.find((each) => each === wanted);
  if (id !== undefined) return id;
  throw new UnknownProvider(
    `the provider "${wanted}" for the ${role} is not in this version; there is: auto, ${PROVIDERS.join(", ")}`,
  );
}

/** Who answers for each role as people are told it: one that is not there keeps its name, and is a problem. */
export function describeProviders(config: Choice): { names: Record<Role, string>; problems: string[] } {
  const problems: string[] = [];
  const nameOf = (role: Role): string => {
    try {
      return providerIdOf(role, config);
    } catch (error) {
      if (!(error instanceof UnknownProvider)) throw error;
      problems.push(error.message);
      return config.providers[role] ?? config.provider;
    }
  };
  return { names: Object.fromEntries(ROLES.map((role) => [role, nameOf(role)])) as Record<Role, string>, problems };
}
