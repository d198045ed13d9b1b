/** The workspace's own guides as a Worker of a model endpoint is shown them. */
import { describe } from "vitest";
import { describeGuides } from "../support/guides.ts";
import { KEY } from "../support/main-job.ts";

describe("a model endpoint: AGENTS.md and CLAUDE.md of the workspace", () => {
  describeGuides({
    settings: ({ baseUrl }) => ({
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    }),
  });
});
