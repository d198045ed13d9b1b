/** The main job, and a death in the middle of it, with the real codex in the three real processes. */
import { describe } from "vitest";
import { findAgent } from "../support/agents.ts";
import { describeMainJob, KEY } from "../support/main-job.ts";

const found = findAgent("codex");

describe.skipIf("missing" in found)("the real program", () => {
  describeMainJob({
    provider: "codex",
    settings: ({ baseUrl }) => ({
      MIMIKIT_PROVIDER: "codex",
      MIMIKIT_CODEX_BIN: "bin" in found ? found.bin : "",
      MIMIKIT_CODEX_BASE_URL: baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    }),
  });
});
