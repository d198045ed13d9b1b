/** `/livez` and `/readyz`: whoever watches Mimikit needs no token, and learns no details. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareHome } from "@mimikit/runtime/home/home";
import { monotonicMs } from "@mimikit/runtime/platform/monotonic";
import { identityOf } from "@mimikit/runtime/process/identity";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Started, startGateway, temporaryHome } from "../gateway.ts";

/** This process plays the supervisor and the worker pool. */
function working(home = temporaryHome()): string {
  for (const role of ["supervisor", "workers"] as const) writeRole(home, role);
  return home;
}

const openly = (gateway: Started, path: string) => gateway.ask(path, { signedIn: false });

async function ready(gateway: Started): Promise<[status: number, code?: string]> {
  const { status, json } = await openly(gateway, "/readyz");
  const code = (json as { error?: { code: string } }).error?.code;
  return code === undefined ? [status] : [status, code];
}

/** A small disk of its own; null where this user may mount none. */
function smallDisk(options: string): string | null {
  const home = join(mkdtempSync(join(tmpdir(), "mimikit-health-")), "home");
  execFileSync("mkdir", ["-m", "700", home]);
  onTestFinished(() => rmSync(join(home, ".."), { recursive: true, force: true }));
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", home]).status !== 0) return null;
  onTestFinished(() => void execFileSync("umount", ["-l", home]));
  prepareHome(home);
  return working(home);
}

test("where a message would be saved and worked on, everyone hears that it is ready, and nothing else", async () => {
  const gateway = await startGateway({ home: working() });
  for (const path of ["/livez", "/readyz", "/healthz"])
    expect(await openly(gateway, path)).toMatchObject({ status: 200, json: { ok: true } });
  expect((await gateway.ask("/metrics")).text).toContain("mimikit_ready 1\n");
});

test("without the supervisor or the pool it lives and is not ready, in one word, and so says the metric", async () => {
  const home = temporaryHome();
  const gateway = await startGateway({ home });
  expect(await openly(gateway, "/readyz")).toMatchObject({
    status: 503,
    json: { error: { code: "supervisor_down", message: "not ready: supervisor_down" } },
  });
  expect(await openly(gateway, "/livez")).toMatchObject({ status: 200, json: { ok: true } });
  writeRole(home, "supervisor");
  await vi.waitFor(async () => expect(await ready(gateway)).toEqual([503, "workers_down"]), { timeout: 5_000 });
  expect((await gateway.ask("/metrics")).text).toContain("mimikit_ready 0\n");
  expect(gateway.logged.filter((line) => line.includes("a request failed"))).toEqual([]);
});

test("a process that hangs, or that is of another home, works on nothing", async () => {
  const home = working();
  const overdueSec = monotonicMs() / 1_000 - 60;
  utimesSync(join(home, "locks/workers.json"), overdueSec, overdueSec);
  expect(await ready(await startGateway({ home }))).toEqual([503, "workers_hung"]);

  const other = spawn("sleep", ["60"], { env: { ...process.env, MIMIKIT_HOME: temporaryHome() } });
  onTestFinished(() => void other.kill("SIGKILL"));
  const copied = { ...identityOf(other.pid ?? 0), startedAt: new Date().toISOString(), version: "0.3.0" };
  writeFileSync(join(home, "locks/supervisor.json"), JSON.stringify(copied));
  expect(await ready(await startGateway({ home }))).toEqual([503, "supervisor_down"]);
});

test("a state directory that waits to be adopted is not ready", async () => {
  expect(await ready(await startGateway({ home: working(), adopted: false }))).toEqual([503, "not_adopted"]);
});

test("a full disk is not ready, and no probe leaves a file", async ({ skip }) => {
  const home = smallDisk("size=4m,mode=700");
  if (home === null) return skip("a small disk can only be mounted by root");
  const gateway = await startGateway({ home });
  expect(await ready(gateway)).toEqual([200]);
  spawnSync("dd", ["if=/dev/zero", `of=${join(home, "tmp/filler")}`, "bs=4096"]);
  await vi.waitFor(async () => expect(await ready(gateway)).toEqual([503, "disk_full"]), { timeout: 5_000 });
  expect((await gateway.post("/api/input", { text: "hello ".repeat(2_000) })).status).toBe(507);
  expect((await gateway.ask("/metrics")).text).toContain("mimikit_ready 0\n");
  rmSync(join(home, "tmp/filler"));
  await vi.waitFor(async () => expect(await ready(gateway)).toEqual([200]), { timeout: 5_000 });
  expect(execFileSync("find", [join(home, "tmp"), "-type", "f"]).toString()).toBe("");
});

test("a disk without inodes, and one that cannot be written, are not ready", async ({ skip }) => {
  const home = smallDisk("size=4m,nr_inodes=120,mode=700");
  if (home === null) return skip("a small disk can only be mounted by root");
  const gateway = await startGateway({ home });
  for (let n = 0; spawnSync("touch", [join(home, `tmp/filler-${n}`)]).status === 0; n++);
  expect(await ready(gateway)).toEqual([503, "disk_full"]);
  execFileSync("mount", ["-o", "remount,ro", home]);
  await vi.waitFor(async () => expect(await ready(gateway)).toEqual([503, "read_only"]), { timeout: 5_000 });
});
