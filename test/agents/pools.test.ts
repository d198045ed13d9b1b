/** The main job on two other machines, with a real redis-server: the real codex works on one, the real claude on the other. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { findAgent } from "../support/agents.ts";
import { CHAIN, call, KEY } from "../support/main-job.ts";
import { type ModelRequest, ModelServer } from "../support/model-server.ts";
import { startPools } from "../support/pools.ts";

const codex = findAgent("codex");
const claude = findAgent("claude");
const hasAll = "bin" in codex && "bin" in claude && findProgram("redis-server") !== null;

const codexSettings = ({ baseUrl }: ModelServer) => ({
  MIMIKIT_PROVIDER: "codex",
  MIMIKIT_CODEX_BIN: "bin" in codex ? codex.bin : "",
  MIMIKIT_CODEX_BASE_URL: baseUrl,
  OPENAI_API_KEY: KEY,
  MIMIKIT_MODEL: "scripted",
});
const claudeSettings = ({ url }: ModelServer) => ({
  MIMIKIT_PROVIDER: "claude",
  MIMIKIT_CLAUDE_BIN: "bin" in claude ? claude.bin : "",
  MIMIKIT_CLAUDE_BASE_URL: url,
  ANTHROPIC_API_KEY: KEY,
  MIMIKIT_MODEL: "scripted",
});

/** The chain of the main job, each step on a machine of its own. */
function planner({ results }: ModelRequest) {
  const [first] = results;
  if (first === undefined) return call("delegate", { title: "Say it", prompt: "the first step", pool: "one" });
  if (results.length > 1) return { say: "" };
  const taskId = /\bt-[\d.]+\d/.exec(first)?.[0] ?? "";
  const condition = { type: "task_done", params: { taskId } };
  return call("delegate", { title: "Count it", prompt: "the second step", condition, pool: "two" });
}

describe.runIf(hasAll)("a home with two machines", () => {
  test("has a chain done by codex on one and claude on the other, once, though the first is killed in the middle of its command", async () => {
    const model = await ModelServer.start({ ...CHAIN, planner });
    onTestFinished(() => model.close());
    const pools = await startPools({ env: codexSettings(model) });
    onTestFinished(() => pools.dispose());
    const { mimikit } = pools;
    const one = await pools.join("one", [], codexSettings(model));
    const two = await pools.join("two", [], claudeSettings(model));
    const id = await mimikit.send("Say something and count it.");
    await mimikit.until("the command", () => existsSync(join(one.workDir, "started")) || undefined);
    await one.kill();
    writeFileSync(join(one.workDir, "go"), "");
    const report = await mimikit.replyWith("It has 3 words.");
    expect(report.text).toContain("one two three");
    await mimikit.drained();
    const replies = await mimikit.replies();
    expect(replies.filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
    expect(replies.filter((reply) => reply.text.includes("This came of it"))).toHaveLength(1);
    expect((await mimikit.tasks()).filter((task) => task.role === "worker")).toHaveLength(2);
    const programsOf = (step: string) => [
      ...new Set(
        model
          .of("worker")
          .filter(({ prompt }) => prompt.includes(step))
          .map(({ headers }) => /codex|claude/.exec(headers["user-agent"] ?? "")?.[0]),
      ),
    ];
    expect(programsOf("the first step")).toEqual(["codex"]);
    expect(programsOf("the second step")).toEqual(["claude"]);
    expect(model.unknown).toEqual([]);
    expect(existsSync(join(mimikit.workDir, "started"))).toBe(false);
    for (const machine of [one, two])
      await mimikit.until(`nothing is left on ${machine.name}`, async () => {
        const children = await machine.children();
        return (children.length === 0 && readdirSync(join(machine.home, "away")).length === 0) || undefined;
      });
  });
});
