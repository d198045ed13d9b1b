/** The line of docs/clients.md for codex: what the real codex keeps of it starts a server that answers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { findAgent } from "../support/agents.ts";
import { Instance } from "../support/instance.ts";
import { CLI } from "../support/programs.ts";

const found = findAgent("codex");

interface Kept {
  transport: { command: string; args: string[]; env: Record<string, string> };
}

describe.skipIf("missing" in found)("the real codex", () => {
  test("keeps mimikit mcp serve as a server, and that server answers", async () => {
    const mimikit = await Instance.start();
    onTestFinished(() => mimikit.dispose());
    const env = { ...process.env, CODEX_HOME: mkdtempSync(join(homedir(), "codex-")) };
    const codex = (...words: string[]) =>
      execFileSync("bin" in found ? found.bin : "", words, { env, encoding: "utf8" });
    const place = ["--env", `MIMIKIT_HOME=${mimikit.home}`, "--env", `MIMIKIT_WORK_DIR=${mimikit.workDir}`];
    codex("mcp", "add", "mimikit", ...place, "--", process.execPath, CLI, "mcp", "serve");
    const [kept] = JSON.parse(codex("mcp", "list", "--json")) as [Kept];

    const client = new Client({ name: "codex", version: "1" });
    await client.connect(new StdioClientTransport(kept.transport));
    onTestFinished(() => client.close());
    const { structuredContent } = await client.callTool({ name: "ask", arguments: { text: "run `echo $((20+2))`" } });
    expect(JSON.stringify(structuredContent)).toContain("22");
  });
});
