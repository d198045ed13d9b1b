/** Work on other machines, with a real redis-server and real processes: the home, its dispatcher, and pools (docs/pools.md). */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { Instance } from "../support/instance.ts";
import { LEASE_SEC, type Machine, type Pools, startPools } from "../support/pools.ts";

/** Orders a command for a machine. @returns the id of the plan. */
async function order({ mimikit }: Pools, command: string, pool = "box"): Promise<string> {
  const body = { text: `run \`${command}\``, pool };
  const { id } = await mimikit.api<{ id: string }>("/api/input", { method: "POST", body });
  const reply = await mimikit.replyTo(id);
  return reply.taskIds?.[0] ?? "";
}

/** The one task of a plan, once it is in this state. */
const taskOf = ({ mimikit }: Pools, plan: string, ...states: TaskSummary["state"][]) =>
  mimikit.until(`${plan}.0 is ${states.join(" or ")}`, async () => {
    const task = await mimikit.task(`${plan}.0`);
    return states.some((state) => state === task.state) ? task : undefined;
  });

/** A command that says in a file when it begins and when it ends, and takes some seconds between. */
const slow = (file: string, seconds = 4) => `echo begun >> ${file}; sleep ${seconds}; echo ended >> ${file}`;

const begun = ({ mimikit }: Pools, machine: Machine, file: string) =>
  mimikit.until(`${file} is begun`, () => machine.read(file) || undefined);

/** Why it was begun again, for whoever reads a failed test. */
const whyAgain = ({ mimikit }: Pools, plan: string) =>
  globSync(join(mimikit.home, `worker/running/${plan}.0.a*.failed.json`))
    .map((path) => readFileSync(path, "utf8"))
    .join();

const idle = ({ mimikit }: Pools, machine: Machine) =>
  mimikit.until("nothing is left on the machine", async () => {
    const children = await machine.children();
    const kept = readdirSync(join(machine.home, "away"));
    return (children.length === 0 && kept.length === 0) || undefined;
  });

/** Debian's package has it, and CI installs that. */
const hasRedis = findProgram("redis-server") !== null;

describe.runIf(hasRedis)("a home with a machine", () => {
  let pools: Pools;
  let machine: Machine;
  beforeAll(async () => {
    pools = await startPools();
    machine = await pools.join("box", ["--label", "gpu"]);
  });
  afterAll(() => pools.dispose());

  test("has its work done there, in the workspace of that machine, and is told as of any other task", async () => {
    const words = ["ask", "--pool", "gpu", "--json", "run `pwd && echo made > made.txt`"];
    const { stdout, exitCode } = await pools.command(words);
    expect(JSON.parse(stdout).answer).toContain(machine.workDir);
    expect(exitCode).toBe(0);
    expect(machine.read("made.txt")).toBe("made\n");
    expect(existsSync(join(pools.mimikit.workDir, "made.txt"))).toBe(false);
    const { stdout: listed } = await pools.command(["pools", "--json"]);
    expect(JSON.parse(listed).pools).toMatchObject([{ name: "box", labels: ["gpu"], slots: 2, state: "there" }]);
  });

  test("names no machine that there is not, and no work begins here instead", async () => {
    const { exitCode, stderr } = await pools.command(["ask", "--pool", "elsewhere", "run `echo no > no.txt`"]);
    expect(stderr).toContain("there are box");
    expect(exitCode).toBe(2);
    const task = await taskOf(pools, await order(pools, "echo no > no.txt", "elsewhere"), "failed");
    expect(task.error).toContain("no machine of this home is called elsewhere");
    expect(existsSync(join(pools.mimikit.workDir, "no.txt"))).toBe(false);
  });

  test("hides from the engine what it says", async () => {
    const plan = await order(pools, "echo the-secret-of-the-house | tee told.txt");
    await taskOf(pools, plan, "done");
    const kept = globSync(join(pools.redis.dir, "**/*.{aof,rdb}"));
    expect(kept).not.toEqual([]);
    const texts = kept.map((path) => readFileSync(path, "latin1"));
    expect(texts.join()).toContain(`${plan}.0.a1`);
    expect(texts.join()).not.toContain("the-secret-of-the-house");
  });

  test("loses and doubles nothing when its dispatcher, its worker pool or its supervisor is killed while the work runs", async () => {
    const killed = ["dispatcher", "workers", "supervisor"] as const;
    for (const role of killed) {
      const plan = await order(pools, slow(role));
      await begun(pools, machine, role);
      await pools.mimikit.kill(role);
      expect((await taskOf(pools, plan, "done")).attempts, whyAgain(pools, plan)).toBe(1);
      expect(machine.read(role)).toBe("begun\nended\n");
    }
    await idle(pools, machine);
  });

  test("loses and doubles nothing when the engine is killed while the work runs, and comes back", async () => {
    const plan = await order(pools, slow("engine"));
    await begun(pools, machine, "engine");
    await pools.redis.kill();
    await pools.redis.run();
    expect((await taskOf(pools, plan, "done")).attempts).toBe(1);
    expect(machine.read("engine")).toBe("begun\nended\n");
    await idle(pools, machine);
  });

  test("has the work done once where everything is killed before it begins", async () => {
    await machine.stop("SIGKILL");
    const plan = await order(pools, slow("before", 0));
    await taskOf(pools, plan, "running");
    await pools.mimikit.kill("dispatcher");
    await pools.redis.kill();
    await pools.redis.run();
    machine.start();
    expect((await taskOf(pools, plan, "done")).attempts).toBe(1);
    expect(machine.read("before")).toBe("begun\nended\n");
    await idle(pools, machine);
  });

  test("hears of a machine that was killed while it worked, and has the work done again at once, with nothing left of the first run", async () => {
    const plan = await order(pools, slow("machine"));
    await begun(pools, machine, "machine");
    await machine.kill();
    expect((await taskOf(pools, plan, "done")).attempts).toBe(2);
    expect(machine.read("machine")).toBe("begun\nbegun\nended\n");
    await idle(pools, machine);
  });

  test("gives up a task with which the machine dies alone three times, and goes on with the others", async () => {
    const plan = await order(pools, slow("poison", 600));
    for (const times of [1, 2, 3]) {
      await pools.mimikit.until(
        `run ${times}`,
        () => machine.read("poison").split("begun").length > times || undefined,
      );
      await machine.kill();
    }
    const task = await taskOf(pools, plan, "failed");
    expect(task).toMatchObject({ attempts: 3, error: expect.stringContaining("died or hung 3 times while it ran") });
    expect((await taskOf(pools, await order(pools, "true"), "done")).attempts).toBe(1);
    await idle(pools, machine);
  });

  test("has its work done by a machine whose records a power loss has torn", async () => {
    const { id, epoch } = JSON.parse(readFileSync(join(pools.mimikit.home, "pools/home.json"), "utf8"));
    const torn = join(machine.home, `away/${id}.${epoch}.t-000001.0.a1.begun.json`);
    await machine.stop();
    writeFileSync(torn, '{"job":');
    machine.start();
    expect((await taskOf(pools, await order(pools, "true"), "done")).attempts).toBe(1);
    await idle(pools, machine);
  });

  test("gives a machine up that is silent for two leases, and takes nothing more of that attempt", async () => {
    const plan = await order(pools, slow("silent", 3 * LEASE_SEC));
    await begun(pools, machine, "silent");
    machine.signal("SIGSTOP");
    await pools.mimikit.until(
      "the second attempt",
      () => existsSync(join(pools.mimikit.home, `worker/running/${plan}.0.a2.json`)) || undefined,
    );
    machine.signal("SIGCONT");
    expect((await taskOf(pools, plan, "done")).attempts).toBe(2);
    await idle(pools, machine);
  });

  test("concludes nothing while the engine is away; the machine ends what it runs after one lease, and begins it again afterwards", async () => {
    const plan = await order(pools, slow("away", 2 * LEASE_SEC));
    await begun(pools, machine, "away");
    await pools.redis.kill();
    await pools.mimikit.until("the run is ended", async () => (await machine.children()).length === 0 || undefined);
    expect(existsSync(join(pools.mimikit.home, `worker/running/${plan}.0.a1.failed.json`))).toBe(false);
    await pools.redis.run();
    expect((await taskOf(pools, plan, "done")).attempts).toBe(2);
    expect(machine.read("away")).toBe("begun\nbegun\nended\n");
    await idle(pools, machine);
  });

  test("ends the work there when it is cancelled here", async () => {
    const plan = await order(pools, slow("cancelled", 60));
    await begun(pools, machine, "cancelled");
    await pools.mimikit.api(`/api/tasks/${plan}.0/cancel`, { method: "POST", key: "cancel" });
    await taskOf(pools, plan, "cancelled");
    await idle(pools, machine);
    expect(machine.read("cancelled")).toBe("begun\n");
  });

  test("keeps no permit of what is over", async () => {
    const { mimikit } = pools;
    await mimikit.until("no permits", () => readdirSync(join(mimikit.home, "pools/permits")).length === 0 || undefined);
  });

  test("believes nothing of a machine that it has let go", async () => {
    const plan = await order(pools, slow("gone", 60));
    await begun(pools, machine, "gone");
    expect((await pools.command(["pool", "remove", "box"])).exitCode).toBe(0);
    expect((await taskOf(pools, plan, "failed")).error).toContain("no machine of this home is called box");
    await pools.mimikit.until("its run is ended", async () => (await machine.children()).length === 0 || undefined);
  });
});

test("a home without an engine loads nothing of it, and keeps nothing", async () => {
  const mimikit = await Instance.start({ countsCalls: true });
  try {
    await mimikit.replyTo(await mimikit.send("run `date`"));
    for (const role of ["supervisor", "workers", "gateway"] as const) {
      const { modules } = await mimikit.calls(role);
      expect(modules.filter((path) => /bullmq|ioredis|runtime\/src\/pools|place-away/.test(path))).toEqual([]);
    }
    expect(existsSync(join(mimikit.home, "pools"))).toBe(false);
  } finally {
    await mimikit.dispose();
  }
});
