/** The answering provider, in words. */
import { PROVIDER_TITLES } from "@mimikit/protocol/base/provider";
import type { Role } from "@mimikit/protocol/base/role";
import type { Status } from "@mimikit/protocol/wire/api";
import { words } from "./words.ts";

const TITLES: Readonly<Record<string, string>> = { ...PROVIDER_TITLES, ...words.providers };

/** A provider as people know it; one that is not known any more by its name. */
export function providerTitle(name: string): string {
  return TITLES[name] ?? name;
}

/** The name of the model that answers; where it is not known, who asks it. */
export function answererTitle(provider: string, model?: string | null): string {
  return model ?? providerTitle(provider);
}

/** The provider of a role, and the one that answered last if that was another: a fallback, or the one that the settings named before. */
export function answererOf({ providers, models, answered, answeredModels }: Status, role: Role): string {
  const answerer = answererTitle(providers[role], models[role]);
  const last = answered[role];
  if (last === undefined || last === providers[role]) return answerer;
  return words.answeredLast(answerer, answererTitle(last, answeredModels[role]));
}
