import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isAlive, ownIdentity } from "@mimikit/runtime/process/identity";
import { readRole, writeRole } from "@mimikit/runtime/process/role-record";
import { expect, test } from "vitest";
import { startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

test("this process is alive", () => {
  expect(isAlive(ownIdentity())).toBe(true);
});

test("a process that was killed is dead at once, even while nobody has collected it", async () => {
  // The shell starts a child and stops itself, so that nobody collects the killed child: it stays as a zombie.
  const shell = spawn("sh", ["-c", "sleep 60 & echo $!; kill -STOP $$"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(shell.stdout, "data");
    const child = identityOf(Number(String(line)));
    if (child === null) throw new Error("the child does not run");
    expect(isAlive(child)).toBe(true);
    // Until it has stopped, the shell could still collect its child.
    await expect.poll(() => readFileSync(`/proc/${shell.pid}/stat`, "utf8")).toMatch(/\) T /);
    process.kill(child.pid, "SIGKILL");
    await expect.poll(() => isAlive(child)).toBe(false);
    expect(() => process.kill(child.pid, 0)).not.toThrow();
  } finally {
    shell.kill("SIGKILL");
  }
});

test("a pid that another process has by now is not the process of before", () => {
  const own = ownIdentity();
  expect(isAlive({ ...own, startTime: String(Number(own.startTime) - 1) })).toBe(false);
});

test("nothing of an earlier boot is alive", () => {
  expect(isAlive({ ...ownIdentity(), bootId: "00000000-0000-0000-0000-000000000000" })).toBe(false);
});

test("what is not known about a living pid counts as alive", () => {
  expect(isAlive({ pid: process.pid, startTime: "", bootId: "" })).toBe(true);
});

test("a name with brackets and spaces does not hide a process's start time", async () => {
  const started = startProcess("hold-singleton", [temporaryHome()], { env: { NODE_OPTIONS: "--title=a)\\ 1\\ (b" } });
  await started.nextLine();
  const identity = identityOf(started.process.pid ?? 0);
  expect(identity?.startTime).toMatch(/^\d+$/);
});

test("a role's record tells who it is, and garbage in its place tells nothing", () => {
  const home = temporaryHome();
  expect(readRole(home, "gateway")).toBeNull();
  const written = writeRole(home, "gateway");
  const record = readRole(home, "gateway");
  expect(record).toEqual(written);
  expect(record && isAlive(record)).toBe(true);
  writeFileSync(join(home, "locks/gateway.json"), "\u0000{");
  expect(readRole(home, "gateway")).toBeNull();
});
