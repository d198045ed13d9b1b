/** What a turn costs the three real processes, as counts: whoever makes it dearer has to say so here. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { costsOf } from "../support/costs.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

/** So often a turn is taken: half of them may cost more. */
const TURNS = 11;
/** Milliseconds between two looks that nobody asked for: few turns have one. No step of a turn waits for it. */
const TICK_MS = 10_000;
/** Seconds after which all directories are listed again: not within the test either. */
const REREAD_SEC = 3_600;

/** The records of a turn: what the user said, the task, the claim, the result, and the two in the archive. */
const RECORDS = { supervisor: 3, workers: 2, gateway: 1 };
/** Syncs of files and directories in a turn, at most. */
const SYNCS_MAX = { supervisor: 5, workers: 2, gateway: 2 };
/** Questions whether something is there and when it was changed, in a turn, at most: the faster the machine, the fewer changes share a tick. */
const LOOKS_MAX = { supervisor: 45, workers: 45, gateway: 100 };
/** Directories listed in a turn, at most. */
const LISTS_MAX = { supervisor: 3, workers: 3, gateway: 20 };

/** What says of each provider whether it could answer, and nothing that answers. */
const LIGHT = [
  "kernel/capabilities.ts",
  "providers/agent-cli/find-binary.ts",
  "providers/anthropic/vendor.ts",
  "providers/claude/settings.ts",
  "providers/codex/settings.ts",
  "providers/endpoint/native.ts",
  "providers/endpoint/place.ts",
  "providers/google/vendor.ts",
  "providers/openai/endpoint.ts",
].map((path) => `packages/agent/src/${path}`);
const OF_PROVIDERS = /^packages\/agent\/src\/(kernel|providers\/(?!offline\/).*)\//;

let mimikit: Instance;
beforeAll(async () => {
  mimikit = await Instance.start({
    countsCalls: true,
    env: {
      // As without any setting: who answers is found out, and nobody is there but the offline engine.
      MIMIKIT_PROVIDER: "auto",
      OPENAI_API_KEY: "",
      OPENAI_BASE_URL: "",
      ANTHROPIC_API_KEY: "",
      GOOGLE_GENERATIVE_AI_API_KEY: "",
      GEMINI_API_KEY: "",
      MIMIKIT_TICK_MS: String(TICK_MS),
      MIMIKIT_REREAD_SEC: String(REREAD_SEC),
    },
  });
});
afterAll(() => mimikit.dispose());

test("a message that is answered at once costs so many records, syncs, looks and lists, and no more", async () => {
  const costs = await costsOf(mimikit, TURNS, async () => {
    await mimikit.send("hello");
    await mimikit.drained();
  });
  for (const role of ROLE_NAMES) {
    const { records, syncs, looks, lists } = costs[role];
    expect([role, records]).toEqual([role, RECORDS[role]]);
    expect(syncs, `syncs of ${role}`).toBeLessThanOrEqual(SYNCS_MAX[role]);
    expect(looks, `looks of ${role}`).toBeLessThanOrEqual(LOOKS_MAX[role]);
    expect(lists, `lists of ${role}`).toBeLessThanOrEqual(LISTS_MAX[role]);
  }
});

test("where only the offline engine answers, no code of another provider is loaded but what says that it is not there", async () => {
  await mimikit.send("run `echo done by code`");
  await mimikit.replyWith("done by code");
  for (const role of ROLE_NAMES) {
    const { imported } = await mimikit.calls(role);
    expect(imported).toContainEqual(expect.stringMatching(/^apps\/.*\/main\.ts$/));
    expect([role, imported.filter((path) => OF_PROVIDERS.test(path)).sort()]).toEqual([role, LIGHT]);
    expect(imported.filter((path) => path.includes("@ai-sdk"))).toEqual([]);
  }
});
