/** Rows about the conversation: from a message to its reply, what that costs, and many messages at once. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { archivePath } from "@mimikit/store/disk/state";
import { costsOf } from "../../../test/support/costs.ts";
import { type Instance, ROLE_NAMES } from "../../../test/support/instance.ts";
import { ModelServer } from "../../../test/support/model-server.ts";
import { Child } from "../measure/child.ts";
import { type Figures, latencies, quantile } from "../measure/figures.ts";
import { Live } from "../measure/live.ts";
import { cpuMs } from "../measure/processes.ts";
import { Sender } from "../measure/sender.ts";
import { countSystemCalls, strace } from "../measure/strace.ts";
import { instance, pidsOf, withInstance } from "./instances.ts";
import type { Row, Sizes } from "./row.ts";

const WARM_UP = 10;
const HELLOS = 60;
const COUNTED_HELLOS = 11;
const TRACED_HELLOS = 20;
const AT_ONCE = 64;
const BURSTS_AT_ONCE = 5;
/** So long nothing may come before a burst counts as stuck, in milliseconds. */
const STUCK_MS = 60_000;
const LOOK_EVERY_MS = 50;

const hello: Row = {
  name: "hello",
  about: `${HELLOS} times "hello", one after the other when all is at rest: until 202, and until the reply on the WebSocket; with openai, of a model that answers at once`,
  contestants: () => [
    instance("Mimikit, offline", () => ({}), hellos),
    {
      name: "Mimikit, openai at 0 ms",
      missing: null,
      async round() {
        const model = await ModelServer.start({ teller: () => ({ say: "Hello." }) });
        const env = {
          MIMIKIT_PROVIDER: "openai",
          OPENAI_BASE_URL: model.baseUrl,
          OPENAI_API_KEY: "bench",
          MIMIKIT_MODEL: "scripted",
        };
        try {
          return await withInstance({ env }, hellos);
        } finally {
          await model.close();
        }
      },
    },
  ],
};

async function hellos(mimikit: Instance): Promise<Figures> {
  const live = await Live.connect(mimikit);
  const [accepted, replied]: [number[], number[]] = [[], []];
  for (let n = 0; n < WARM_UP + HELLOS; n++) {
    const startMs = performance.now();
    const id = await mimikit.send("hello");
    const acceptedMs = performance.now() - startMs;
    await live.replied(id);
    const repliedMs = performance.now() - startMs;
    await mimikit.drained();
    if (n < WARM_UP) continue;
    accepted.push(acceptedMs);
    replied.push(repliedMs);
  }
  live.close();
  return { ...latencies("to 202", accepted), ...latencies("to the reply", replied) };
}

const cost: Row = {
  name: "cost",
  about: `what one "hello" costs all three processes, offline: processor time over ${HELLOS} of them, syncs as Node is asked for them (the middle of ${COUNTED_HELLOS}), system calls as strace counts them over ${TRACED_HELLOS}`,
  contestants: () => [{ name: "Mimikit", missing: null, round: costs }],
};

async function costs(): Promise<Figures> {
  const plain = await withInstance({}, async (mimikit) => {
    await times(WARM_UP, () => helloAndRest(mimikit));
    const before = cpuMs(pidsOf(mimikit));
    await times(HELLOS, () => helloAndRest(mimikit));
    const figures: Figures = { "CPU, ms": (cpuMs(pidsOf(mimikit)) - before) / HELLOS };
    const tracer = strace();
    if (tracer === null) {
      process.stderr.write("[bench] strace is not installed: system calls are not counted\n");
      return figures;
    }
    const calls = await countSystemCalls(tracer, pidsOf(mimikit), () =>
      times(TRACED_HELLOS, () => helloAndRest(mimikit)),
    );
    return { ...figures, "system calls": calls / TRACED_HELLOS };
  });
  // A tick that nobody asked for costs looks, not syncs: the settings stay as they are.
  const counted = await withInstance({ countsCalls: true }, (mimikit) =>
    costsOf(mimikit, COUNTED_HELLOS, () => helloAndRest(mimikit)),
  );
  const syncs = ROLE_NAMES.map((role): [string, number] => [`fsyncs, ${role}`, counted[role].syncs]);
  return { ...plain, fsyncs: syncs.reduce((sum, [, count]) => sum + count, 0), ...Object.fromEntries(syncs) };
}

async function helloAndRest(mimikit: Instance): Promise<void> {
  await mimikit.send("hello");
  await mimikit.drained();
}

async function times(count: number, act: () => Promise<void>): Promise<void> {
  for (let n = 0; n < count; n++) await act();
}

const atOnce: Row = {
  name: "at-once",
  about: `${AT_ONCE} messages at the same moment, until each has its 202: once over new connections, then ${BURSTS_AT_ONCE} times over open ones; beside a server that only says 202, which is what the client costs`,
  contestants: () => [
    instance(
      "Mimikit",
      () => ({}),
      async (mimikit) => {
        await times(WARM_UP, () => helloAndRest(mimikit));
        return allAtOnce(mimikit, (ids) => atRest(mimikit, ids));
      },
    ),
    {
      name: "a bare HTTP server",
      missing: null,
      async round() {
        const server = await Child.start("accept-at-once.ts", []);
        try {
          return await allAtOnce({ port: await server.call<number>("port"), token: "none" });
        } finally {
          await server.end();
        }
      },
    },
  ],
};

/** @param rested is given the ids of a burst, and resolves when all that comes of it is done. */
async function allAtOnce(
  to: { port: number; token: string },
  rested: (ids: readonly string[]) => Promise<void> = async () => undefined,
): Promise<Figures> {
  const sender = new Sender(to);
  const bursts: number[][] = [];
  for (let n = 0; n <= BURSTS_AT_ONCE; n++) {
    const sent = await sendAtOnce(sender, AT_ONCE);
    bursts.push(sent.map(({ ms }) => ms));
    await rested(sent.map(({ id }) => id));
  }
  sender.close();
  const [first = [], ...later] = bursts;
  return { ...latencies("202", later.flat()), ...latencies("202, new connections", first) };
}

/** Throws where a message that had its 202 is not in the archive when nothing is open any more. */
async function atRest(mimikit: Instance, ids: readonly string[]): Promise<void> {
  await mimikit.drained();
  const lost = ids.filter((id) => !existsSync(join(mimikit.home, archivePath(id))));
  if (lost.length > 0) throw new Error(`${lost.length} messages are lost: ${lost.join(", ")}`);
}

async function sendAtOnce(sender: Sender, count: number): Promise<{ id: string; ms: number }[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const startMs = performance.now();
      return { id: await sender.send(`hello, number ${n}`), ms: performance.now() - startMs };
    }),
  );
}

const burst: Row = {
  name: "burst",
  about: `messages as fast as ${AT_ONCE} clients can send them, until all are answered; how many of those with a 202 are not in the archive`,
  rounds: 1,
  contestants: (sizes) => [
    instance(
      "Mimikit",
      () => ({}),
      (mimikit) => sendBurst(mimikit, sizes),
    ),
  ],
};

async function sendBurst(mimikit: Instance, { burst: count }: Sizes): Promise<Figures> {
  const live = await Live.connect(mimikit);
  const startMs = performance.now();
  const sent: { id: string; ms: number }[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const sentMs = performance.now();
        sent.push({ id: await mimikit.send("hello"), ms: performance.now() - sentMs });
      }
    }),
  );
  const acceptedMs = performance.now() - startMs;
  await whileItGoesOn(() => live.answers, count);
  const answeredMs = performance.now() - startMs;
  live.close();
  const lost = sent.filter(({ id }) => !existsSync(join(mimikit.home, archivePath(id))));
  return {
    messages: count,
    lost: lost.length,
    "accepted, messages/s": count / (acceptedMs / 1_000),
    "answered, messages/s": count / (answeredMs / 1_000),
    "202, p99, ms": quantile(
      sent.map(({ ms }) => ms),
      0.99,
    ),
  };
}

/** Resolves when the count is reached, or does not grow any more. */
async function whileItGoesOn(count: () => number, wanted: number): Promise<void> {
  let [last, lastMs] = [count(), performance.now()];
  while (count() < wanted && performance.now() - lastMs < STUCK_MS) {
    await wait(LOOK_EVERY_MS);
    if (count() !== last) [last, lastMs] = [count(), performance.now()];
  }
}

export const HELLO_ROWS: readonly Row[] = [hello, cost, atOnce, burst];
