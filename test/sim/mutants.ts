/**
 * `npm run test:mutants [-- [--common] [--seconds N] NAME …]`: breaks the real code in one place, and expects the simulation to notice. A
 * checker that misses a broken rule proves nothing when it is silent. Each is tried first in the worlds that it is expected in; only then
 * those are searched for that were not caught there, because after a change of the product the worlds are others, and a search may take
 * long. After `--seconds` no search goes on: mutants that are not caught by then are named, and neither passed nor failed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BLIND_MUTANTS } from "./blind-mutants.ts";
import { CALENDAR_MUTANTS } from "./calendar/mutants.ts";
import { MUTANTS, type Mutant } from "./mutant-list.ts";
import { POOL_MUTANTS } from "./pools/mutants.ts";

const ROOT = join(import.meta.dirname, "../..");
/** A mutant that survives this many seeds is not caught. */
const SEEDS_MAX = 6_000;
/** Worlds that are tried from the one on that has shown it before: they change a little with the simulation. */
const SEEDS_AROUND = 20;
/** Worlds that are tried first, from the first one on, of a mutant that names none. */
const SEEDS_FIRST = 100;
const JOBS = 2;

/** A copy of what the simulation runs, which resolves `@mimikit/*` to itself. Node keeps there what it has compiled. */
function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), "mimikit-mutant-"));
  process.once("exit", () => rmSync(tree, { recursive: true, force: true }));
  for (const part of [
    "packages",
    "apps/http-gateway",
    "apps/supervisor",
    "apps/worker-pool",
    "test/sim",
    "test/core/facts.ts",
    "package.json",
    "ecosystem.config.cjs",
  ])
    cpSync(join(ROOT, part), join(tree, part), { recursive: true });
  const modules = join(tree, "node_modules");
  mkdirSync(join(modules, "@mimikit"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "@mimikit") symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  for (const name of readdirSync(join(tree, "packages")))
    symlinkSync(join(tree, "packages", name), join(modules, "@mimikit", name));
  return tree;
}

/** @returns a function that mends the tree. */
function mutate(tree: string, { file, find, replace }: Mutant): () => void {
  const path = join(tree, file);
  const text = readFileSync(path, "utf8");
  if (text.split(find).length !== 2) throw new Error(`${file} has not exactly one place that reads: ${find}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  return () => writeFileSync(path, text);
}

interface Verdict {
  caught: boolean;
  said: string;
}

function simulate(tree: string, { from, seeds }: Worlds, { simulation }: Mutant): Promise<Verdict> {
  const script = join(tree, "test/sim/run.ts");
  const options = ["--from", String(from), "--seeds", String(seeds), "--jobs", "1", "--until-violation"];
  if (simulation !== undefined) options.push(`--${simulation}`);
  const child = spawn(process.execPath, [script, ...options], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(tree, ".cache") },
  });
  searching.add(child);
  let out = "";
  let said = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    said += data;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      searching.delete(child);
      if (isTimeUp) return resolve({ caught: false, said: "" });
      // A mutant that cannot run is no proof of anything.
      if (!/^\d+ passed, \d+ failed$/m.test(out) || /(Reference|Type)Error/.test(said))
        reject(new Error(`the simulation did not run: ${said.slice(0, 2_000)}`));
      else resolve({ caught: / [1-9]\d* failed$/m.test(out), said: said.split("\n")[0]?.slice(0, 160) ?? "" });
    });
  });
}

/** Worlds in which a mutant is looked for. */
interface Worlds {
  from: number;
  seeds: number;
}

function expectedWorlds({ seed }: Mutant): Worlds {
  return seed === undefined ? { from: 1, seeds: SEEDS_FIRST } : { from: seed, seeds: SEEDS_AROUND };
}

/** All that are left when it was not caught where it was expected. */
function otherWorlds({ seed }: Mutant): Worlds {
  const from = seed === undefined ? SEEDS_FIRST + 1 : 1;
  return { from, seeds: SEEDS_MAX - from + 1 };
}

async function judge(tree: string, mutant: Mutant, worlds: Worlds): Promise<Verdict> {
  const mend = mutate(tree, mutant);
  const verdict = await simulate(tree, worlds, mutant);
  mend();
  return verdict;
}

const { values, positionals: wanted } = parseArgs({
  options: { common: { type: "boolean", default: false }, seconds: { type: "string" } },
  allowPositionals: true,
});
const searching = new Set<ChildProcess>();
let isTimeUp = false;
if (values.seconds !== undefined)
  setTimeout(() => {
    isTimeUp = true;
    for (const child of searching) child.kill();
  }, Number(values.seconds) * 1_000).unref();
const undecided: string[] = [];
const queue = [...MUTANTS, ...BLIND_MUTANTS, ...CALENDAR_MUTANTS, ...POOL_MUTANTS].filter(
  ({ name, isRare }) => (wanted.length === 0 || wanted.includes(name)) && !(values.common && isRare === true),
);
const notWhereExpected: Mutant[] = [];
let passed = 0;
let failed = 0;

function say({ name }: Mutant, { caught, said }: Verdict, startMs: number): void {
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  if (caught) passed++;
  else failed++;
  console.log(`${caught ? "caught  " : "SURVIVED"} ${name} in ${seconds} s${caught ? ` (${said})` : ""}`);
}

async function judgeExpected(tree: string): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const startMs = performance.now();
    const verdict = isTimeUp ? null : await judge(tree, mutant, expectedWorlds(mutant));
    if (verdict?.caught) say(mutant, verdict, startMs);
    else notWhereExpected.push(mutant);
  }
}

async function search(tree: string): Promise<void> {
  for (let mutant = notWhereExpected.shift(); mutant !== undefined; mutant = notWhereExpected.shift()) {
    const startMs = performance.now();
    const verdict = isTimeUp ? null : await judge(tree, mutant, otherWorlds(mutant));
    if (verdict !== null && (verdict.caught || !isTimeUp)) say(mutant, verdict, startMs);
    else undecided.push(mutant.name);
  }
}

const trees = Array.from({ length: JOBS }, copyTree);
for (const work of [judgeExpected, search]) await Promise.all(trees.map(work));
if (undecided.length > 0) console.log(`not decided within ${values.seconds} s: ${undecided.join(", ")}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
