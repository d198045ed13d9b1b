/** The portable platform tells of a process what the platform of this system tells. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { linux } from "@mimikit/runtime/platform/linux";
import { portable } from "@mimikit/runtime/platform/portable";
import { sandboxExec } from "@mimikit/runtime/platform/sandbox-exec";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

/** A shell in a path of its own, which waits. */
async function start(env: NodeJS.ProcessEnv, name = "sh"): Promise<number> {
  const directory = temporaryHome();
  const program = join(directory, name);
  symlinkSync("/bin/sh", program);
  const child = spawn(program, ["-c", "echo up; kill -STOP $$", "an argument"], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

const found = async (pid: number) => (await portable.listProcesses()).find((each) => each.pid === pid);

test("a process is found with its arguments and its environment, in any language, and never this one", async () => {
  const env = { PATH: "/bin:/usr/bin", MIMIKIT_RUN: "abc:t-000001.a1", 家: "ß", EMPTY: "", HOME: "/工作 区/x" };
  const pid = await start(env);
  const seen = await found(pid);
  expect(seen?.args.slice(1)).toEqual(["-c", "echo", "up;", "kill", "-STOP", "$$", "an", "argument"]);
  expect(Object.fromEntries(seen?.environment ?? [])).toMatchObject({
    MIMIKIT_RUN: "abc:t-000001.a1",
    EMPTY: "",
    HOME: "/工作 区/x",
  });
  expect(seen).toMatchObject(portable.identityOf(pid) ?? {});
  expect(await found(process.pid)).toBeUndefined();
});

test("a start is told to the second, whatever the language and the time zone of the user are", async () => {
  const before = Math.floor(Date.now() / 1_000);
  const pid = await start({});
  process.env.TZ = "Asia/Shanghai";
  onTestFinished(() => void delete process.env.TZ);
  const startTime = Number(portable.identityOf(pid)?.startTime);
  expect(startTime).toBeGreaterThanOrEqual(before - 1);
  expect(startTime).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
});

test("a process that has ended is gone at once, and one that nobody collects is a zombie, which is gone too", async () => {
  const shell = spawn("sh", ["-c", "sleep 60 & echo $!; kill -STOP $$"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void shell.kill("SIGKILL"));
  const [line] = await once(shell.stdout, "data");
  const pid = Number(String(line));
  expect(portable.identityOf(pid)).not.toBeNull();
  process.kill(pid, "SIGKILL");
  await expect.poll(() => portable.identityOf(pid)).toBeNull();
  expect(await found(pid)).toBeUndefined();
  expect(portable.identityOf(2 ** 22)).toBeNull();
});

test("it never looks into /proc itself", async () => {
  const looker = startProcess("look-portably", [join(temporaryHome(), "locks")]);
  const { asked, seen } = JSON.parse(await looker.nextLine());
  expect(asked).toEqual([]);
  expect(seen).toEqual({
    isAlive: true,
    parent: true,
    processes: expect.any(Number),
    marked: 0,
    bytes: expect.any(Number),
    claim: true,
    isClaimed: true,
    group: null,
  });
  expect(seen.processes).toBeGreaterThan(0);
  expect(seen.bytes).toBeGreaterThan(1_048_576);
});

describe.runIf(process.platform === "linux")("on Linux, where both can be asked", () => {
  test("both see the same processes with the same variables", async () => {
    const pid = await start({ PATH: "/bin:/usr/bin", ONE: "1", TWO: "with spaces", THREE: "a=b" });
    const [mine, theirs] = await Promise.all([linux.listProcesses(), portable.listProcesses()]);
    const of = (list: typeof mine) => list.find((each) => each.pid === pid);
    expect(Object.fromEntries(of(theirs)?.environment ?? [])).toEqual(
      Object.fromEntries([...(of(mine)?.environment ?? [])].filter(([name]) => name !== "")),
    );
    expect(of(theirs)?.args.join(" ")).toBe(of(mine)?.args.join(" "));
  });
});

test("the profile of sandbox-exec denies the state last, but for what is allowed of it, and takes a path for data", () => {
  const home = join(temporaryHome(), 'a "state" \\');
  mkdirSync(home);
  const [program, flag, profile, ...command] = sandboxExec.wrap("/sandbox-exec", ["/bin/sh", "-c", ":"], {
    state: home,
    hidden: ["/h/.pm2"],
    work: "/w",
    passages: [{ path: "/w/.mimikit/runs/t-1.a1", isWritable: false }],
    isReadOnly: true,
    keepsOutside: false,
    isOffline: true,
    protect: ["/own"],
    repository: [],
    temporary: null,
    userHome: "/h",
    kept: [],
    secret: null,
  });
  expect([program, flag, ...command]).toEqual(["/sandbox-exec", "-p", "/bin/sh", "-c", ":"]);
  const rules = String(profile).split("\n");
  expect(rules.slice(0, 3)).toEqual(["(version 1)", "(allow default)", "(deny file-write*)"]);
  expect(rules.slice(4)).toEqual([
    '(deny file-write* (subpath "/w"))',
    '(deny file-read* file-write* (regex #"^/dev/(ttys|pty|r?disk)"))',
    '(deny file-write* (subpath "/own"))',
    "(deny network*)",
    '(deny file-read* file-write* (subpath "/h/.pm2"))',
    `(deny file-read* file-write* (subpath "${home.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"))`,
    '(allow file-read* (subpath "/w/.mimikit/runs/t-1.a1"))',
  ]);
});
