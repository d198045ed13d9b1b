/**
 * `npm run test:kills -- --help`: kills at every stage of the main job, and says which stages were struck how often. The state of a
 * failed run is kept.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { below, randomOf } from "../sim/random.ts";
import { FAULTS, nameOf, type Ran, runStagedKills } from "./staged-kills.ts";
import { STAGES } from "./stages.ts";

const HELP = `npm run test:kills -- [options]

Kills the processes at every stage of the main job, under load, and looks whether anything was lost or done twice.

  --runs N       instances that are tried (default 5)
  --kills N      faults placed in each of them (default 6)
  --seed N       of the first run; the others have the numbers after it (default 1)
  --parallel N   runs at a time, 1 or 2 (default 1)
  --out FILE     a line of JSON for each run; runs that are in it already are not made again

Examples:
  npm run test:kills                                   some minutes
  npm run test:kills -- --runs 200 --parallel 2 --out kills.jsonl   goes on where it ended
  npm run test:kills -- --runs 1 --seed 17             one run again: the same faults, not the same moments
`;
/** The order in which faults are placed: every run has others, until each has had its turn. */
const ORDER_SEED = 20;

// Processes that are started all the time are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/node");

const number = (value: string) => Math.max(1, Math.floor(Number(value)) || 1);
const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    kills: { type: "string", default: "6" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "1" },
    out: { type: "string" },
  },
});

if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const first = number(values.seed);
  const seeds = Array.from({ length: number(values.runs) }, (_, i) => first + i);
  const kills = number(values.kills);
  const made = readRuns(values.out);
  const left = seeds.filter((seed) => !made.some((ran) => ran.seed === seed));
  const all = shuffled();
  const work = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const at = (seed - 1) * kills;
      const faults = Array.from({ length: kills }, (_, i) => all[(at + i) % all.length]).flatMap(
        (fault) => fault ?? [],
      );
      const ran = await runStagedKills(seed, faults);
      made.push(ran);
      if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(ran)}\n`);
      tell(ran);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, number(values.parallel)) }, work));
  sumUp(made.filter(({ seed }) => seeds.includes(seed)));
}

function readRuns(path: string | undefined): Ran[] {
  if (path === undefined || !existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Ran);
}

function shuffled() {
  const random = randomOf(ORDER_SEED);
  const all = [...FAULTS];
  for (let i = all.length - 1; i > 0; i--) {
    const j = below(random, i + 1);
    [all[i], all[j]] = [all[j] as (typeof all)[number], all[i] as (typeof all)[number]];
  }
  return all;
}

function tell({ seed, placed, missed, orders, after, problems, kept }: Ran): void {
  const said = `${placed.length} faults, ${orders} messages, ${after.tasks} tasks`;
  const late = missed.length === 0 ? "" : `; did not come: ${missed.join(", ")}`;
  console.log(
    `seed ${seed}: ${said}, ${problems.length === 0 ? "nothing lost or doubled" : problems.join("; ")}${late}`,
  );
  if (kept !== undefined) console.log(`  its state is kept in ${kept}`);
}

function sumUp(runs: readonly Ran[]): void {
  const times = new Map<string, number>();
  for (const name of runs.flatMap(({ placed }) => placed)) times.set(name, (times.get(name) ?? 0) + 1);
  const sum = (of: (ran: Ran) => number) => runs.reduce((all, ran) => all + of(ran), 0);
  console.log("\nfaults by stage: killed, stopped, of the processes and groups of them each was struck for");
  for (const stage of STAGES) {
    const own = FAULTS.filter((fault) => fault.stage === stage);
    const of = (signal: string) => {
      const some = own.filter((fault) => fault.signal === signal);
      const struck = some.map((fault) => times.get(nameOf(fault)) ?? 0);
      return `${struck.reduce((all, n) => all + n, 0)} (${struck.filter((n) => n > 0).length} of ${some.length})`;
    };
    console.log(`  ${stage.padEnd(18)} ${of("SIGKILL").padEnd(14)} ${of("SIGSTOP")}`);
  }
  const failed = runs.filter(({ problems }) => problems.length > 0).length;
  const ends = new Map<string, number>();
  for (const [reason, n] of runs.flatMap(({ after }) => Object.entries(after.failed)))
    ends.set(reason, (ends.get(reason) ?? 0) + n);
  console.log(
    `\n${sum(({ placed }) => placed.length)} faults (${sum(({ missed }) => missed.length)} stages did not come), ${sum(({ orders }) => orders)} messages, ${sum(({ after }) => after.turns)} turns, ${sum(({ after }) => after.tasks)} tasks, ${sum(({ after }) => after.ran)} commands, ${sum(({ after }) => after.ranAgain)} of them run again`,
  );
  console.log(`tasks that failed: ${[...ends].map(([reason, n]) => `${n} ${reason}`).join(", ") || "none"}`);
  console.log(`${runs.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
