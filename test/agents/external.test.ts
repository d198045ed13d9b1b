/** Tools from outside on the real agent CLIs: through our server and the pool, also where the CLI is in the sandbox. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExternalTools } from "@mimikit/agent/mcp/external-tools";
import type { Provider } from "@mimikit/agent/provider";
import { Config } from "@mimikit/runtime/config/config";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClaude } from "../../packages/agent/src/providers/claude/index.ts";
import { claudeSettingsOf } from "../../packages/agent/src/providers/claude/settings.ts";
import { createCodex } from "../../packages/agent/src/providers/codex/index.ts";
import { codexSettingsOf } from "../../packages/agent/src/providers/codex/settings.ts";
import { messageOf, run, taskOf, temporaryDirectory, turnOf } from "../agent/fixtures.ts";
import { AGENT_NAMES, type AgentName, environmentOf, findAgent } from "../support/agents.ts";
import { odd, writeMcpFile } from "../support/mcp-servers.ts";
import { ModelServer } from "../support/model-server.ts";

function providerOf(name: AgentName, { url, baseUrl }: ModelServer, home: string): Provider {
  const env = environmentOf(name);
  const config = Config.parse({ model: "scripted", codex: { baseUrl }, claude: { baseUrl: url } });
  return name === "codex"
    ? createCodex(codexSettingsOf("worker", config, { home, env, keys: {} }))
    : createClaude(claudeSettingsOf("worker", config, { home, env, keys: {} }));
}

describe.each(AGENT_NAMES)("on the real %s", (name) => {
  test.skipIf("missing" in findAgent(name)).each(["worker", "teller"] as const)(
    "a %s calls a tool of an MCP server once, and the call is noted by its name",
    async (role) => {
      const workDir = temporaryDirectory();
      const home = join(workDir, ".mimikit");
      for (const dir of ["sessions", "runs", "locks"]) mkdirSync(join(home, dir), { recursive: true });
      writeFileSync(join(home, "token"), "not to be seen");
      const made = join(temporaryDirectory(), "calls");
      writeMcpFile(home, { odd: { ...odd({ CALLS: made }), mimikit: { roles: ["worker", "teller"] } } });
      const model = await ModelServer.start({
        [role]: [
          { calls: [{ name: "odd__say", args: { text: "plum" } }] },
          { calls: [{ name: "odd__say", args: { text: "fail" } }] },
          { say: "It was said." },
        ],
      });
      onTestFinished(() => model.close());
      const task =
        role === "worker"
          ? taskOf({ id: "t-000007.0.0", role, prompt: "say it" })
          : turnOf({ messages: [messageOf("say it")] });
      const env = { MIMIKIT_HOME: home };
      const onNothing = () => undefined;
      const tools = new ExternalTools({
        home,
        workDir,
        env,
        sandbox: () => "auto",
        onChange: onNothing,
        onProblem: (problem) => expect.fail(problem),
      });
      onTestFinished(() => tools.close());
      const { signal } = new AbortController();
      const place = { task, home, workDir, runDir: join(home, "runs"), sandbox: "auto" as const, environment: {} };
      const external = await tools.of(place, signal);
      const ran = await run(task, { provider: providerOf(name, model, home), workDir, home, external });

      expect(ran.error).toBeUndefined();
      const requests = model.of(role);
      expect(requests.at(-1)?.results.join("\n")).toMatch(/said plum[\s\S]*it failed/);
      expect(readFileSync(made, "utf8")).toBe("say plum\nsay fail\n");
      const noted = ran.calls.filter(({ tool }) => tool === "odd__say");
      expect(noted.map(({ ok }) => ok)).toEqual([true, false]);
    },
  );
});
