/** The cost of other machines: for a task, from its claim at home until its result is there, and for a home that has many (docs/scale.md). */
import { setTimeout as wait } from "node:timers/promises";
import { connectTo } from "@mimikit/runtime/pools/connect";
import type { Instance } from "../../../test/support/instance.ts";
import { type Pools, startPools } from "../../../test/support/pools.ts";
import { type Figures, latencies } from "../measure/figures.ts";
import { cpuMs, memoryOf } from "../measure/processes.ts";
import { redisServer } from "../queues/servers.ts";
import { instance, pidsOf } from "./instances.ts";
import type { Row } from "./row.ts";

const WARM_UP = 5;
const ORDERS = 50;
const MACHINES = [2, 8, 32];
/** All machines have joined, and the views of the start are written. */
const QUIET_AFTER_MS = 10_000;
const IDLE_MS = 12_000;
const SECOND_MS = 1_000;

const pools: Row = {
  name: "pools",
  about: `${ORDERS} times a command that does nothing, one after the other: from the claim of its task until its result is at home; on another machine over redis-server with appendfsync everysec, all on loopback`,
  contestants: () => [
    instance(
      "Mimikit, at home",
      () => ({}),
      (mimikit) => durations(mimikit),
    ),
    {
      name: "Mimikit, on a machine",
      missing: redisServer() === null ? "redis-server is not installed" : null,
      async round() {
        const home = await startPools();
        try {
          await home.join("box");
          return await durations(home.mimikit, "box");
        } finally {
          await home.dispose();
        }
      },
    },
  ],
};

const machines: Row = {
  name: "machines",
  about: `a home with machines that have nothing to do, over ${IDLE_MS / SECOND_MS} s: its three processes, its dispatcher, and the engine, on loopback`,
  rounds: 1,
  contestants: () =>
    MACHINES.map((count) => ({
      name: `${count} machines`,
      missing: redisServer() === null ? "redis-server is not installed" : null,
      async round() {
        const home = await startPools();
        try {
          for (let n = 1; n <= count; n++) await home.join(`box-${n}`);
          await wait(QUIET_AFTER_MS);
          return await idle(home);
        } finally {
          await home.dispose();
        }
      },
    })),
};

async function idle({ mimikit, redis }: Pools): Promise<Figures> {
  const engine = connectTo(redis.url);
  const count = async (section: string, field: string) =>
    Number(new RegExp(`^${field}:(\\d+)`, "m").exec(await engine.info(section))?.[1]);
  const commands = () => count("stats", "total_commands_processed");
  try {
    const [here, dispatcher] = [pidsOf(mimikit), [mimikit.pidOf("dispatcher")]];
    const before = { here: cpuMs(here), dispatcher: cpuMs(dispatcher), commands: await commands() };
    await wait(IDLE_MS);
    const share = (ms: number) => (100 * ms) / IDLE_MS;
    return {
      "three processes, % of a processor": share(cpuMs(here) - before.here),
      "dispatcher, % of a processor": share(cpuMs(dispatcher) - before.dispatcher),
      "dispatcher, MB": memoryOf(dispatcher).rss,
      "engine, commands a second": ((await commands()) - before.commands) / (IDLE_MS / SECOND_MS),
      "engine, connections": await count("clients", "connected_clients"),
      "engine, kB": (await count("memory", "used_memory")) / 1_000,
    };
  } finally {
    engine.disconnect();
  }
}

async function durations(mimikit: Instance, pool?: string): Promise<Figures> {
  const took: number[] = [];
  for (let n = 0; n < WARM_UP + ORDERS; n++) {
    const body = { text: "run `true`", mode: "next", ...(pool !== undefined && { pool }) };
    const { id } = await mimikit.api<{ id: string }>("/api/input", { method: "POST", body });
    const plan = (await mimikit.replyTo(id)).taskIds?.[0];
    const { startedAt = "", completedAt = "" } = await mimikit.until("the task", async () => {
      const task = await mimikit.task(`${plan}.0`);
      return task.completedAt === undefined ? undefined : task;
    });
    if (n >= WARM_UP) took.push(Date.parse(completedAt) - Date.parse(startedAt));
  }
  return latencies("from claim to result", took);
}

export const POOL_ROWS: readonly Row[] = [pools, machines];
