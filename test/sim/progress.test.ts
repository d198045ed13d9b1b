/** A long run goes on where it has ended: test/sim/progress.ts says how. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { doneThrough, Progress, readProgress, withBatch } from "./progress.ts";

const RUN = join(import.meta.dirname, "run.ts");
const NONE: Progress = { simulation: "worlds", stretches: [], bad: [] };
const batch = (from: number, seeds: number, bad: Progress["bad"] = []) => ({
  from,
  seeds,
  bad,
  counts: { steps: 10 * seeds },
  ms: 1_800_000,
});
const pathOf = (name: string) => join(mkdtempSync(join(tmpdir(), "mimikit-progress-")), name);

test("batches of one commit are one stretch, and each commit has its own", () => {
  const bad = [{ seed: 3, violations: ["turn 1 is missing"] }];
  let progress = withBatch(NONE, batch(1, 2), "aaaa");
  progress = withBatch(progress, batch(3, 2, bad), "aaaa");
  progress = withBatch(progress, batch(5, 1), "bbbb");
  expect(progress.stretches).toEqual([
    { commit: "aaaa", from: 1, through: 4, whole: 3, violated: 1, hours: 1, counts: { steps: 40 } },
    { commit: "bbbb", from: 5, through: 5, whole: 1, violated: 0, hours: 0.5, counts: { steps: 10 } },
  ]);
  expect(progress.bad).toEqual(bad);
  expect(doneThrough(progress)).toBe(5);
});

test("no seed is left out, and none counts twice", () => {
  const progress = withBatch(NONE, batch(1, 2), "aaaa");
  expect(() => withBatch(progress, batch(2, 2), "aaaa")).toThrow("seed 3 is next, not 2");
  expect(() => withBatch(progress, batch(4, 2), "aaaa")).toThrow("seed 3 is next, not 4");
});

test("a file that is none of its own is refused, and stays", () => {
  const path = pathOf("worlds.json");
  for (const text of ["", "{", "[]", JSON.stringify({ ...NONE, simulation: "calendar" })]) {
    writeFileSync(path, text);
    expect(() => readProgress(path, "worlds", import.meta.dirname)).toThrow("give another path");
    expect(readFileSync(path, "utf8")).toBe(text);
  }
  const inside = join(import.meta.dirname, "worlds.json");
  expect(() => readProgress(inside, "worlds", import.meta.dirname)).toThrow("outside");
});

test("a second session begins with the first seed that the one before has not done", async () => {
  const path = pathOf("calendar.json");
  const run = (seeds: number) =>
    promisify(execFile)(process.execPath, [
      RUN,
      "--calendar",
      "--seeds",
      String(seeds),
      "--jobs",
      "2",
      "--resume",
      path,
    ]);
  await run(3);
  const { stdout } = await run(5);
  expect(stdout).toContain("5 passed, 0 failed");
  const progress = Progress.parse(JSON.parse(readFileSync(path, "utf8")));
  expect(progress.stretches).toEqual([expect.objectContaining({ from: 1, through: 5, whole: 5, violated: 0 })]);
});
