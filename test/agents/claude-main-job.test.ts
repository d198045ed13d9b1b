/** The main job, and a death in the middle of it, with the real claude in the three real processes. */
import { describe } from "vitest";
import { findAgent } from "../support/agents.ts";
import { describeMainJob, KEY } from "../support/main-job.ts";

const found = findAgent("claude");

describe.skipIf("missing" in found)("the real program", () => {
  describeMainJob({
    provider: "claude",
    settings: ({ url }) => ({
      MIMIKIT_PROVIDER: "claude",
      MIMIKIT_CLAUDE_BIN: "bin" in found ? found.bin : "",
      MIMIKIT_CLAUDE_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    }),
  });
});
