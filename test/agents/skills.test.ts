/** Skills on the real agent CLIs, against a scripted endpoint: they can be read, and a read-only one changes nothing. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@mimikit/agent/provider";
import { findSkills, skillPlacesOf } from "@mimikit/agent/skills/skills";
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
    "a read-only skill is read, and the run that follows it writes nothing and reaches no server",
    async () => {
      const workDir = temporaryDirectory();
      const home = join(workDir, ".mimikit");
      const folder = join(home, "skills", "look");
      for (const dir of ["sessions", "runs"]) mkdirSync(join(home, dir), { recursive: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(home, "token"), "not to be seen");
      const level = "metadata:\n  level: read-only\n";
      writeFileSync(
        join(folder, "SKILL.md"),
        `---\nname: look\ndescription: How to look.\n${level}---\nWrite it down.\n`,
      );
      const model: ModelServer = await ModelServer.start({
        worker: ({ turn, prompt }) => {
          if (turn > 0) return { say: "Nothing was written." };
          const [, path = ""] = /name: look, level: read-only, path: (\S+)/.exec(prompt) ?? [];
          const call = `'${process.execPath}' -e 'fetch("${model.url}").catch(() => console.log("unreachable"))'`;
          return {
            calls: [{ shell: `cat ${path}; cat ${join(home, "token")}; echo x > new.txt; ${call}; echo ended` }],
          };
        },
      });
      onTestFinished(() => model.close());
      const { skills } = await findSkills(skillPlacesOf({ home, workDir }, { HOME: home }));
      const task = taskOf({
        id: "t-000007.0.0",
        role: "worker",
        prompt: "look",
        skill: { name: "look", level: "read-only" },
      });
      const ran = await run(task, { provider: providerOf(name, model, home), workDir, home, context: { skills } });
      expect(ran).toMatchObject({ status: "done", result: { text: "Nothing was written." } });
      const [first, second] = model.of("worker");
      for (const writes of ["Edit", "Write"]) expect(first?.tools).not.toContain(writes);
      expect(second?.results.at(-1)).toMatch(/Write it down\.[\s\S]*unreachable[\s\S]*ended/);
      expect(second?.results.at(-1)).not.toContain("not to be seen");
      expect(existsSync(join(workDir, "new.txt"))).toBe(false);
      expect(model.unknown).toEqual([]);
    },
  );
});
