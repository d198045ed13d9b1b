/** Of two copies of a home, one is served: with a real engine, and a connection to it that can be cut or stand still. */
import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { setImmediate as breathe } from "node:timers/promises";
import { connectTo } from "@mimikit/runtime/pools/connect";
import { HomeSide } from "@mimikit/runtime/pools/engine";
import { channelOf, TOPICS } from "@mimikit/runtime/pools/names";
import { expect, onTestFinished, test } from "vitest";
import { holdHome } from "../../apps/worker-pool/src/dispatcher/hold-home.ts";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { RedisServer } from "../support/redis.ts";

const hasRedis = findProgram("redis-server") !== null;
const TIMES = { heldMs: 600, renewEveryMs: 100 };

async function engine(): Promise<RedisServer> {
  const redis = await RedisServer.start();
  onTestFinished(() => redis.kill());
  return redis;
}

/** A way to the engine that a test can break. */
async function breakable(port: number) {
  const pairs = new Set<[Socket, Socket]>();
  let isCut = false;
  let isStill = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = createConnection(port, "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => pairs.delete(pair));
    }
    if (isStill) stand(pair);
  });
  const stand = ([near, far]: [Socket, Socket]) => {
    near.unpipe().pause();
    far.unpipe().pause();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  onTestFinished(() => {
    end();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `redis://127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      end();
    },
    /** Nothing passes any more, and nobody is told. */
    stall() {
      isStill = true;
      for (const pair of pairs) stand(pair);
    },
    heal() {
      isCut = false;
      isStill = false;
      for (const [near, far] of pairs) {
        near.pipe(far);
        far.pipe(near);
      }
    },
  };
}

function holder(url: string, me: string) {
  const client = connectTo(url, { waits: false });
  client.on("error", () => undefined);
  const held = holdHome(
    client,
    "home",
    me,
    () => undefined,
    () => undefined,
    TIMES,
  );
  onTestFinished(() => {
    held.stop();
    client.disconnect();
  });
  return held;
}

const AT_ONCE = { timeout: 20_000, interval: 5 };

test.runIf(hasRedis).each(["cut", "stall"] as const)(
  "a machine whose connection is broken (%s) never believes that it has the home while another one has it",
  async (how) => {
    const redis = await engine();
    const way = await breakable(redis.port);
    const first = holder(way.url, "first 1");
    await expect.poll(() => first.holds, AT_ONCE).toBe(true);
    const second = holder(redis.url, "second 2");
    await second.decided();
    expect([first.holds, second.holds]).toEqual([true, false]);

    way[how]();
    const both: boolean[] = [];
    while (!second.holds) {
      both.push(first.holds && second.holds);
      await breathe();
    }
    expect([first.holds, both.includes(true)]).toEqual([false, false]);
    way.heal();
    await first.decided();
    expect([first.holds, second.holds]).toEqual([false, true]);
    // The questions of the first from before reach the engine now, and change nothing.
    await second.decided();
    expect([first.holds, second.holds]).toEqual([false, true]);
  },
);

test.runIf(hasRedis)(
  "a clock that was set forward ends the belief, and one that was set back does not lengthen it",
  async () => {
    const redis = await engine();
    const { heldMs } = TIMES;
    const client = connectTo(redis.url, { waits: false });
    onTestFinished(() => client.disconnect());
    const held = holdHome(
      client,
      "home",
      "me 1",
      () => undefined,
      () => undefined,
      { heldMs, renewEveryMs: 3_600_000 },
    );
    onTestFinished(() => held.stop());
    await expect.poll(() => held.holds, AT_ONCE).toBe(true);
    const { now } = Date;
    onTestFinished(() => void Object.assign(Date, { now }));
    Date.now = () => now() + heldMs;
    expect(held.holds).toBe(false);
    Date.now = () => now() - 3_600_000;
    await expect.poll(() => held.holds, AT_ONCE).toBe(false);
  },
);

test.runIf(hasRedis)("nothing that was given out while the engine was away goes out at the reconnect", async () => {
  const redis = await engine();
  const way = await breakable(redis.port);
  const side = new HomeSide({ url: way.url, home: "0123456789abcdef", pool: "box", onError: () => undefined });
  const listener = connectTo(redis.url);
  onTestFinished(async () => {
    await side.close();
    listener.disconnect();
  });
  const heard: string[] = [];
  listener.on("message", (_channel, text) => void heard.push(text));
  await listener.subscribe(channelOf("0123456789abcdef", "box", TOPICS.down));
  await expect.poll(() => side.isThere, AT_ONCE).toBe(true);
  await side.tell({ job: "before", seq: "1", sealed: "x" });

  way.cut();
  const sent = [side.add("late", "sealed"), side.tell({ job: "late", seq: "2", sealed: "x" })];
  await Promise.allSettled(sent);
  // Once the connection is known to be gone, too.
  await expect.poll(() => side.add("later", "sealed").catch(() => "refused"), AT_ONCE).toBe("refused");
  await side.tell({ job: "later", seq: "3", sealed: "x" });
  way.heal();
  await expect
    .poll(
      () =>
        side.add("after", "sealed").then(
          () => true,
          () => false,
        ),
      AT_ONCE,
    )
    .toBe(true);
  await expect
    .poll(
      () => side.tell({ job: "after", seq: "4", sealed: "x" }).then(() => heard.some((text) => text.includes("after"))),
      AT_ONCE,
    )
    .toBe(true);
  const client = connectTo(redis.url);
  onTestFinished(() => client.disconnect());
  const keys = (await client.keys("*")).join("\n");
  expect(keys).toContain("after");
  expect([keys, ...heard].filter((text) => text.includes("late"))).toEqual([]);
  expect(heard.some((text) => text.includes("before"))).toBe(true);
});
