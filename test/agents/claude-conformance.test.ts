/** claude promises what every provider promises: the real program, against a scripted endpoint. */

import { Config } from "@mimikit/runtime/config/config";
import { describe } from "vitest";
import { createClaude } from "../../packages/agent/src/providers/claude/index.ts";
import { claudeSettingsOf } from "../../packages/agent/src/providers/claude/settings.ts";
import { describeProvider } from "../conformance/provider-suite.ts";
import { environmentOf, findAgent } from "../support/agents.ts";

describe.skipIf("missing" in findAgent("claude"))("the real program", () => {
  describeProvider({
    name: "claude",
    kind: "agent CLI",
    create: ({ url }, { role, silenceMs, home }) => {
      const config = Config.parse({ model: "scripted", claude: { baseUrl: url } });
      return createClaude({
        ...claudeSettingsOf(role, config, { home, env: environmentOf("claude"), keys: {} }),
        idleMs: silenceMs,
      });
    },
  });
});
