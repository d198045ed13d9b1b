/** The MCP inspector, as its users call it on the command line, finds and calls the tools of `mimikit mcp serve`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { CLI } from "../support/programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const INSPECTOR = join(ROOT, "node_modules/.agents/node_modules/@modelcontextprotocol/inspector");
const isThere = existsSync(INSPECTOR);

describe.skipIf(!isThere)("mcp-inspector --cli", () => {
  let mimikit: Instance;
  beforeAll(async () => {
    mimikit = await Instance.start();
  });
  afterAll(() => mimikit.dispose());

  async function inspect(...words: string[]): Promise<{ code: number | null; answer: Record<string, unknown> }> {
    const { bin } = JSON.parse(readFileSync(join(INSPECTOR, "package.json"), "utf8")) as {
      bin: Record<string, string>;
    };
    const program = join(INSPECTOR, bin["mcp-inspector"] ?? "");
    const server = [process.execPath, CLI, "mcp", "serve"];
    const place = ["-e", `MIMIKIT_HOME=${mimikit.home}`, "-e", `MIMIKIT_WORK_DIR=${mimikit.workDir}`];
    const child = spawn(process.execPath, [program, "--cli", ...place, ...server, ...words], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
    return { code: child.exitCode, answer: JSON.parse(out) as Record<string, unknown> };
  }

  test("lists the tools, and finds nothing in their schemas that some client could not read", async () => {
    const { code, answer } = await inspect("--method", "tools/list", "--strict");
    const names = (answer.tools as { name: string }[]).map(({ name }) => name);
    expect([code, names]).toEqual([0, ["ask", "remember", "search", "tasks", "schedule"]]);
  });

  test("asks, and is answered", async () => {
    const call = ["--method", "tools/call", "--tool-name", "ask", "--tool-arg", "text=run `echo $((20+2))`"];
    const { structuredContent } = (await inspect(...call)).answer;
    expect(structuredContent).toMatchObject({ state: "complete" });
    expect(JSON.stringify(structuredContent)).toContain("22");
  });

  test("is told what is wrong", async () => {
    const call = ["--method", "tools/call", "--tool-name", "schedule", "--tool-arg", "prompt=never"];
    expect((await inspect(...call)).answer).toMatchObject({ isError: true });
  });
});
