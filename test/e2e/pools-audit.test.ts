/** The tool calls of remote runs, in the audit log and the usage of their home, with a real redis-server and real processes (docs/pools.md). */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { ModelServer } from "../support/model-server.ts";
import { type Machine, type Pools, startPools } from "../support/pools.ts";
import { modelSettings } from "../support/start-with-model.ts";

const hasRedis = findProgram("redis-server") !== null;
const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });

describe.runIf(hasRedis)("a home with a machine that has a model", () => {
  let pools: Pools;
  let machine: Machine;
  let model: ModelServer;
  beforeAll(async () => {
    pools = await startPools({ env: { MIMIKIT_AUTONOMY: "full" } });
    model = await ModelServer.start({
      worker: ({ results, prompt }) => {
        if (results.length === 0) return bash("echo one");
        if (results.length === 1) return bash("false");
        if (prompt.includes("attempt: 2") || !prompt.includes("wait")) return { say: "It is done." };
        return bash("touch started; sleep 600");
      },
    });
    machine = await pools.join("box", [], modelSettings(model));
  });
  afterAll(async () => {
    await pools.dispose();
    await model.close();
  });

  const order = async (command: string) => {
    const body = { text: `run \`${command}\``, pool: "box" };
    const { id } = await pools.mimikit.api<{ id: string }>("/api/input", { method: "POST", body });
    return `${(await pools.mimikit.replyTo(id)).taskIds?.[0]}.0`;
  };
  const done = (id: string) =>
    pools.mimikit.until(`${id} is done`, async () => {
      const task = await pools.mimikit.task(id);
      return task.state === "done" ? task : undefined;
    });
  const linesOf = (pattern: string) =>
    globSync(join(pools.mimikit.home, pattern)).flatMap((path) =>
      readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    );
  const callsOf = (id: string) =>
    linesOf("log.dispatcher.jsonl").filter(({ event, taskId }) => event === "tool_call" && taskId === id);
  const usageOf = (id: string) => linesOf("usage/*.jsonl").filter(({ taskId }) => taskId === id);

  test("each tool call there is a line of the audit log here, and counts in the usage, as a local one does", async () => {
    const id = await order("echo go");
    await done(id);
    const common = { taskId: id, traceId: id.split(".")[0], attempts: 1, durationMs: expect.any(Number) };
    const detail = { tool: "bash", requestId: expect.any(String), ok: true, pool: "box" };
    expect(callsOf(id)).toMatchObject([
      { ...common, detail: { ...detail, call: 1 } },
      { ...common, detail: { ...detail, call: 2 } },
    ]);
    expect(usageOf(id)).toMatchObject([{ attempt: 1, tools: { bash: { calls: 2, failed: 0 } } }]);
  });

  test("the machine and the dispatcher are killed: the calls that were made are told, and none of them twice", async () => {
    const id = await order("echo wait");
    await pools.mimikit.until("the third call", () => existsSync(join(machine.workDir, "started")) || undefined);
    await Promise.all([machine.kill(), pools.mimikit.kill("dispatcher")]);
    expect((await done(id)).attempts).toBe(2);
    const told = callsOf(id).map(({ attempts, detail: { call } }) => `${attempts}.${call}`);
    expect(told.slice(0, 2)).toEqual(["1.1", "1.2"]);
    expect(new Set(told).size).toBe(told.length);
  });
});
