/** `npm run bench`, as far as it is no matter of time: what it shows, what it says is missing, and what it leaves behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { listProcesses } from "@mimikit/runtime/process/process-table";
import { expect, onTestFinished, test } from "vitest";

const BENCH = join(import.meta.dirname, "../../scripts/bench/bench.ts");

/** Starts the bench where no server is in PATH. */
function start(...args: string[]) {
  const TMPDIR = mkdtempSync(join(tmpdir(), "mimikit-benched-"));
  // Where there is a PostgreSQL and the tests run as root, it runs as another user.
  chmodSync(TMPDIR, 0o711);
  onTestFinished(() => rmSync(TMPDIR, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR, HOME: TMPDIR, PATH: TMPDIR };
  const child = spawn(process.execPath, [BENCH, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    exit: once(child, "exit"),
    files: () => readdirSync(TMPDIR),
    /** Itself, and what it has started. */
    processes: async () =>
      (await listProcesses()).filter(({ environment }) => environment.get("TMPDIR")?.startsWith(TMPDIR)),
  };
}

test("the bench shows a row beside its peers, says which server is not installed, and leaves no process and no file", async () => {
  const bench = start("--only", "plan", "--rounds", "1", "--json");
  const [stdout, stderr] = await Promise.all([text(bench.child.stdout), text(bench.child.stderr), bench.exit]);
  expect([bench.child.exitCode, stderr.match(/Error.*/)?.[0]]).toEqual([0, undefined]);
  const { before, rows } = JSON.parse(stdout);
  expect(Object.keys(before)).toContain("fdatasync of 300 bytes, p50, ms");
  expect(rows.map(({ row }: { row: string }) => row)).toEqual(["plan"]);
  const { contestants } = rows[0];
  const measured = { missing: null, rounds: [{ "100 jobs, p50, ms": expect.any(Number) }] };
  expect(contestants).toContainEqual({ name: "Mimikit", ...measured });
  expect(contestants).toContainEqual({ name: "node:sqlite", ...measured });
  const missing = { missing: "redis-server is not installed", rounds: [] };
  expect(contestants).toContainEqual({ name: "BullMQ always", ...missing });
  expect(contestants).toContainEqual({ name: "BullMQ everysec", ...missing });
  expect(await bench.processes()).toEqual([]);
  expect(bench.files()).toEqual([]);
});

test("a bench that is ended early takes its processes and files with it", async () => {
  const bench = start("--only", "drain", "--rounds", "1");
  bench.child.stdout.resume();
  bench.child.stderr.resume();
  // The bench itself, the supervisor and the pool.
  await expect.poll(async () => (await bench.processes()).length).toBeGreaterThanOrEqual(3);
  bench.child.kill("SIGTERM");
  await bench.exit;
  await expect.poll(() => bench.processes()).toEqual([]);
  expect(bench.files()).toEqual([]);
});

test("a row that there is not is refused with the names of those that there are", async () => {
  const bench = start("--only", "nothing");
  const [stderr] = await Promise.all([text(bench.child.stderr), bench.exit]);
  expect(bench.child.exitCode).toBe(2);
  expect(stderr).toContain("no row is called nothing; there are: dispatch, pick-up, drain, plan, hello,");
});
