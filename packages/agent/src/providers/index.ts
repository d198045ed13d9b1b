/** Every provider, and who answers for a role. */
import type { Role } from "@mimikit/protocol/base/role";
import type { ProviderId } from "@mimikit/runtime/config/config";
import type { Provider } from "../provider.ts";
import { createClaude } from "./claude/index.ts";
import { claudeSettingsOf } from "./claude/settings.ts";
import { createCodex } from "./codex/index.ts";
import { codexSettingsOf } from "./codex/settings.ts";
import { type Choice, chainOf, type Surroundings } from "./names.ts";
import { offline } from "./offline/index.ts";
import { endpointOf } from "./openai/endpoint.ts";
import { createOpenai } from "./openai/index.ts";

const CREATE: Record<ProviderId, (role: Role, config: Choice, surroundings: Surroundings) => Provider> = {
  openai: (role, config, { env }) => createOpenai(endpointOf(role, config, env)),
  codex: (role, config, { env, home }) => createCodex(codexSettingsOf(role, config, env, home)),
  claude: (role, config, { env, home }) => createClaude(claudeSettingsOf(role, config, env, home)),
  offline: () => offline,
};

/** Those who can be asked, in their order. */
export interface Answerers {
  providers: readonly Provider[];
  /** Why others whom the configuration names cannot even be asked. */
  problems: readonly string[];
}

/** Who answers for `role`, and who stands in for it. */
export function chooseProviders(role: Role, config: Choice, surroundings: Surroundings): Answerers {
  const { ids, problems } = chainOf(role, config, surroundings);
  return { providers: ids.map((id) => CREATE[id](role, config, surroundings)), problems };
}
