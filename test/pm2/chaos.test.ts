/** What `mimikit chaos` and `mimikit bench` say of real processes. They take their time, so they are no part of `npm test`. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";

const NOWHERE = { home: join(tmpdir(), "mimikit-no-home"), workDir: tmpdir() };

test("processes that are killed at random lose nothing, do nothing twice and leave nothing behind", async () => {
  const { code, out, error } = await runCli(NOWHERE, ["chaos", "--minutes", "0.1", "--json"]);
  expect(error).not.toContain("mimikit:");
  const report = JSON.parse(out) as { ok: boolean; kills: Record<string, number>; acknowledged: string[] };
  expect(report).toMatchObject({ ok: true, violations: [] });
  expect(report.acknowledged.length).toBeGreaterThan(0);
  expect(Object.values(report.kills).reduce((sum, times) => sum + times)).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test("every figure of the bench is a number above 0", async () => {
  const { code, out } = await runCli(NOWHERE, ["bench", "--json"]);
  expect(code).toBe(0);
  const { figures } = JSON.parse(out) as { figures: { p50: number; p95: number }[] };
  expect(figures.length).toBeGreaterThan(4);
  for (const { p50, p95 } of figures) expect(p95).toBeGreaterThanOrEqual(p50);
});
