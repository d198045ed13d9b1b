/** `npm run test:pools -- --help`: random faults of a home, its machines and their engine. The state of a failed run is kept. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { FAULT_NAMES, type Ran, runFaults } from "./faults.ts";

const HELP = `npm run test:pools -- [options]

Kills and stops the processes of a home, two machines that work for it and their engine, and lets the engine forget, under load. Then
looks whether anything was lost, done more often than it was permitted, or left over. It needs redis-server.

  --runs N       homes that are tried, one after the other (default 1)
  --faults N     faults in each of them (default 30)
  --seed N       of the first run; the others have the numbers after it (default 1)

Examples:
  npm run test:pools                          a minute or two
  npm run test:pools -- --runs 10             300 faults
  npm run test:pools -- --seed 17             one run again: the same faults, not the same moments
`;

// Processes that are started all the time are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/node");

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    runs: { type: "string", default: "1" },
    faults: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
  },
});

if (values.help) process.stdout.write(HELP);
else await main();

/** A whole number that was given. Ends with what to do where it is none. */
function numberOf(option: "runs" | "faults" | "seed"): number {
  const text = values[option];
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`--${option} is a whole number from 1 on, not ${JSON.stringify(text)}. --help says more.`);
  process.exit(2);
}

async function main(): Promise<void> {
  if (findProgram("redis-server") === null) {
    console.error("redis-server is needed (sudo apt-get install redis-server)");
    process.exitCode = 2;
    return;
  }
  const [first, faults] = [numberOf("seed"), numberOf("faults")];
  const runs: Ran[] = [];
  for (let seed = first; seed < first + numberOf("runs"); seed++) {
    const ran = await runFaults(seed, faults);
    runs.push(ran);
    const { after, orders, problems, kept = [] } = ran;
    const said = problems.length === 0 ? "nothing lost or doubled" : problems.join("; ");
    console.log(`seed ${seed}: ${faults} faults, ${orders} orders, ${after.tasks} tasks, ${said}`);
    for (const folder of kept) console.log(`  its state is kept in ${folder}`);
  }
  sumUp(runs);
}

function sumUp(runs: readonly Ran[]): void {
  const all = runs.flatMap(({ placed }) => placed);
  const sum = (of: (ran: Ran) => number) => runs.reduce((total, ran) => total + of(ran), 0);
  console.log("\nfaults");
  for (const name of FAULT_NAMES)
    console.log(`  ${String(all.filter((each) => each === name).length).padStart(4)}  ${name}`);
  const commands = `${sum(({ after }) => after.ran)} commands, ${sum(({ after }) => after.ranAgain)} further runs`;
  console.log(`\n${all.length} faults, ${sum(({ orders }) => orders)} orders, ${commands}`);
  const failed = runs.filter(({ problems }) => problems.length > 0).length;
  console.log(`${runs.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
