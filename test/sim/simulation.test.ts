/** The protocol under kills, pauses, power losses and clock jumps; `run.ts` says what is simulated. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { BLIND_MUTANTS } from "./blind-mutants.ts";
import { CALENDAR_MUTANTS } from "./calendar/mutants.ts";
import { MUTANTS } from "./mutant-list.ts";
import { POOL_MUTANTS } from "./pools/mutants.ts";
import { simulate } from "./simulate.ts";

const ROOT = join(import.meta.dirname, "../..");
const RUN = join(import.meta.dirname, "run.ts");

test("in a hundred simulated worlds nothing is lost, nothing happens twice, and everything comes to rest", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, "--seeds", "100"]).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  expect(stdout).toContain("100 passed, 0 failed");
});

test("every mutant has its place in the code as it is", () => {
  for (const { name, file, find } of [...MUTANTS, ...BLIND_MUTANTS])
    expect(readFileSync(join(ROOT, file), "utf8").split(find), name).toHaveLength(2);
});

test("every mutant of the three simulations has a name of its own, by which it can be asked for", () => {
  const names = [...MUTANTS, ...BLIND_MUTANTS, ...CALENDAR_MUTANTS, ...POOL_MUTANTS].map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("a seed is one world: it runs the same way each time", async () => {
  const [first, second] = [await simulate(7), await simulate(7)];
  expect(second).toEqual(first);
  expect(first.counts.executions).toBeGreaterThan(0);
});
