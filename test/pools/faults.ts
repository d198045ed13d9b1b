/**
 * Random faults of a home that has two machines work for it: processes of the home, machines and the engine are killed or stopped, and the
 * engine forgets, under orders that go on meanwhile. Then everything that was promised is looked for (docs/pools.md).
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type AfterKills, lookAfterKills, type Order, RAN_FILE } from "../../apps/cli/src/chaos/after-kills.ts";
import { restOf, send } from "../kills/staged-kills.ts";
import { below, type Random, randomOf } from "../sim/random.ts";
import type { RoleName } from "../support/instance.ts";
import { LEASE_SEC, type Machine, type Pools, startPools } from "../support/pools.ts";

/** More orders than these are not under way. */
const OPEN_MAX = 6;
const ORDER_EVERY_MS = 600;
/** A command takes up to so long between its two lines. */
const RUN_MS_MAX = 2_000;
const FAULT_EVERY_MS_MAX = 2_500;
const STOP_MS_MAX = 3_000;
/** Longer than a lease, and than the two after which a silent machine is given up. */
const AWAY_MS = 1.5 * LEASE_SEC * 1_000;
const SILENT_MS = 2.5 * LEASE_SEC * 1_000;
/** So much of what the engine wrote last may be lost with its machine. */
const LOST_BYTES_MAX = 4_096;
const RETRY_MS = 50;
const SENDS_MAX = 2_000;

const HOME_ROLES = ["supervisor", "workers", "gateway", "dispatcher"] as const satisfies readonly (
  | RoleName
  | "dispatcher"
)[];
const ENDED_FILE = "ended.txt";

interface Scene {
  pools: Pools;
  machines: readonly Machine[];
  random: Random;
}

/** The possible faults, by the words that the summary has for them. Each resolves when all runs again. */
const FAULTS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  ...Object.fromEntries(
    HOME_ROLES.map((role) => [`kill ${role}`, ({ pools }: Scene) => pools.mimikit.kill(role)] as const),
  ),
  "kill all of the home": async ({ pools }) => {
    await Promise.all(HOME_ROLES.map((role) => pools.mimikit.kill(role)));
  },
  "kill a machine": (scene) => oneOf(scene).kill(),
  "kill both machines": async ({ machines }) => {
    await Promise.all(machines.map((machine) => machine.kill()));
  },
  "kill a machine and the dispatcher": async (scene) => {
    await Promise.all([oneOf(scene).kill(), scene.pools.mimikit.kill("dispatcher")]);
  },
  "kill the engine": ({ pools: { redis } }) => redis.kill().then(() => redis.run()),
  "kill the engine and the dispatcher": async ({ pools: { redis, mimikit } }) => {
    await Promise.all([redis.kill(), mimikit.kill("dispatcher")]);
    await redis.run();
  },
  "the engine loses its last moments": ({ pools: { redis }, random }) =>
    redis.loseEnd(1 + below(random, LOST_BYTES_MAX)).then(() => redis.run()),
  "the engine loses everything": ({ pools: { redis } }) => redis.command("FLUSHALL"),
  "the engine is away for longer than a lease": async ({ pools: { redis } }) => {
    await redis.kill();
    await wait(AWAY_MS);
    await redis.run();
  },
  "stop the engine": ({ pools: { redis }, random }) => stopped((signal) => redis.signal(signal), random),
  "stop the dispatcher": ({ pools: { mimikit }, random }) => {
    const pid = mimikit.pidOf("dispatcher");
    return stopped((signal) => send(pid, signal), random);
  },
  "stop a machine": (scene) => {
    const machine = oneOf(scene);
    return stopped((signal) => machine.signal(signal), scene.random);
  },
  "stop a machine for longer than two leases": async (scene) => {
    const machine = oneOf(scene);
    machine.signal("SIGSTOP");
    await wait(SILENT_MS);
    machine.signal("SIGCONT");
  },
};
export const FAULT_NAMES = Object.keys(FAULTS);

function oneOf({ machines, random }: Scene): Machine {
  const machine = machines[below(random, machines.length)];
  if (machine === undefined) throw new Error("there is no machine");
  return machine;
}

async function stopped(signalTo: (signal: "SIGSTOP" | "SIGCONT") => void, random: Random): Promise<void> {
  signalTo("SIGSTOP");
  await wait(below(random, STOP_MS_MAX));
  signalTo("SIGCONT");
}

export interface Ran {
  seed: number;
  placed: string[];
  orders: number;
  after: Omit<AfterKills, "violations">;
  problems: string[];
  /** Where the state of a failed run is kept: of the home, and of each machine. */
  kept?: string[];
}

/** One run of a home of its own. */
export async function runFaults(seed: number, count: number): Promise<Ran> {
  const random = randomOf(seed);
  const pools = await startPools({ env: { MIMIKIT_RETRY_DELAY_SEC: "0" } });
  const { mimikit } = pools;
  const placed: string[] = [];
  const machines: Machine[] = [];
  const load = new Load(pools, machines, randomOf(seed + 1), seed);
  let after: AfterKills | undefined;
  let problems: string[];
  try {
    for (const name of ["box", "den"]) machines.push(await pools.join(name, ["--label", "gpu"]));
    load.begin();
    for (let i = 0; i < count; i++) {
      await wait(below(random, FAULT_EVERY_MS_MAX));
      const name = FAULT_NAMES[below(random, FAULT_NAMES.length)] ?? "";
      placed.push(name);
      await FAULTS[name]?.({ pools, machines, random });
    }
    await load.end();
    await restOf(mimikit);
    const leftOver = await leftAt(pools, machines);
    const isDoneHere = existsSync(join(mimikit.workDir, RAN_FILE));
    // The check reads one file: each machine has written its own.
    writeFileSync(join(mimikit.workDir, RAN_FILE), machines.map((machine) => machine.read(RAN_FILE)).join(""));
    after = await lookAfterKills(mimikit, load.orders);
    problems = [...after.violations, ...leftOver, ...(isDoneHere ? ["work for a machine was done at home"] : [])];
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)];
  }
  await load.end().catch(() => undefined);
  const { violations: _, ...figures } = after ?? { ...NOTHING, violations: [] };
  const ran = { seed, placed, orders: load.orders.length, after: figures, problems };
  if (problems.length === 0) {
    await pools.dispose();
    return ran;
  }
  await mimikit.stop("SIGKILL");
  await Promise.all(machines.map((machine) => machine.stop("SIGKILL")));
  const directory = dirname(mimikit.home);
  writeFileSync(join(directory, "run.json"), JSON.stringify({ ...ran, given: load.orders }));
  for (const { name, output } of [{ name: "home", output: mimikit.output }, ...machines])
    writeFileSync(join(directory, `${name}.txt`), output);
  await pools.redis.dispose();
  return { ...ran, kept: [directory, ...machines.map(({ workDir }) => workDir)] };
}

const NOTHING = { turns: 0, tasks: 0, ran: 0, ranAgain: 0, failed: {}, fired: 0, skipped: 0 };

/** Processes, records and permits that are there when all is over. */
async function leftAt({ mimikit }: Pools, machines: readonly Machine[]): Promise<string[]> {
  const look = async () => {
    const permits = readdirSync(join(mimikit.home, "pools/permits"));
    const kept = machines.flatMap(({ home }) => readdirSync(join(home, "away")));
    const children = (await Promise.all(machines.map((machine) => machine.children()))).flat();
    return [
      ...permits.map((name) => `the permit ${name} is left over`),
      ...kept.map((name) => `${name} is left over on a machine`),
      ...children.map(({ pid }) => `process ${pid} is left over on a machine`),
    ];
  };
  // The dispatcher and the machines clear up a moment after the last outcome.
  await mimikit.until("nothing left", async () => (await look()).length === 0 || undefined).catch(() => undefined);
  return look();
}

/** Orders for a machine by its name, or for any of them by their label, so long as it is wanted. */
class Load {
  /** Those that were acknowledged. */
  readonly orders: Order[] = [];
  private readonly pools: Pools;
  private readonly machines: readonly Machine[];
  private readonly random: Random;
  private readonly seed: number;
  private isWanted = true;
  private going: Promise<void> | undefined;

  constructor(pools: Pools, machines: readonly Machine[], random: Random, seed: number) {
    this.pools = pools;
    this.machines = machines;
    this.random = random;
    this.seed = seed;
  }

  begin(): void {
    this.going = this.order();
  }

  /** Resolves when the last one is acknowledged. Throws what kept one from being sent. */
  async end(): Promise<void> {
    this.isWanted = false;
    await this.going;
  }

  private async order(): Promise<void> {
    for (let n = 1; this.isWanted; ) {
      await wait(below(this.random, ORDER_EVERY_MS));
      if (this.orders.length - this.ended() >= OPEN_MAX) continue;
      const mark = `ran-s${this.seed}n${n}`;
      const seconds = below(this.random, RUN_MS_MAX) / 1_000;
      const text = `run \`echo ${mark} >> ${RAN_FILE}; sleep ${seconds}; echo ${mark} >> ${ENDED_FILE}\``;
      const pool = ["box", "den", "gpu"][below(this.random, 3)];
      const id = await this.send({ text, pool }, `${this.seed}-${n++}`);
      this.orders.push({ id, marks: [mark] });
    }
  }

  private ended(): number {
    return new Set(this.machines.flatMap((machine) => machine.read(ENDED_FILE).split("\n").filter(Boolean))).size;
  }

  /** The gateway may be down at any time; the same key says it once. */
  private async send(body: object, key: string): Promise<string> {
    for (let tries = 0; ; tries++) {
      try {
        const { id } = await this.pools.mimikit.api<{ id: string }>("/api/input", { method: "POST", body, key });
        return id;
      } catch (error) {
        // Refused is not unreachable.
        const mayPass = error instanceof TypeError || (error instanceof Error && /^503 /.test(error.message));
        if (!mayPass || tries > SENDS_MAX) throw error;
        await wait(RETRY_MS);
      }
    }
  }
}
