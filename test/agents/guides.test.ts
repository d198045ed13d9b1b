/** The workspace's own guides as the real codex and claude are shown them, in the three real processes. */
import { describe } from "vitest";
import { findAgent } from "../support/agents.ts";
import { describeGuides } from "../support/guides.ts";
import { KEY } from "../support/main-job.ts";

const codex = findAgent("codex");
const claude = findAgent("claude");

describe.skipIf("missing" in codex)("the real codex: AGENTS.md and CLAUDE.md of the workspace", () => {
  describeGuides({
    settings: ({ baseUrl }) => ({
      MIMIKIT_PROVIDER: "codex",
      MIMIKIT_CODEX_BIN: "bin" in codex ? codex.bin : "",
      MIMIKIT_CODEX_BASE_URL: baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    }),
  });
});

describe.skipIf("missing" in claude)("the real claude: AGENTS.md and CLAUDE.md of the workspace", () => {
  describeGuides({
    settings: ({ url }) => ({
      MIMIKIT_PROVIDER: "claude",
      MIMIKIT_CLAUDE_BIN: "bin" in claude ? claude.bin : "",
      MIMIKIT_CLAUDE_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    }),
  });
});
