/** codex promises what every provider promises: the real program, against a scripted endpoint. */

import { Config } from "@mimikit/runtime/config/config";
import { describe } from "vitest";
import { createCodex } from "../../packages/agent/src/providers/codex/index.ts";
import { codexSettingsOf } from "../../packages/agent/src/providers/codex/settings.ts";
import { describeProvider } from "../conformance/provider-suite.ts";
import { environmentOf, findAgent } from "../support/agents.ts";

describe.skipIf("missing" in findAgent("codex"))("the real program", () => {
  describeProvider({
    name: "codex",
    kind: "agent CLI",
    create: ({ baseUrl }, { role, silenceMs, home }) => {
      const config = Config.parse({ model: "scripted", codex: { baseUrl } });
      return createCodex({
        ...codexSettingsOf(role, config, { home, env: environmentOf("codex"), keys: {} }),
        idleMs: silenceMs,
      });
    },
  });
});
