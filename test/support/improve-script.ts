/** A model that finds a mistake in the README, corrects it, passes the change and tells of it. */
import { section } from "./main-job.ts";
import type { ModelServer, Script } from "./model-server.ts";

export const FINDS = {
  found: true,
  kind: "docs",
  title: "correct the README",
  prompt: "Write project.",
  why: "It says projet.",
};

export const IMPROVES: Script = {
  teller: (request) => ({ say: section("events", request) === "" ? "At your service." : "I have improved something." }),
  worker: (request) => {
    if (!request.prompt.includes("Write project.")) return { say: JSON.stringify(FINDS) };
    if (request.turn === 0) return { calls: [{ shell: "printf '# A project\\n' > README.md; git status --short" }] };
    return { say: "The README says project now." };
  },
  reviewer: [{ say: '{"pass": true, "reasons": ["It does what it should."]}' }],
};

/** Self-improvement with the scripted model. */
export function settingsOf({ baseUrl }: ModelServer): Record<string, string> {
  return {
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: "sk-for-a-scripted-endpoint",
    MIMIKIT_MODEL: "scripted",
    MIMIKIT_SELF_IMPROVE_ENABLED: "true",
  };
}
