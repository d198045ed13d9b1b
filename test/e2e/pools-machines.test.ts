/** Each machine is told by status, doctor and the API, with a real redis-server and real processes (docs/pools.md). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { Instance } from "../support/instance.ts";
import { type Machine, type Pools, startPools } from "../support/pools.ts";

const hasRedis = findProgram("redis-server") !== null;

describe.runIf(hasRedis)("a home with two machines, of which one has joined", () => {
  let pools: Pools;
  let machine: Machine;
  let task: string;
  const machines = () => pools.mimikit.api<Status>("/api/status").then(({ pools }) => pools?.each ?? []);
  beforeAll(async () => {
    pools = await startPools();
    machine = await pools.join("box", ["--label", "gpu"]);
    await pools.command(["pool", "invite", "spare"]);
    const body = { text: "run `touch begun; sleep 600`", pool: "box" };
    const { id } = await pools.mimikit.api<{ id: string }>("/api/input", { method: "POST", body });
    task = `${(await pools.mimikit.replyTo(id)).taskIds?.[0]}.0`;
    await pools.mimikit.until("the machine works", async () => {
      const [box] = await machines();
      return (box?.state === "there" && (box.tasks?.length ?? 0) > 0) || undefined;
    });
  });
  afterAll(() => pools.dispose());

  test("the API and status say who is connected since when, and what each runs", async () => {
    expect(await machines()).toMatchObject([
      { name: "box", labels: ["gpu"], state: "there", since: expect.any(String), tasks: [{ id: task }] },
      { name: "spare", labels: [], state: "invited", tasks: [] },
    ]);
    const { stdout } = await pools.command(["status"]);
    expect(stdout).toMatch(/machines +box \(gpu\) connected since .+, runs .+touch begun/);
    expect(stdout).toMatch(/ spare has not joined yet/);
    expect(stdout).toMatch(/processes .+ dispatcher \d+ /);
  });

  test("doctor says whether the engine keeps what it is given, and which machine is not there", async () => {
    const looked = async () => {
      const { stdout } = await pools.command(["doctor", "--json"]);
      const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string; message: string }[] };
      return checks.filter(({ name }) => name === "pools").map(({ level, message }) => `${level}: ${message}`);
    };
    expect(await looked()).toEqual([
      "ok: the engine of the pools answers",
      "ok: the machine box is connected",
      "warn: the machine spare has not joined yet",
    ]);
    await pools.redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    expect((await looked())[0]).toBe("fail: the engine of the pools may drop work (maxmemory-policy allkeys-lru)");
    await pools.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
  });

  test("a machine that is gone is told by when it was seen last, and that work waits for it", async () => {
    await machine.stop("SIGKILL");
    const path = join(pools.mimikit.home, "pools/seen.json");
    const { box } = JSON.parse(readFileSync(path, "utf8")) as { box: { at: string } };
    const seenAt = new Date(Date.parse(box.at) - 60_000).toISOString();
    writeFileSync(path, JSON.stringify({ box: { ...box, at: seenAt } }));
    const status = await pools.mimikit.api<Status>("/api/status");
    expect(status.pools?.each[0]).toMatchObject({ name: "box", state: "away", seenAt });
    expect(status.problems.join()).toContain("the machine box has been away since");
    expect((await pools.command(["status"])).stdout).toMatch(/box \(gpu\) last seen /);
    expect((await pools.command(["doctor"])).stdout).toContain(`the machine box was heard of last at ${seenAt}`);
  });

  test("a damaged record of a machine is told as a problem, and costs no other machine", async () => {
    writeFileSync(join(pools.mimikit.home, "pools/bad.pool.json"), "{");
    const { problems, pools: told } = await pools.mimikit.api<Status>("/api/status");
    expect(problems.join()).toContain("a record in pools/ cannot be read");
    expect(told?.each.map(({ name }) => name)).toContain("box");
  });
});

test("a home without an engine tells nothing of machines", async () => {
  const mimikit = await Instance.start();
  try {
    expect(await mimikit.api("/api/status")).not.toHaveProperty("pools");
  } finally {
    await mimikit.dispose();
  }
});
