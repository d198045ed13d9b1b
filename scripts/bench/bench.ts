/**
 * `npm run bench`: how fast Mimikit is on this machine, beside others that do the same. Contestants of a row are measured in
 * turn, round after round; what is shown is the median of the rounds, with the least and the most (docs/performance.md).
 */
import { parseArgs } from "node:util";
import { type Figures, median, rangeOf } from "./measure/figures.ts";
import { describeMachine, machineNow } from "./measure/machine.ts";
import { loadText } from "./measure/processes.ts";
import { ROWS } from "./rows/index.ts";
import type { Row, Sizes } from "./rows/row.ts";

const ROUNDS_DEFAULT = 3;
/** A round that takes longer is stuck. */
const ROUND_MS_MAX = 600_000;
const SIZES: Sizes = { burst: 10_000, open: 10_000, turns: 1_000, messages: 200_000 };

interface Measured {
  row: string;
  about: string;
  /** By the name of the contestant: its rounds, or why there are none. */
  contestants: { name: string; missing: string | null; rounds: Figures[] }[];
}

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    json: { type: "boolean", default: false },
    rounds: { type: "string" },
    only: { type: "string", multiple: true },
    burst: { type: "string", default: `${SIZES.burst}` },
    open: { type: "string", default: `${SIZES.open}` },
    turns: { type: "string", default: `${SIZES.turns}` },
    messages: { type: "string", default: `${SIZES.messages}` },
  },
});
if (options.help) process.stdout.write(help());
else await run();

async function run(): Promise<void> {
  const sizes: Sizes = {
    burst: countOf("burst"),
    open: countOf("open"),
    turns: countOf("turns"),
    messages: countOf("messages"),
  };
  const rows = chosen();
  const machine = { is: describeMachine(), before: machineNow() };
  const measured: Measured[] = [];
  for (const row of rows) measured.push(await measure(row, sizes));
  const result = { ...machine, after: machineNow(), rows: measured };
  process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : page(result));
}

function countOf(name: "rounds" | keyof Sizes): number {
  const count = Number(options[name]);
  if (Number.isInteger(count) && count > 0) return count;
  process.stderr.write(`--${name} needs a whole number above 0, not ${options[name]}\n`);
  return process.exit(2);
}

function chosen(): Row[] {
  const names = (options.only ?? []).flatMap((each) => each.split(","));
  const unknown = names.filter((name) => !ROWS.some((row) => row.name === name));
  if (unknown.length === 0) return ROWS.filter(({ name }) => names.length === 0 || names.includes(name));
  process.stderr.write(
    `no row is called ${unknown.join(", ")}; there are: ${ROWS.map(({ name }) => name).join(", ")}\n`,
  );
  return process.exit(2);
}

async function measure(row: Row, sizes: Sizes): Promise<Measured> {
  const contestants = row.contestants(sizes).map((contestant) => ({ contestant, rounds: [] as Figures[] }));
  const rounds = options.rounds === undefined ? (row.rounds ?? ROUNDS_DEFAULT) : countOf("rounds");
  for (let round = 1; round <= rounds; round++)
    for (const { contestant, rounds: figures } of contestants) {
      if (contestant.missing !== null) continue;
      process.stderr.write(`[bench] ${row.name}, round ${round} of ${rounds}: ${contestant.name} (${loadText()})\n`);
      figures.push(await inTime(contestant.round()));
    }
  return {
    row: row.name,
    about: row.about,
    contestants: contestants.map(({ contestant: { name, missing }, rounds }) => ({ name, missing, rounds })),
  };
}

/** Throws when a round does not come to an end: a bench that hangs says nothing. */
async function inTime<T>(round: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`a round took longer than ${ROUND_MS_MAX / 60_000} minutes`)),
      ROUND_MS_MAX,
    );
  });
  return Promise.race([round, late]).finally(() => clearTimeout(timer));
}

function page({ is, before, after, rows }: { is: string; before: Figures; after: Figures; rows: Measured[] }): string {
  const machine = Object.keys(before).map(
    (name) => `| ${name} | ${rangeOf([before[name] ?? 0])} | ${rangeOf([after[name] ?? 0])} |\n`,
  );
  return `${is}\n\n| the machine | before | after |\n|---|---|---|\n${machine.join("")}\n${rows.map(tableOf).join("\n")}`;
}

/** A table in Markdown; a figure of another contestant has beside it how many times of it ours is. */
function tableOf({ row, about, contestants }: Measured): string {
  const names = [...new Set(contestants.flatMap(({ rounds }) => rounds.flatMap((figures) => Object.keys(figures))))];
  const [ours] = contestants;
  const cell = (contestant: Measured["contestants"][number], name: string) => {
    if (contestant.missing !== null) return contestant.missing;
    const values = valuesOf(contestant.rounds, name);
    if (values.length === 0 || contestant === ours) return rangeOf(values);
    const ratios = valuesOf(ours?.rounds ?? [], name).map((value, round) => value / (values[round] ?? Number.NaN));
    return `${rangeOf(values)}${ratios.length === 0 ? "" : ` · ours ${rangeOf([median(ratios)])} ×`}`;
  };
  const lines = names.map((name) => `| ${[name, ...contestants.map((each) => cell(each, name))].join(" | ")} |\n`);
  const head = `| ${row} | ${contestants.map(({ name }) => name).join(" | ")} |\n|---|${"---|".repeat(contestants.length)}\n`;
  return `${about}:\n\n${head}${lines.join("")}`;
}

function valuesOf(rounds: readonly Figures[], name: string): number[] {
  return rounds.flatMap((figures) => figures[name] ?? []);
}

function help(): string {
  return `npm run bench -- [options]   measures Mimikit beside others that do the same

  --only ROW       only this row; more than once, or with commas between
  --rounds N       so many rounds of each (${ROUNDS_DEFAULT}, or what suits the row)
  --json           all rounds as JSON
  --burst N        messages of the burst (${SIZES.burst})
  --open N         open tasks, and triggers (${SIZES.open})
  --turns N        turns before memory is looked at (${SIZES.turns})
  --messages N     messages of the history that is searched (${SIZES.messages})

Rows: ${ROWS.map(({ name }) => name).join(", ")}

  npm run bench                                    everything, some ten minutes
  npm run bench -- --only dispatch,drain           two rows
  npm run bench -- --only hello --rounds 10        more rounds, for a busy machine
  npm run bench -- --only memory --turns 5000      a longer run
  npm run -s bench -- --json > before.json         to compare with later

What is not installed is said in its place: redis-server and PostgreSQL are Debian's packages redis-server and postgresql.
`;
}
