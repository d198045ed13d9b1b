/** Every provider, and who answers for a role. */
import type { Role } from "@mimikit/protocol/role";
import type { Config } from "@mimikit/runtime/config";
import type { Provider } from "../provider.ts";
import { type ProviderId, providerIdOf } from "./names.ts";
import { offline } from "./offline/index.ts";

const PROVIDERS: Record<ProviderId, Provider> = { offline };

/** The provider of `role`. Throws `UnknownProvider` when the configuration names one that is not there. */
export function chooseProvider(role: Role, config: Pick<Config, "provider" | "providers">): Provider {
  return PROVIDERS[providerIdOf(role, config)];
}
