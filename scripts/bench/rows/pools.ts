/** The time that another machine adds to a task: from its claim at home until its result is there (docs/pools.md). */

import type { Instance } from "../../../test/support/instance.ts";
import { startPools } from "../../../test/support/pools.ts";
import { type Figures, latencies } from "../measure/figures.ts";
import { redisServer } from "../queues/servers.ts";
import { instance } from "./instances.ts";
import type { Row } from "./row.ts";

const WARM_UP = 5;
const ORDERS = 50;

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
        const home = await startPools({ runsBundles: true });
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

export const POOL_ROWS: readonly Row[] = [pools];
