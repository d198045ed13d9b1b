/** A copy of a home that runs, on the same engine (docs/pools.md): one of the two is served. */
import { cpSync } from "node:fs";
import { basename } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { LEASE_SEC, startPools } from "../support/pools.ts";

const hasRedis = findProgram("redis-server") !== null;

const order = (mimikit: Instance, command: string) =>
  mimikit.api<{ id: string }>("/api/input", { method: "POST", body: { text: `run \`${command}\``, pool: "box" } });

test.runIf(hasRedis)(
  "a copy of a home that runs gives the machines nothing to do, until the other one is gone",
  async () => {
    const pools = await startPools();
    onTestFinished(() => pools.dispose());
    const machine = await pools.join("box");
    const copy = await Instance.start({
      roles: [],
      // On one machine a copy is kept out by the names of its sockets; with files it is as on another machine.
      env: {
        MIMIKIT_PLATFORM: "portable",
        MIMIKIT_POOLS_URL: pools.redis.url,
        MIMIKIT_POOLS_LEASE_SEC: `${LEASE_SEC}`,
      },
      prepare: async (home) =>
        cpSync(pools.mimikit.home, home, { recursive: true, filter: (path) => basename(path) !== "tmp" }),
    });
    onTestFinished(() => copy.dispose());
    for (const role of [...ROLE_NAMES, "dispatcher"] as const) copy.startRole(role);
    await copy.ready();
    await copy.until("it is kept out", () => copy.output.includes("serves a copy of this home") || undefined);
    await copy.replyTo(await copy.send("hello"));
    await order(copy, "echo copy >> copy.txt");
    await copy.until("its claim", async () => (await copy.tasks()).find(({ state }) => state === "running"));
    await order(pools.mimikit, "echo first >> first.txt");
    await pools.mimikit.until("the work of the first", () => machine.read("first.txt") || undefined);
    await pools.mimikit.drained();
    expect(machine.read("copy.txt")).toBe("");
    await pools.mimikit.stop();
    await copy.until("the work of the copy", () => machine.read("copy.txt") || undefined);
    await copy.drained();
    expect(machine.read("copy.txt")).toBe("copy\n");
    expect(machine.read("first.txt")).toBe("first\n");
  },
);
