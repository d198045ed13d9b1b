/** Several Workers on codex at once: the directories that one of them needs are not taken away by another. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdMasks } from "../../../../packages/agent/src/providers/codex/hold-masks.ts";
import { temporaryDirectory } from "../../fixtures.ts";

const LONG_AGO_MS = Date.parse("2026-01-01T00:00:00Z");
const ALL = [".agents", ".aws", ".codex", ".git"];

test("they are there as long as one Worker is at work, and gone after the last", async () => {
  const workDir = temporaryDirectory();
  const [first, second] = [await holdMasks(workDir, LONG_AGO_MS), await holdMasks(workDir, LONG_AGO_MS)];
  expect(readdirSync(workDir).sort()).toEqual(ALL);
  await first();
  expect(readdirSync(workDir).sort()).toEqual(ALL);
  await second();
  expect(readdirSync(workDir)).toEqual([]);
});

test("who comes while the last one leaves has them all the same", async () => {
  const workDir = temporaryDirectory();
  for (let round = 0; round < 50; round++) {
    const leave = await holdMasks(workDir, LONG_AGO_MS);
    const [, stay] = await Promise.all([leave(), holdMasks(workDir, LONG_AGO_MS)]);
    expect(readdirSync(workDir).sort()).toEqual(ALL);
    await stay();
  }
});

test("in /tmp they stay: any other codex may be at work there", async () => {
  await (await holdMasks(temporaryDirectory(), LONG_AGO_MS))();
  for (const name of ALL) expect(existsSync(join("/tmp", name))).toBe(true);
});

test("what the owner has is left alone: what is not empty, what is a file, and what is older than the task", async () => {
  const workDir = temporaryDirectory();
  mkdirSync(join(workDir, ".git"));
  writeFileSync(join(workDir, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(workDir, ".aws"), "a file");
  mkdirSync(join(workDir, ".codex"));
  utimesSync(join(workDir, ".codex"), LONG_AGO_MS / 1_000, LONG_AGO_MS / 1_000);
  await (await holdMasks(workDir, Date.now() - 60_000))();
  expect(readdirSync(workDir).sort()).toEqual([".aws", ".codex", ".git"]);
});

test("what a killed attempt of the task has left goes with the next one", async () => {
  const workDir = temporaryDirectory();
  for (const name of ALL) mkdirSync(join(workDir, name));
  await (await holdMasks(workDir, Date.now() - 60_000))();
  expect(readdirSync(workDir)).toEqual([]);
});
