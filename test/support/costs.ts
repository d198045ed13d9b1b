/** The work of the real processes, counted and not timed: the same on a fast machine and on a busy one. */
import { type Calls, type Instance, ROLE_NAMES, type RoleName } from "./instance.ts";

/** The functions of node:fs behind each figure. A record gets its name by a link. */
const COUNTED = {
  records: ["link", "linkSync"],
  syncs: ["sync", "datasync", "fsync", "fdatasync", "fsyncSync", "fdatasyncSync"],
  looks: [
    "stat",
    "lstat",
    "fstat",
    "statSync",
    "lstatSync",
    "fstatSync",
    "access",
    "accessSync",
    "exists",
    "existsSync",
  ],
  lists: ["readdir", "readdirSync", "opendir", "opendirSync"],
} as const;

export type Cost = Record<keyof typeof COUNTED, number> & {
  /** Milliseconds of processor time, for whoever compares by hand: never a promise. */
  cpuMs: number;
};
export type Costs = Record<RoleName, Cost>;

/**
 * Does something so many times, one after the other, and says what it costs each role in the middle: half of the times cost no
 * more. Views that are written every few seconds fall into the others.
 * @param act resolves when all is done.
 */
export async function costsOf(mimikit: Instance, times: number, act: () => Promise<unknown>): Promise<Costs> {
  // The first time, things are loaded that stay.
  await act();
  const all: Costs[] = [];
  for (let before = await atRest(mimikit); all.length < times; ) {
    await act();
    const now = await atRest(mimikit);
    all.push(byRole((role) => difference(now[role], before[role])));
    before = now;
  }
  return byRole((role) => middle(all.map((costs) => costs[role])));
}

/** The roles' costs since they were started, when none of them does anything any more. */
async function atRest(mimikit: Instance): Promise<Costs> {
  for (let last = ""; ; ) {
    const calls = await Promise.all(ROLE_NAMES.map((role) => mimikit.calls(role)));
    const now = JSON.stringify(calls.map(({ counts }) => counts));
    if (now === last) return byRole((role) => costOf(calls[ROLE_NAMES.indexOf(role)] as Calls));
    last = now;
  }
}

function costOf({ counts, cpuMs }: Calls): Cost {
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + (counts[name] ?? 0), 0);
  return { ...mapped(COUNTED, sum), cpuMs };
}

function difference(now: Cost, before: Cost): Cost {
  return mapped(now, (value, name) => value - before[name]);
}

function middle(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) throw new Error("nothing was done");
  const middleOf = (values: number[]) => values.sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
  return mapped(first, (_, name) => middleOf(costs.map((cost) => cost[name])));
}

function byRole<T>(of: (role: RoleName) => T): Record<RoleName, T> {
  return Object.fromEntries(ROLE_NAMES.map((role) => [role, of(role)])) as Record<RoleName, T>;
}

function mapped<K extends string, T, U>(values: Readonly<Record<K, T>>, of: (value: T, name: K) => U): Record<K, U> {
  const entries = (Object.entries(values) as [K, T][]).map(([name, value]) => [name, of(value, name)]);
  return Object.fromEntries(entries) as Record<K, U>;
}
