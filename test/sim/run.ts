/**
 * `npm run test:sim -- [--calendar | --pools] --seeds 20000 [--from 1] [--jobs 2]`: simulates that many seeds and says what went
 * wrong in which. With `--calendar` they are of schedules around the world, with `--pools` of work on other machines, else of everything
 * else. With `--resume FILE` it goes on where the last session has ended.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism, constants, setPriority } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  BATCH_SEEDS,
  commitOf,
  describe,
  doneThrough,
  Refused,
  readProgress,
  saveProgress,
  withBatch,
} from "./progress.ts";

const HELP = `Simulates worlds, each of which follows from a number, and says which of them were violated.

  --seeds N           how many (2000)
  --from N            the first of them (1)
  --jobs N            in how many processes (one for each processor)
  --calendar          worlds of schedules around the world, not of everything else
  --pools             worlds of work on other machines
  --until-violation   ends with the first world that is violated
  --seconds N         no world begins later than that; says how many were not begun
  --resume FILE       goes on behind the seeds that FILE says are done, up to number N, at the lowest priority;
                      FILE is outside of the clone, and is written every ${BATCH_SEEDS} seeds

Examples:
  npm run test:sim -- --seeds 500
  npm run test:sim -- --from 4711 --seeds 1
  npm run test:sim -- --seeds 100000 --seconds 600
  npm run test:sim -- --seeds 100000 --resume ~/worlds.json
  npm run test:calendar -- --seeds 100000 --resume ~/calendar.json`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    calendar: { type: "boolean", default: false },
    pools: { type: "boolean", default: false },
    "until-violation": { type: "boolean", default: false },
    seconds: { type: "string" },
    resume: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

interface Summary {
  seeds: number;
  bad: { seed: number; violations: string[] }[];
  counts: Record<string, number>;
}

/** Seeds in a row, and in how many processes they are simulated. */
interface Range {
  from: number;
  seeds: number;
  jobs: number;
}

/** A whole number that was given. Ends with what to do where it is none. */
function numberOf(option: "seeds" | "from" | "jobs" | "seconds", fallback = ""): number {
  const text = values[option] ?? fallback;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`--${option} is a whole number from 1 on, not ${JSON.stringify(text)}. --help says more.`);
  process.exit(2);
}

/** Every `jobs`-th seed, beginning with `first`. */
async function simulateShare({ from, seeds, jobs }: Range, first: number): Promise<Summary> {
  const { simulate } = await modules[simulationOf()]();
  const summary: Summary = { seeds: 0, bad: [], counts: {} };
  const untilMs = values.seconds === undefined ? Infinity : performance.now() + numberOf("seconds") * 1_000;
  for (let seed = first; seed < from + seeds && performance.now() < untilMs; seed += jobs) {
    const { violations, counts } = await simulate(seed);
    summary.seeds++;
    for (const [name, count] of Object.entries(counts)) summary.counts[name] = (summary.counts[name] ?? 0) + count;
    if (violations.length > 0) summary.bad.push({ seed, violations: violations.slice(0, 5) });
    if (summary.bad.length > 0 && values["until-violation"]) break;
  }
  return summary;
}

const modules = {
  worlds: () => import("./simulate.ts"),
  calendar: () => import("./calendar/simulate.ts"),
  pools: () => import("./pools/simulate.ts"),
};

function simulationOf(): keyof typeof modules {
  if (values.calendar) return "calendar";
  return values.pools ? "pools" : "worlds";
}

const children = new Set<ChildProcess>();

function runShare({ from, seeds, jobs }: Range, share: number): Promise<Summary> {
  const options = ["--seeds", String(seeds), "--from", String(from), "--jobs", String(jobs)];
  for (const flag of ["calendar", "pools", "until-violation"] as const) if (values[flag]) options.push(`--${flag}`);
  if (values.seconds !== undefined) options.push("--seconds", values.seconds);
  const child = spawn(process.execPath, [import.meta.filename, ...options], {
    env: { ...process.env, MIMIKIT_SIM_SHARE: String(share) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      children.delete(child);
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`a share ended with ${code}`));
    });
  });
}

/** Simulates seeds in a row. */
async function runSeeds(range: Range): Promise<Summary> {
  const jobs = Math.min(range.jobs, range.seeds);
  const shares =
    jobs === 1
      ? [await simulateShare({ ...range, jobs }, range.from)]
      : await Promise.all(Array.from({ length: jobs }, (_, i) => runShare({ ...range, jobs }, i)));
  const counts: Record<string, number> = {};
  for (const share of shares)
    for (const [name, count] of Object.entries(share.counts)) counts[name] = (counts[name] ?? 0) + count;
  const bad = shares.flatMap((share) => share.bad).sort((a, b) => a.seed - b.seed);
  return { seeds: shares.reduce((sum, { seeds }) => sum + seeds, 0), bad, counts };
}

function report(passed: number, bad: Summary["bad"]): void {
  for (const { seed, violations } of bad.slice(0, 10)) console.error(`seed ${seed}: ${violations.join("; ")}`);
  console.log(`${passed} passed, ${bad.length} failed`);
  process.exitCode = bad.length === 0 ? 0 : 1;
}

/** Simulates the seeds up to number `last` that are not done yet, and notes each batch of them. */
async function resume(path: string, last: number, jobs: number): Promise<void> {
  const tree = join(import.meta.dirname, "../..");
  const read = () => readProgress(path, simulationOf(), tree);
  const commit = commitOf(tree);
  let progress = read();
  setPriority(constants.priority.PRIORITY_LOW);
  for (let from = doneThrough(progress) + 1; from <= last; from = doneThrough(progress) + 1) {
    const startMs = performance.now();
    const { seeds, bad, counts } = await runSeeds({ from, seeds: Math.min(BATCH_SEEDS, last - from + 1), jobs });
    if (doneThrough(read()) !== from - 1) throw new Refused(`another run has written ${path}: let only one go on`);
    progress = withBatch(progress, { from, seeds, bad, counts, ms: performance.now() - startMs }, commit);
    saveProgress(path, progress);
    if (bad.length > 0 && values["until-violation"]) break;
  }
  console.log(describe(progress));
  const passed = progress.stretches.reduce((sum, { whole }) => sum + whole, 0);
  report(passed, progress.bad);
}

async function main(): Promise<void> {
  const range = { from: numberOf("from", "1"), seeds: numberOf("seeds"), jobs: numberOf("jobs") };
  const share = process.env.MIMIKIT_SIM_SHARE;
  if (share !== undefined) {
    process.stdout.write(JSON.stringify(await simulateShare(range, range.from + Number(share))));
    return;
  }
  // None of them goes on without whoever reads what it says.
  process.once("exit", () => {
    for (const child of children) child.kill();
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  if (values.resume !== undefined) {
    if (values.from !== undefined) throw new Refused("--resume begins where it has ended: give no --from");
    return resume(values.resume, range.seeds, range.jobs);
  }
  const startMs = performance.now();
  const { seeds, bad, counts } = await runSeeds(range);
  console.log(JSON.stringify({ ...counts, seconds: Math.round((performance.now() - startMs) / 1_000) }));
  if (seeds < range.seeds && !values["until-violation"])
    console.log(`not begun within ${values.seconds} s: ${range.seeds - seeds} of ${range.seeds}`);
  report(seeds - bad.length, bad);
}

if (values.help) console.log(HELP);
else
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
