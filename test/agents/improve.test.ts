/** Self-improvement with the real agent CLIs as Workers, through the real processes: their own sandboxes keep the user's tree, too. */
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { Improvement } from "@mimikit/protocol/wire/api";
import { afterEach, describe, expect, test } from "vitest";
import { AGENT_NAMES, findAgent } from "../support/agents.ts";
import { FINDS, IMPROVES, settingsOf } from "../support/improve-script.ts";
import { Instance } from "../support/instance.ts";
import { ModelServer, type Script } from "../support/model-server.ts";
import { fingerprint, git, leftIn, makeDirty, makeRepository } from "../support/user-tree.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const sandbox = await findSandbox();
if ("missing" in sandbox) process.stdout.write(`self-improvement is not tested: ${sandbox.missing}\n`);

describe.each(AGENT_NAMES)("on the real %s", (name) => {
  const agent = findAgent(name);
  test.skipIf("missing" in agent || "missing" in sandbox)(
    "what is found is done in a worktree, and neither the look nor the work can change the user's tree",
    async () => {
      let userDir = "";
      const script: Script = {
        ...IMPROVES,
        worker: (request) => {
          const isLook =
            !request.prompt.includes("Write project.") &&
            !request.messages.some(({ content }) => content.includes("Write project."));
          const reach = `cd '${userDir}' && touch reached; git add -A; git stash; git update-ref refs/heads/mine HEAD; cd - > /dev/null`;
          if (request.turn === 0)
            return {
              calls: [{ shell: isLook ? reach : `${reach}; printf '# A project\\n' > README.md; git status --short` }],
            };
          return { say: isLook ? JSON.stringify(FINDS) : "The README says project now." };
        },
      };
      const model = await ModelServer.start(script);
      opened.push({ dispose: () => model.close() });
      const { bin } = agent as { bin: string };
      const cli: Record<string, string> =
        name === "codex"
          ? { MIMIKIT_CODEX_BIN: bin, MIMIKIT_CODEX_BASE_URL: model.baseUrl }
          : {
              MIMIKIT_CLAUDE_BIN: bin,
              MIMIKIT_CLAUDE_BASE_URL: model.url,
              ANTHROPIC_API_KEY: "sk-for-a-scripted-endpoint",
            };
      const env = { ...settingsOf(model), ...cli, MIMIKIT_PROVIDER_WORKER: name };
      const mimikit = await Instance.start({ env, hasClock: true, roles: [] });
      opened.unshift(mimikit);
      userDir = mimikit.workDir;
      makeRepository(userDir);
      makeDirty(userDir);
      const before = fingerprint(userDir);
      for (const role of ["supervisor", "workers", "gateway"] as const) mimikit.startRole(role);
      await mimikit.ready();
      mimikit.setClock(6 * 60_000);
      const improvement = await mimikit.until("the end of the improvement", async () => {
        const { improvements } = await mimikit.api<{ improvements: Improvement[] }>("/api/improvements");
        return improvements.find(({ endedAt }) => endedAt !== undefined);
      });
      expect(improvement).toMatchObject({ state: "branch", branch: "self-improve/imp-000001" });
      expect(improvement.change?.files).toEqual([{ path: "README.md", action: "changed" }]);
      expect(git(userDir, "show", "self-improve/imp-000001:README.md")).toBe("# A project");
      expect(leftIn(userDir).worktrees).toEqual([]);
      expect(fingerprint(userDir)).toEqual(before);
      expect(model.unknown).toEqual([]);
    },
  );
});
