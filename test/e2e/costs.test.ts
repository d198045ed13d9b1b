/** The cost of a turn in the three real processes, as counts: a change that makes it dearer has to say so here. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { costsOf } from "../support/costs.ts";
import { Instance, ROLE_NAMES, type RoleName } from "../support/instance.ts";

/** So often a turn is taken: half of them may cost more. */
const TURNS = 11;
/** Milliseconds between two looks that nobody asked for: few turns have one. No step of a turn waits for it. */
const TICK_MS = 10_000;
/** Seconds after which all directories are listed again: not within the test either. */
const REREAD_SEC = 3_600;

/** The most that a turn costs a process; the records exactly. */
interface Costs {
  records: number;
  /** Of files and directories. */
  syncs: number;
  /** Questions whether something is there and when it was changed. Changes share a tick: 68 to 106 by the gateway for an answer, the more the busier the machine. */
  looks: number;
  /** Directories that are listed: as well, the more the busier the machine (25 to 46 by the gateway in a delegated turn). */
  lists: number;
}

/** The records: what the user said, the task, the claim, the result, and the two in the archive. The pool lists the three directories of memory, and the history. */
const ANSWERED: Record<RoleName, Costs> = {
  supervisor: { records: 3, syncs: 6, looks: 45, lists: 3 },
  workers: { records: 2, syncs: 0, looks: 50, lists: 4 },
  gateway: { records: 1, syncs: 2, looks: 140, lists: 15 },
};
/**
 * Two turns, with a task of a Worker between them, whose tool call is in the usage. Each of the three runs lists the three
 * directories of memory, in which there is nothing. Its shell lists the records of adoption, and its temporary files are removed.
 * The supervisor looks whether the turn was cancelled before its task was queued, whether another result of the task is archived, and, behind
 * each record that it has created, whether that had lived already while the process stood still.
 */
const DELEGATED: Record<RoleName, Costs> = {
  supervisor: { records: 9, syncs: 21, looks: 140, lists: 3 },
  workers: { records: 8, syncs: 4, looks: 345, lists: 26 },
  gateway: { records: 1, syncs: 2, looks: 300, lists: 60 },
};

/** Modules that say of each provider whether it could answer, and none that answers. */
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

async function expectCosts(max: Record<RoleName, Costs>, turn: () => Promise<void>): Promise<void> {
  const costs = await costsOf(mimikit, TURNS, turn);
  for (const role of ROLE_NAMES) {
    const { records, syncs, looks, lists } = costs[role];
    expect([role, records]).toEqual([role, max[role].records]);
    expect(syncs, `syncs of ${role}`).toBeLessThanOrEqual(max[role].syncs);
    expect(looks, `looks of ${role}`).toBeLessThanOrEqual(max[role].looks);
    expect(lists, `lists of ${role}`).toBeLessThanOrEqual(max[role].lists);
  }
}

test("a message that is answered at once costs so many records, syncs, looks and lists, and no more", async () => {
  await expectCosts(ANSWERED, async () => {
    await mimikit.send("hello");
    await mimikit.drained();
  });
});

test("a message that has a task done, and its report, cost so many, and no more", async () => {
  await expectCosts(DELEGATED, async () => {
    await mimikit.send("run `true`");
    await mimikit.drained();
  });
});

test("where only the offline engine answers, no code of another provider is loaded but what says that it is not there", async () => {
  await mimikit.send("run `echo done by code`");
  await mimikit.replyWith("done by code");
  for (const role of ROLE_NAMES) {
    const { modules } = await mimikit.calls(role);
    expect(modules).toContainEqual(expect.stringMatching(/^apps\/.*\/main\.ts$/));
    expect([role, modules.filter((path) => OF_PROVIDERS.test(path)).sort()]).toEqual([role, LIGHT]);
    expect(modules.filter((path) => path.includes("@ai-sdk"))).toEqual([]);
  }
});
