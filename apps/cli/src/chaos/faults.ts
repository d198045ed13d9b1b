/** Faults of an instance: which processes they meet, and how. */
import { setTimeout as wait } from "node:timers/promises";
import type { Identity } from "@mimikit/protocol/records/claim";
import { homeHash } from "@mimikit/runtime/home/home";
import { isAlive } from "@mimikit/runtime/process/identity";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import type { ProcessRole } from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";
import { livingRoles } from "../processes/instance.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { oneOf, type Random } from "./random.ts";
import type { UnderPm2 } from "./under-pm2.ts";

/** Milliseconds. */
const STOPPED_MS = [50, 500, 3_000];
const FULL_MS_MAX = 4_000;
const FULL_STEP_MS = 100;
const GONE_MS_MAX = 10_000;
const GONE_POLL_MS = 5;

/** A process that a fault has met. */
export type Victim = ProcessRole | "pm2" | "command";

export interface Struck {
  fault: FaultName;
  /** Those that lived, each once; empty where there was nothing to meet. */
  victims: Victim[];
}

type FaultName =
  | "kill one"
  | "kill two"
  | "kill all"
  | "kill PM2"
  | "kill all with PM2"
  | "kill a command"
  | "stop"
  | "fill the disk";

interface Fault {
  name: FaultName;
  /** How often it is chosen, beside the others. */
  weight: number;
  strike(instance: UnderPm2, random: Random): Promise<Victim[]>;
}

const FAULTS: readonly Fault[] = [
  {
    name: "kill one",
    weight: 10,
    strike: async (instance, random) => kill(instance, [oneOf(random, instance.roles())]),
  },
  {
    name: "kill two",
    weight: 3,
    async strike(instance, random) {
      const roles = instance.roles();
      const place = Math.floor(random() * roles.length);
      const next = (steps: number) => roles[(place + steps) % roles.length] ?? [];
      return kill(instance, [next(1), next(2)].flat());
    },
  },
  { name: "kill all", weight: 2, strike: async (instance) => kill(instance, instance.roles()) },
  { name: "kill PM2", weight: 1, strike: async (instance) => kill(instance, [], true) },
  { name: "kill all with PM2", weight: 1, strike: async (instance) => kill(instance, instance.roles(), true) },
  {
    name: "kill a command",
    weight: 2,
    async strike({ place }, random) {
      // Drawn before it is known what runs, so that the same seed chooses the same faults after it.
      const at = random();
      const running = await findMarked(homeHash(place.home));
      const met = running[Math.floor(at * running.length)];
      if (met === undefined) return [];
      signal([met], "SIGKILL");
      return ["command"];
    },
  },
  {
    name: "stop",
    weight: 3,
    async strike({ place, roles: all }, random) {
      const roles = random() < 0.25 ? all() : [oneOf(random, all())];
      const found = rolesAlive(place.home, roles);
      signal([...found.values()], "SIGSTOP");
      await wait(oneOf(random, STOPPED_MS));
      signal([...found.values()], "SIGCONT");
      return [...found.keys()];
    },
  },
  {
    name: "fill the disk",
    weight: 1,
    async strike({ disk }, random) {
      if (disk === null) return [];
      const endMs = performance.now() + random() * FULL_MS_MAX;
      do {
        await disk.fill();
        await wait(FULL_STEP_MS);
      } while (performance.now() < endMs);
      await disk.empty();
      return [];
    },
  },
];

/** Does one of them, by chance. Where no disk can be filled, none is. */
export async function strike(instance: UnderPm2, random: Random): Promise<Struck> {
  const possible = FAULTS.filter(({ name }) => name !== "fill the disk" || instance.disk !== null);
  const fault = oneOf(
    random,
    possible.flatMap((each) => Array<Fault>(each.weight).fill(each)),
  );
  return { fault: fault.name, victims: await fault.strike(instance, random) };
}

async function kill(instance: UnderPm2, roles: readonly ProcessRole[], withPm2 = false): Promise<Victim[]> {
  const found = rolesAlive(instance.place.home, roles);
  const daemons = withPm2 ? instance.daemons() : [];
  // PM2 first: it would start the others again meanwhile.
  const victims = [...daemons, ...found.values()];
  signal(victims, "SIGKILL");
  // One that is about to end would be taken for one that is back.
  await waitUntil(GONE_MS_MAX, GONE_POLL_MS, async () => (victims.some(isAlive) ? null : true));
  return [...(daemons.length > 0 ? (["pm2"] as const) : []), ...found.keys()];
}

function rolesAlive(home: string, roles: readonly ProcessRole[]): Map<ProcessRole, Identity> {
  const living = livingRoles(home);
  return new Map(
    roles.flatMap((role) => {
      const identity = living.get(role);
      return identity === undefined ? [] : [[role, identity] as const];
    }),
  );
}

function signal(processes: readonly Identity[], name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
  for (const each of processes) {
    if (!isAlive(each)) continue;
    try {
      process.kill(each.pid, name);
    } catch (error) {
      if (!hasCode(error, "ESRCH")) throw error;
    }
  }
}
