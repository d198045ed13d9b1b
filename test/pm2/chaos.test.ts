/** The reports of `mimikit chaos` and `mimikit bench` about real processes. They take their time, so they are no part of `npm test`. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, listProcesses } from "@mimikit/runtime/process/process-table";
import { expect, onTestFinished, test } from "vitest";
import { runCli, startCli } from "../cli/run-cli.ts";
import { englishIn } from "../support/english-lines.ts";

const NOWHERE = { home: join(tmpdir(), "mimikit-no-home"), workDir: tmpdir() };

interface Report {
  ok: boolean;
  violations: string[];
  faults: Record<string, number>;
  kills: Record<string, number>;
  stops: Record<string, number>;
  starts: number;
  acknowledged: string[];
  triggers: number;
  untried: string[];
}

/** Its first eight faults are of seven kinds, where a small disk can be mounted. */
const SEED = "938";

test("an instance under PM2 that is killed in every way loses nothing, does nothing twice and leaves nothing behind", async () => {
  const { code, out, error } = await runCli(NOWHERE, ["chaos", "--kills", "8", "--seed", SEED, "--json"]);
  expect(error).not.toContain("mimikit:");
  const report = JSON.parse(out) as Report;
  expect(report).toMatchObject({ ok: true, violations: [] });
  expect(report.acknowledged.length).toBeGreaterThan(0);
  expect(report.triggers).toBeGreaterThan(0);
  expect(Object.values(report.faults).reduce((sum, times) => sum + times)).toBe(8);
  // PM2 was killed, and nothing but `mimikit up` starts it again.
  if (report.untried.length === 0) {
    expect(Object.keys(report.faults)).toHaveLength(7);
    expect(report.kills.pm2).toBeGreaterThan(0);
    expect(report.starts).toBeGreaterThan(0);
  }
  expect(code).toBe(0);
});

test("chaos says how it goes, and what it found, in Chinese where the locale is", async () => {
  const said = await runCli(NOWHERE, ["chaos", "--kills", "2", "--seed", SEED], "", {
    LC_ALL: "",
    LANG: "zh_CN.UTF-8",
  });
  expect(said).toMatchObject({ code: 0, error: expect.stringContaining("种子") });
  expect(said.out).toContain("恰好回答一次");
  expect(englishIn(said)).toEqual([]);
});

test("Ctrl-C ends the instance of chaos with its PM2, and removes its folder", async () => {
  const TMPDIR = mkdtempSync(join(tmpdir(), "mimikit-chaos-ends-"));
  const itsOwn = async () =>
    (await listProcesses()).filter(({ environment }) => environment.get("MIMIKIT_HOME")?.startsWith(TMPDIR));
  onTestFinished(async () => {
    await endProcesses(itsOwn, 0);
    for (const folder of readdirSync(TMPDIR)) spawnSync("umount", ["-l", join(TMPDIR, folder, "state")]);
    rmSync(TMPDIR, { recursive: true, force: true });
  });
  const child = startCli(NOWHERE, ["chaos", "--kills", "1000", "--json"], { TMPDIR });
  const ended = once(child, "exit");
  child.stdout.resume();
  child.stderr.resume();
  const hasDaemon = async () => (await itsOwn()).some(({ args }) => /^PM2 v/.test(args[0] ?? ""));
  await expect.poll(hasDaemon, { timeout: 240_000 }).toBe(true);
  child.kill("SIGINT");
  await ended;
  expect((await itsOwn()).map(({ args }) => args.join(" "))).toEqual([]);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test.each([
  [["--kills", "0"], "--kills is a whole number above 0"],
  [["--seed", "-1"], "--seed is a whole number from 0"],
  [["--minutes", "0"], "--minutes is a number above 0"],
])("chaos %s is refused before anything is started", async (words, why) => {
  const { code, error } = await runCli(NOWHERE, ["chaos", ...words]);
  expect([code, error]).toEqual([2, expect.stringContaining(why)]);
  expect(existsSync(NOWHERE.home)).toBe(false);
});

test("every figure of the bench is a number above 0", async () => {
  const { code, out } = await runCli(NOWHERE, ["bench", "--json"]);
  expect(code).toBe(0);
  const { figures } = JSON.parse(out) as { figures: { p50: number; p95: number }[] };
  expect(figures.length).toBeGreaterThan(4);
  for (const { p50, p95 } of figures) expect(p95).toBeGreaterThanOrEqual(p50);
});
