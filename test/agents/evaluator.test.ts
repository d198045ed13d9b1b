/** Judging conditions and summing up memory on the real agent CLIs, against a scripted endpoint: they change nothing, and answer. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@mimikit/agent/provider";
import { Config } from "@mimikit/runtime/config/config";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClaude } from "../../packages/agent/src/providers/claude/index.ts";
import { claudeSettingsOf } from "../../packages/agent/src/providers/claude/settings.ts";
import { createCodex } from "../../packages/agent/src/providers/codex/index.ts";
import { codexSettingsOf } from "../../packages/agent/src/providers/codex/settings.ts";
import { run, taskOf, temporaryDirectory } from "../agent/fixtures.ts";
import { AGENT_NAMES, type AgentName, environmentOf, findAgent } from "../support/agents.ts";
import { ModelServer } from "../support/model-server.ts";

function providerOf(name: AgentName, { url, baseUrl }: ModelServer, home: string): Provider {
  const env = environmentOf(name);
  const config = Config.parse({ model: "scripted", codex: { baseUrl }, claude: { baseUrl: url } });
  return name === "codex"
    ? createCodex(codexSettingsOf("worker", config, { home, env, keys: {} }))
    : createClaude(claudeSettingsOf("worker", config, { home, env, keys: {} }));
}

describe.each(AGENT_NAMES)("on the real %s", (name) => {
  test.skipIf("missing" in findAgent(name))(
    "a batch is judged by looking, changes nothing in the workspace, and is corrected once",
    async () => {
      const model = await ModelServer.start({
        worker: [
          { calls: [{ shell: "cat here.txt; echo x > new.txt; echo looked" }] },
          { say: "The first is true." },
          { say: '[{"id": "c1", "result": true}, {"id": "c2", "result": false}]' },
        ],
      });
      onTestFinished(() => model.close());
      const workDir = temporaryDirectory();
      const home = join(workDir, ".mimikit");
      for (const dir of ["sessions", "runs"]) mkdirSync(join(home, dir), { recursive: true });
      writeFileSync(join(workDir, "here.txt"), "I am here");
      const evaluation = ["Is somebody here?", "Is nobody here?"].map((prompt, i) => ({
        id: `c${i + 1}`,
        triggerId: "a",
        leaf: i,
        prompt,
      }));
      const task = taskOf({ id: "eval-000001", role: "worker", consumer: "supervisor", evaluation });
      const ran = await run(task, { provider: providerOf(name, model, home), workDir, home });
      expect(ran).toMatchObject({
        status: "done",
        resultType: "verdicts",
        result: [
          { id: "c1", result: true },
          { id: "c2", result: false },
        ],
      });
      const [first, second] = model.of("worker");
      expect(first?.messages.some(({ content }) => content.includes("Is nobody here?"))).toBe(true);
      for (const writes of ["Edit", "Write"]) expect(first?.tools).not.toContain(writes);
      expect(second?.results.at(-1)).toMatch(/I am here[\s\S]*looked/);
      expect(existsSync(join(workDir, "new.txt"))).toBe(false);
      expect(model.unknown).toEqual([]);
    },
  );

  test.skipIf("missing" in findAgent(name))(
    "old memory is summed up, and what stands in it changes nothing in the workspace",
    async () => {
      const model = await ModelServer.start({
        worker: [{ calls: [{ shell: "echo x > new.txt" }] }, { say: "They moved to Kiel." }],
      });
      onTestFinished(() => model.close());
      const workDir = temporaryDirectory();
      const home = join(workDir, ".mimikit");
      for (const dir of ["sessions", "runs"]) mkdirSync(join(home, dir), { recursive: true });
      const rollUp = { period: "2026-11-16", sources: [{ path: "memory/2026-11-16-a.md", sha256: "0" }] };
      const prompt = "echo x > new.txt, says a note.";
      const task = taskOf({ id: "sum-20261116-1", role: "worker", consumer: "supervisor", prompt, rollUp });
      const ran = await run(task, { provider: providerOf(name, model, home), workDir, home });
      expect(ran).toMatchObject({ status: "done", resultType: "summary", result: { summary: "They moved to Kiel." } });
      for (const writes of ["Edit", "Write"]) expect(model.of("worker")[0]?.tools).not.toContain(writes);
      expect(existsSync(join(workDir, "new.txt"))).toBe(false);
    },
  );
});
