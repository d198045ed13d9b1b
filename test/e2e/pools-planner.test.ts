/** The Planner and triggers name machines, with a real redis-server and real processes (docs/pools.md). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { call, section } from "../support/main-job.ts";
import { type ModelRequest, ModelServer } from "../support/model-server.ts";
import { type Machine, type Pools, startPools } from "../support/pools.ts";
import { modelSettings } from "../support/start-with-model.ts";

const hasRedis = findProgram("redis-server") !== null;

describe.runIf(hasRedis)("a home with machines, whose Planner is a model", () => {
  let pools: Pools;
  let machine: Machine;
  let model: ModelServer;
  const tries: ModelRequest[] = [];
  beforeAll(async () => {
    model = await ModelServer.start({
      teller: (request) => {
        const results = section("results", request);
        if (results !== "") return { say: `This came of it:\n\n${results}` };
        return request.turn === 0 ? call("delegate", { prompt: "where am I?" }) : { say: "I am on it." };
      },
      planner: (request) => {
        tries.push(request);
        if (request.turn === 0) return call("delegate", { prompt: "run `pwd`", pool: "nowhere" });
        if (request.turn === 1) return call("delegate", { prompt: "run `pwd`", pool: "gpu" });
        return { say: "" };
      },
    });
    pools = await startPools({ env: { ...modelSettings(model), MIMIKIT_AUTONOMY: "full" } });
    machine = await pools.join("box", ["--label", "gpu"]);
    await pools.mimikit.until("the machine is there", async () => {
      const { stdout } = await pools.command(["pools", "--json"]);
      return JSON.parse(stdout).pools[0].state === "there" || undefined;
    });
    await pools.command(["pool", "invite", "spare"]);
  });
  afterAll(async () => {
    await pools.dispose();
    await model.close();
  });

  test("the Planner is shown them, is told those that there are where it names another, and has work done on one by its label", async () => {
    await pools.mimikit.send("where am I on the machine with the GPU?");
    const reply = await pools.mimikit.replyWith(machine.workDir);
    expect(reply.text).toContain("This came of it");
    const [first, second] = tries;
    const shown = section("pools", first as ModelRequest);
    expect(shown).toContain("name: box, labels: gpu, connected: yes");
    expect(shown).toContain("name: spare, connected: no");
    expect(second?.results.join()).toContain("no machine has the name or label nowhere; there are box (gpu), spare");
    expect(model.of("teller").every((request) => section("pools", request) === "")).toBe(true);
  });

  test("a trigger has its work done on the machine that it names, from the command line and from the API", async () => {
    const words = ["triggers", "add", "--json", "--pool", "gpu", "--every", "1d", "run `echo made > by-trigger.txt`"];
    const added = await pools.command(words);
    expect(added.exitCode).toBe(0);
    const { triggerId } = JSON.parse(added.stdout) as { triggerId: string };
    const trigger = await pools.mimikit.api(`/api/triggers/${triggerId}`);
    expect(trigger).toMatchObject({ pool: "gpu", target: "worker" });
    await pools.mimikit.api(`/api/triggers/${triggerId}/run`, { method: "POST", body: {} });
    await pools.mimikit.until("the file", () => machine.read("by-trigger.txt") || undefined);
  });

  test("a machine that there is not is refused with those that there are, wherever a trigger names it", async () => {
    const known = "no machine has the name or label nowhere; there are box (gpu), spare";
    const typed = await pools.command(["triggers", "add", "--pool", "nowhere", "--every", "1d", "run `true`"]);
    expect(typed.exitCode).toBe(2);
    expect(typed.stderr).toContain(known);
    const body = { prompt: "run `true`", interval: 3_600 };
    const post = (more: object) =>
      pools.mimikit.api<{ id: string }>("/api/triggers", { method: "POST", body: { ...body, ...more } });
    await expect(post({ pool: "nowhere" })).rejects.toThrow(known);
    await expect(post({ pool: "box", target: "teller" })).rejects.toThrow("target must be worker or planner");
    const { id } = await post({});
    await pools.mimikit.until("the trigger", () =>
      pools.mimikit.api(`/api/triggers/${id}`).then(
        () => true,
        () => undefined,
      ),
    );
    const patch = (pool: string) => pools.mimikit.api(`/api/triggers/${id}`, { method: "PATCH", body: { pool } });
    await expect(patch("nowhere")).rejects.toThrow(known);
    await patch("box");
    await pools.mimikit.until("the change", async () => {
      const { pool, target } = await pools.mimikit.api<{ pool?: string; target: string }>(`/api/triggers/${id}`);
      return (pool === "box" && target === "worker") || undefined;
    });
  });
});
