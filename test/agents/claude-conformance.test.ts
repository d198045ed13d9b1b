/** claude promises what every provider promises: the real program, against a scripted endpoint. */
import { createClaude } from "@mimikit/agent/providers/claude/index";
import { claudeSettingsOf } from "@mimikit/agent/providers/claude/settings";
import { Config } from "@mimikit/runtime/config";
import { describe } from "vitest";
import { describeProvider } from "../conformance/provider-suite.ts";
import { environmentOf, findAgent } from "../support/agents.ts";

describe.skipIf("missing" in findAgent("claude"))("the real program", () => {
  describeProvider({
    name: "claude",
    kind: "agent CLI",
    create: ({ url }, { role, silenceMs, home }) => {
      const config = Config.parse({ model: "scripted", claude: { baseUrl: url } });
      return createClaude({ ...claudeSettingsOf(role, config, environmentOf("claude"), home), idleMs: silenceMs });
    },
  });
});
