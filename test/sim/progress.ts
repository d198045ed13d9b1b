/**
 * How far a long run has come, in a file: it goes on from there, in another session and of another commit. A batch
 * that was killed is simulated again.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { z } from "zod";

/** Worlds between two notes: so many are simulated again at most. */
export const BATCH_SEEDS = 1_000;
const HOUR_MS = 3_600_000;

/** Seeds that one commit has simulated in a row. */
const Stretch = z.object({
  /** With `+` where files had been changed. */
  commit: z.string(),
  from: z.number().int().positive(),
  through: z.number().int().nonnegative(),
  whole: z.number().int().nonnegative(),
  violated: z.number().int().nonnegative(),
  /** Of the clock on the wall, with everything else that the machine did meanwhile. */
  hours: z.number().nonnegative(),
  counts: z.record(z.string(), z.number()),
});
type Stretch = z.infer<typeof Stretch>;

const Bad = z.object({ seed: z.number().int(), violations: z.array(z.string()) });

/** Something that was asked for cannot be done; the message says what to do instead. */
export class Refused extends Error {}

export const Progress = z.object({
  simulation: z.enum(["worlds", "calendar", "pools"]),
  stretches: z.array(Stretch),
  bad: z.array(Bad),
});
export type Progress = z.infer<typeof Progress>;

/** The outcome of some seeds in a row. */
export interface Batch {
  from: number;
  seeds: number;
  bad: z.infer<typeof Bad>[];
  counts: Readonly<Record<string, number>>;
  ms: number;
}

/** The last seed that is done; 0 before the first. */
export function doneThrough({ stretches }: Progress): number {
  return stretches.at(-1)?.through ?? 0;
}

/** The progress with one more batch, which begins with the next seed. */
export function withBatch(progress: Progress, { from, seeds, bad, counts, ms }: Batch, commit: string): Progress {
  if (from !== doneThrough(progress) + 1) throw new Error(`seed ${doneThrough(progress) + 1} is next, not ${from}`);
  const last = progress.stretches.at(-1);
  const isSame = last?.commit === commit;
  const before: Stretch =
    isSame && last !== undefined
      ? last
      : { commit, from, through: from - 1, whole: 0, violated: 0, hours: 0, counts: {} };
  const sums = Object.entries(counts).map(([name, count]) => [name, (before.counts[name] ?? 0) + count]);
  const after: Stretch = {
    ...before,
    through: from + seeds - 1,
    whole: before.whole + seeds - bad.length,
    violated: before.violated + bad.length,
    hours: before.hours + ms / HOUR_MS,
    counts: Object.fromEntries(sums),
  };
  const earlier = isSame ? progress.stretches.slice(0, -1) : progress.stretches;
  return { ...progress, stretches: [...earlier, after], bad: [...progress.bad, ...bad] };
}

/** Reads it; a file that is not there is a beginning. @throws Refused where it is none, is of the other simulation, or lies in `tree`. */
export function readProgress(path: string, simulation: Progress["simulation"], tree: string): Progress {
  if (!relative(tree, resolve(path)).startsWith(".."))
    throw new Refused(`${path} is in the clone, where it would be committed: give a path outside of it`);
  if (!existsSync(path)) return { simulation, stretches: [], bad: [] };
  const progress = Progress.safeParse(parse(readFileSync(path, "utf8"))).data;
  if (progress === undefined)
    throw new Refused(`${path} is no progress of a simulation: give another path, or remove it`);
  if (progress.simulation !== simulation)
    throw new Refused(`${path} is of the simulation "${progress.simulation}": give another path for this one`);
  return progress;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Replaces the file as a whole. */
export function saveProgress(path: string, progress: Progress): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(progress, null, 2)}\n`);
  renameSync(temporary, path);
}

/** The commit of a clone, with `+` where its files are not those of the commit. */
export function commitOf(tree: string): string {
  const git = (...args: string[]) => execFileSync("git", ["-C", tree, ...args], { encoding: "utf8" }).trim();
  return `${git("rev-parse", "--short=10", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
}

/** For people: a line for each stretch. */
export function describe({ stretches }: Progress): string {
  const lines = stretches.map(({ commit, from, through, whole, violated, hours, counts }) => {
    const { steps = 0, kills = 0, powerLosses = 0 } = counts;
    const of = `${whole} whole, ${violated} violated, ${steps} steps, ${kills} kills, ${powerLosses} power losses`;
    return `${commit}: seeds ${from} to ${through}: ${of}, ${hours.toFixed(2)} h`;
  });
  return lines.join("\n");
}
