/** Work on other machines, over an engine that drops, doubles, reorders, forgets and goes away; `simulate.ts` says what is simulated. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { POOL_MUTANTS } from "./mutants.ts";
import { simulate } from "./simulate.ts";
import { THEMES } from "./themes.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** Each theme twice. */
const SEEDS = 2 * THEMES.length;
/** Kinds of trouble that only the other simulations have. */
const ELSEWHERE = ["troubles"];

test("in homes with two machines, two for each theme, no work is lost or done twice, none begins without a permit, and nothing is left over", async () => {
  const sums = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violations, counts } = await simulate(seed);
    expect(violations, `seed ${seed}`).toEqual([]);
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  // A fault that never happens proves nothing.
  for (const [name, sum] of sums) if (!ELSEWHERE.includes(name)) expect(sum, name).toBeGreaterThan(0);
});

test("a seed is one home: it runs the same way each time", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});

test("every mutant has its place in the code as it is", () => {
  for (const { name, file, find } of POOL_MUTANTS)
    expect(readFileSync(join(ROOT, file), "utf8").split(find), name).toHaveLength(2);
});
