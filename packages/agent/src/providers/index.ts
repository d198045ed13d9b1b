/** Every provider, and who answers for a role. */
import type { Role } from "@mimikit/protocol/role";
import type { Environment } from "@mimikit/runtime/home";
import type { Provider } from "../provider.ts";
import { type Choice, type ProviderId, providerIdOf } from "./names.ts";
import { offline } from "./offline/index.ts";
import { endpointOf } from "./openai/endpoint.ts";
import { createOpenai } from "./openai/index.ts";

const CREATE: Record<ProviderId, (role: Role, config: Choice, env: Environment) => Provider> = {
  offline: () => offline,
  openai: (role, config, env) => createOpenai(endpointOf(role, config, env)),
};

/** The provider of `role`. Throws `UnusableProvider` when the configuration names one that cannot answer. */
export function chooseProvider(role: Role, config: Choice, env: Environment = process.env): Provider {
  return CREATE[providerIdOf(role, config, env)](role, config, env);
}
