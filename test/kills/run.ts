/**
 * `npm run test:kills -- --help`: kills at every stage of the main job, and while all edges are used at once, and says what was
 * struck how often. The state of a failed run is kept.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { below, randomOf } from "../sim/random.ts";
import { type EdgesRan, runEdgeKills } from "./edges/run.ts";
import { FAULTS, nameOf, type Ran, runStagedKills } from "./staged-kills.ts";
import { STAGES } from "./stages.ts";

const HELP = `npm run test:kills -- [options]

Kills the processes at every stage of the main job, under load, and looks whether anything was lost or done twice.

  --runs N       instances that are tried (default 5; none with --edges)
  --kills N      faults placed in each of them (default 6)
  --seed N       of the first run; the others have the numbers after it (default 1)
  --parallel N   runs at a time, 1 or 2 (default 1)
  --edges N      faults under PM2 while all edges are used at once, in instances of 100 each: the page and its files,
                 Telegram, /v1, hooks in and out, MCP, and calls that ask first (default none)
  --out FILE     a line of JSON for each run; runs that are in it already are not made again

Examples:
  npm run test:kills                                   some minutes
  npm run test:kills -- --runs 200 --parallel 2 --out kills.jsonl   goes on where it ended
  npm run test:kills -- --runs 1 --seed 17             one run again: the same faults, not the same moments
  npm run test:kills -- --edges 1000 --seed 301        about an hour
`;
/** The order in which faults are placed: every run has others, until each has had its turn. */
const ORDER_SEED = 20;
const RUNS_DEFAULT = 5;
/** Faults of one instance with all edges. */
const EDGE_FAULTS_MAX = 100;

// Processes that are started all the time are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/node");

const number = (value: string) => Math.max(1, Math.floor(Number(value)) || 1);
const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    runs: { type: "string" },
    kills: { type: "string", default: "6" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "1" },
    edges: { type: "string" },
    out: { type: "string" },
  },
});

if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const first = number(values.seed);
  const edges = values.edges === undefined ? 0 : number(values.edges);
  const runs = values.runs === undefined ? (edges > 0 ? 0 : RUNS_DEFAULT) : number(values.runs);
  const seeds = Array.from({ length: runs }, (_, i) => first + i);
  const kills = number(values.kills);
  const { staged: made, edges: edgesMade } = readRuns(values.out);
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
      keep(ran);
      tell(ran);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, number(values.parallel)) }, work));
  const edgeSeeds = Array.from({ length: Math.ceil(edges / EDGE_FAULTS_MAX) }, (_, i) => first + i);
  for (const [at, seed] of edgeSeeds.entries()) {
    if (edgesMade.some((ran) => ran.seed === seed)) continue;
    const faults = Math.min(EDGE_FAULTS_MAX, edges - at * EDGE_FAULTS_MAX);
    const ran = await runEdgeKills(seed, faults, (text) => console.log(`  seed ${seed}: ${text}`));
    edgesMade.push(ran);
    keep(ran);
    tellEdges(ran);
  }
  const staged = made.filter(({ seed }) => seeds.includes(seed));
  const atEdges = edgesMade.filter(({ seed }) => edgeSeeds.includes(seed));
  if (staged.length > 0) sumUp(staged);
  if (atEdges.length > 0) sumUpEdges(atEdges);
  const every = [...staged, ...atEdges];
  const failed = every.filter(({ problems }) => problems.length > 0).length;
  console.log(`${every.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function keep(ran: Ran | EdgesRan): void {
  if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(ran)}\n`);
}

function readRuns(path: string | undefined): { staged: Ran[]; edges: EdgesRan[] } {
  const lines = path === undefined || !existsSync(path) ? [] : readFileSync(path, "utf8").split("\n").filter(Boolean);
  const runs = lines.map((line) => JSON.parse(line) as Ran | EdgesRan);
  return {
    staged: runs.flatMap((ran) => ("placed" in ran ? [ran] : [])),
    edges: runs.flatMap((ran) => ("placed" in ran ? [] : [ran])),
  };
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
  const ends = new Map<string, number>();
  for (const [reason, n] of runs.flatMap(({ after }) => Object.entries(after.failed)))
    ends.set(reason, (ends.get(reason) ?? 0) + n);
  console.log(
    `\n${sum(({ placed }) => placed.length)} faults (${sum(({ missed }) => missed.length)} stages did not come), ${sum(({ orders }) => orders)} messages, ${sum(({ after }) => after.turns)} turns, ${sum(({ after }) => after.tasks)} tasks, ${sum(({ after }) => after.ran)} commands, ${sum(({ after }) => after.ranAgain)} of them run again`,
  );
  console.log(`tasks that failed: ${[...ends].map(([reason, n]) => `${n} ${reason}`).join(", ") || "none"}`);
}

function tellEdges({ seed, seconds, faults, problems, kept }: EdgesRan): void {
  const placed = Object.values(faults).reduce((sum, n) => sum + n, 0);
  const outcome = problems.length === 0 ? "nothing lost or doubled" : problems.join("; ");
  console.log(`seed ${seed}: ${placed} faults with all edges in ${seconds} s, ${outcome}`);
  if (kept !== undefined) console.log(`  its state is kept in ${kept}`);
}

function sumUpEdges(runs: readonly EdgesRan[]): void {
  const merged = (of: (ran: EdgesRan) => Record<string, number>) => {
    const counts = new Map<string, number>();
    for (const [name, n] of runs.flatMap((ran) => Object.entries(of(ran))))
      counts.set(name, (counts.get(name) ?? 0) + n);
    return [...counts].map(([name, n]) => `${name} ${n}`).join(", ");
  };
  console.log(`\nwith all edges at once under PM2, in ${runs.reduce((sum, { seconds }) => sum + seconds, 0)} s`);
  console.log(`  faults: ${merged(({ faults }) => faults)}`);
  console.log(`  killed: ${merged(({ kills }) => kills)}`);
  console.log(`  ${merged(({ figures }) => figures)}\n`);
}
