/**
 * `npm run test:sim -- [--calendar] --seeds 20000 [--from 1] [--jobs 2]`: simulates that many seeds and says what went
 * wrong in which. With `--calendar` they are of schedules around the world, without it of everything else.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    calendar: { type: "boolean", default: false },
    "until-violation": { type: "boolean", default: false },
  },
});
const seeds = Number(values.seeds);
const from = Number(values.from);
const jobs = Math.max(1, Math.min(Number(values.jobs), seeds));

interface Summary {
  seeds: number;
  bad: { seed: number; violations: string[] }[];
  counts: Record<string, number>;
}

/** Every `jobs`-th seed, beginning with `first`. */
async function simulateShare(first: number): Promise<Summary> {
  const { simulate } = await (values.calendar ? import("./calendar/simulate.ts") : import("./simulate.ts"));
  const summary: Summary = { seeds: 0, bad: [], counts: {} };
  for (let seed = first; seed < from + seeds; seed += jobs) {
    const { violations, counts } = await simulate(seed);
    summary.seeds++;
    for (const [name, count] of Object.entries(counts)) summary.counts[name] = (summary.counts[name] ?? 0) + count;
    if (violations.length > 0) summary.bad.push({ seed, violations: violations.slice(0, 5) });
    if (summary.bad.length > 0 && values["until-violation"]) break;
  }
  return summary;
}

function runShare(share: number): Promise<Summary> {
  const options = ["--seeds", String(seeds), "--from", String(from), "--jobs", String(jobs)];
  for (const flag of ["calendar", "until-violation"] as const) if (values[flag]) options.push(`--${flag}`);
  const child = spawn(process.execPath, [import.meta.filename, ...options], {
    env: { ...process.env, MIMIKIT_SIM_SHARE: String(share) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`a share ended with ${code}`)),
    );
  });
}

const share = process.env.MIMIKIT_SIM_SHARE;
if (share !== undefined) {
  process.stdout.write(JSON.stringify(await simulateShare(from + Number(share))));
} else {
  const startMs = performance.now();
  const summaries =
    jobs === 1 ? [await simulateShare(from)] : await Promise.all(Array.from({ length: jobs }, (_, i) => runShare(i)));
  const counts: Record<string, number> = {};
  for (const summary of summaries)
    for (const [name, count] of Object.entries(summary.counts)) counts[name] = (counts[name] ?? 0) + count;
  const bad = summaries.flatMap((summary) => summary.bad).sort((a, b) => a.seed - b.seed);
  for (const { seed, violations } of bad.slice(0, 10)) console.error(`seed ${seed}: ${violations.join("; ")}`);
  const done = summaries.reduce((sum, summary) => sum + summary.seeds, 0);
  console.log(JSON.stringify({ ...counts, seconds: Math.round((performance.now() - startMs) / 1_000) }));
  console.log(`${done - bad.length} passed, ${bad.length} failed`);
  process.exitCode = bad.length === 0 ? 0 : 1;
}
