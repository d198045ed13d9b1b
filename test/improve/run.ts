/** `npm run test:improve -- --kills 200 [--seed 1]`: kills self-improvement that often and says what went wrong with which seed. */
import { parseArgs } from "node:util";
import { killWhileImproving } from "./kill.ts";

/** Each instance is killed so often. */
const KILLS_EACH = 10;

const { values } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const runs = Math.max(1, Math.ceil(Number(values.kills) / KILLS_EACH));
let failed = 0;
for (let seed = Number(values.seed); seed < Number(values.seed) + runs; seed++) {
  const problems = await killWhileImproving(seed, KILLS_EACH).catch((error: unknown) => [String(error)]);
  if (problems.length > 0) failed++;
  console.log(
    `seed ${seed}: ${problems.length === 0 ? `${KILLS_EACH} kills, nothing lost or left` : problems.join("; ")}`,
  );
}
console.log(`${runs - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
