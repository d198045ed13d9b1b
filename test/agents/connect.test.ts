/** The real codex and claude are connected from nothing, by the command line, and go on answering after everything was killed. */
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { type AgentName, findAgent } from "../support/agents.ts";
import { expectKept, expectSecret, CONNECT_KEY as KEY, REPLY, startUnconnected } from "../support/connected.ts";
import { ModelServer } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const programs: readonly [AgentName, string, (model: ModelServer) => string][] = [
  ["codex", "MIMIKIT_CODEX_BIN", ({ baseUrl }) => baseUrl],
  ["claude", "MIMIKIT_CLAUDE_BIN", ({ url }) => url],
];

for (const [name, variable, urlOf] of programs) {
  const found = findAgent(name);
  describe.skipIf("missing" in found)(`the real ${name}`, () => {
    const program = { [variable]: "bin" in found ? found.bin : "" };

    async function start() {
      const model = await ModelServer.start({ teller: [{ say: REPLY }] });
      opened.push({ dispose: () => model.close() });
      const mimikit = await startUnconnected({ env: program });
      opened.unshift(mimikit);
      return { model, mimikit };
    }

    test("is connected with a key from the pipe, tried with one turn, and kept", async () => {
      const { model, mimikit } = await start();
      const words = ["connect", name, "--url", urlOf(model), "--model", "scripted", "--key-stdin"];
      const said = await runCli(mimikit, words, KEY, program);
      expect(said).toMatchObject({ code: 0, error: "" });
      expect(said.out).toMatch(/✓ scripted answered in .* s, calls tools/);
      expect(said.out).toContain(`${name} · scripted answers for all roles`);
      expect(model.of("teller")).toHaveLength(1);
      expectSecret(mimikit);
      await expectKept(mimikit, name, [said]);
      expect(new Set(model.of("teller").map((request) => request.model))).toEqual(new Set(["scripted"]));
    });

    test("is told to be refused where its key is, and nothing is saved", async () => {
      const { model, mimikit } = await start();
      model.script = { teller: [{ status: 401, body: { error: { message: "invalid x-api-key" } } }] };
      const words = ["connect", name, "--url", urlOf(model), "--model", "scripted", "--key-stdin", "--json"];
      const said = await runCli(mimikit, words, KEY, program);
      expect(said.code).toBe(1);
      expect(JSON.parse(said.out)).toMatchObject({ saved: false, problem: { cause: "key" } });
      expect(said.out + said.error).not.toContain(KEY);
      expect((await mimikit.ready()).providers.teller).toBe("offline");
    });
  });
}
