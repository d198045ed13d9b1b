/** Always on: what the unit of `mimikit service install` says, and that what it starts brings everything back. */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { modeText } from "@mimikit/runtime/home/home";
import { identityOf } from "@mimikit/runtime/process/identity";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished, test } from "vitest";
import { COMES_BACK, instance, MIMIKIT, PM2, ROOT, run } from "./pm2-instance.ts";
import { readUnit, startProgram } from "./unit.ts";

const TEST_MS_MAX = 300_000;
/** A PM2 that is killed while a command waits for it costs that command its minute. */
const BACK = { timeout: 150_000, interval: 100 };
const KEY = "sk-canary-of-service-0";
const FOLDER = 'a "b" 你好 %h $HOME';

/** An instance whose user has nothing else. */
async function user(folder = FOLDER) {
  const made = await instance(folder);
  const { workDir } = made;
  const HOME = join(workDir, "user");
  const XDG_CONFIG_HOME = join(HOME, ".config");
  mkdirSync(join(workDir, "run"), { recursive: true });
  Object.assign(made.env, {
    HOME,
    XDG_CONFIG_HOME,
    XDG_STATE_HOME: join(HOME, ".local/state"),
    // No systemd of whoever runs the tests is asked.
    XDG_RUNTIME_DIR: join(workDir, "run"),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(workDir, "run/none")}`,
  });
  const service = async (action: string, env = {}, ...options: string[]) => {
    const done = await run(MIMIKIT, ["service", action, "--json", ...options], { ...made.env, ...env });
    expect([done.code, done.stderr.match(/^mimikit:.*/m)?.[0]]).toEqual([0, undefined]);
    return JSON.parse(done.stdout);
  };
  return {
    ...made,
    HOME,
    XDG_CONFIG_HOME,
    service,
    install: (env = {}) => service("install", env, "--no-linger"),
    /** Installs it, and starts what the unit says. */
    async start() {
      const { unit } = await service("install", {}, "--no-linger");
      const started = startProgram(readUnit(unit), HOME);
      await expect.poll(made.isReady, BACK).toBe(true);
      return { ...started, unit };
    },
    async daemon(): Promise<number> {
      return (await made.daemons())[0]?.pid ?? 0;
    },
  };
}

const filesBelow = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());

test("systemd understands the unit, which holds no key and no password; uninstall leaves no file", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { home, workDir, XDG_CONFIG_HOME, port, service, install, mimikit } = await user();
  expect(await service("status")).toMatchObject({ unit: null, watched: false, running: [] });
  const secret = {
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `http://127.0.0.1:1/${KEY}`,
    HTTPS_PROXY: "http://a:secret@b:1",
  };
  const network = { HTTP_PROXY: "http://b:1", no_proxy: "lan.example", NODE_EXTRA_CA_CERTS: "/etc/company.pem" };
  const installed = await install({ ...secret, ...network });
  const { unit, name } = installed;
  expect(installed).toMatchObject({
    kept: ["OPENAI_API_KEY"],
    leftOut: ["OPENAI_BASE_URL", "HTTPS_PROXY"],
    started: false,
  });
  expect(installed.why).toMatch(/bus|systemd/i);

  const text = readFileSync(unit, "utf8");
  expect(text + JSON.stringify(installed)).not.toMatch(/canary|a:secret/);
  expect(JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")).keys).toMatchObject({ openai: KEY });
  expect(modeText(statSync(unit).mode)).toBe("644");
  const { program, environment } = readUnit(unit);
  expect(program.slice(-2)).toEqual(["service", "run"]);
  expect(program.slice(0, 2).every((path) => existsSync(path))).toBe(true);
  expect(environment).toMatchObject({ MIMIKIT_WORK_DIR: workDir, MIMIKIT_HOME: home, MIMIKIT_PORT: String(port) });
  expect(environment).toMatchObject(network);

  const verified = verify(unit, join(workDir, "run"));
  if (verified === null) console.log("systemd-analyze is not there: the unit was not verified");
  else {
    expect(verified).toBe("");
    // It says so of what it does not know.
    const wrong = join(workDir, "wrong.service");
    writeFileSync(wrong, text.replace("KillMode=mixed", "KillMode=mixd"));
    expect(verify(wrong, join(workDir, "run"))).toMatch(/mixd/);
  }

  expect(await service("status")).toMatchObject({ name, unit, enabled: true, active: null, program: null });
  writeFileSync(unit, text.replace(/^ExecStart=:\S+/m, "ExecStart=:/gone/node"));
  expect(await service("status")).toMatchObject({ program: "/gone/node" });
  expect(await service("uninstall")).toMatchObject({ name, removed: unit, running: [] });
  expect(filesBelow(XDG_CONFIG_HOME)).toEqual([]);
  expect(await service("uninstall")).toMatchObject({ removed: null });
  const ofSystem = await mimikit("service", "install", "--system", "--print", "systemd");
  expect(ofSystem.stdout).toMatch(new RegExp(`^User=${userInfo().username}$[^]*^WantedBy=multi-user.target$`, "m"));
  for (const kind of ["launchd", "openrc"]) {
    const printed = await mimikit("service", "install", "--print", kind);
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining("Untested")]);
  }
  expect(filesBelow(XDG_CONFIG_HOME)).toEqual([]);
});

/** Systemd's opinion of a unit; null if it is not installed. */
function verify(path: string, runtimeDir: string): string | null {
  const { error, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--user", path], {
    env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: runtimeDir },
    encoding: "utf8",
  });
  return error ? null : `${stdout}${stderr}`;
}

test("what the unit starts does its work, and whatever is killed comes back with nothing lost, until it is asked to end", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { home, HOME, start, daemon, ask, pid, isReady, mimikit, processes, service } = await user();
  const { unit, child, said } = await start();
  expect((await ask("run `pwd; umask`")).at(-1)).toContain(FOLDER);
  expect(await service("status")).toMatchObject({ watched: true, running: expect.arrayContaining([...PROCESS_ROLES]) });

  const first = await daemon();
  process.kill(first, "SIGKILL");
  await expect.poll(async () => ![0, first].includes(await daemon()), BACK).toBe(true);
  await expect.poll(isReady, BACK).toBe(true);

  const answer = ask("run `sleep 1; echo A$((1+1))` then `echo B$((1+1))`");
  await expect.poll(() => readdirSync(join(home, "worker/running")).length, COMES_BACK).toBe(1);
  for (const victim of [await daemon(), ...PROCESS_ROLES.map(pid)]) process.kill(victim, "SIGKILL");
  const replies = await answer;
  expect(replies).toHaveLength(2);
  expect(replies[1]).toMatch(/\nA2\n[\s\S]*\nB2\n/);
  await expect.poll(isReady, BACK).toBe(true);
  const now = await daemon();
  expect([0, first]).not.toContain(now);

  // As systemd does, which starts it again.
  child.kill("SIGKILL");
  await once(child, "exit");
  const again = startProgram(readUnit(unit), HOME);
  process.kill(now, "SIGKILL");
  await expect.poll(async () => ![0, now].includes(await daemon()), BACK).toBe(true);
  await expect.poll(isReady, BACK).toBe(true);

  // Neither stdout nor stderr, which a journal keeps, lets a browser in.
  expect(said()).toContain("PM2 does not run");
  expect(said() + again.said()).not.toContain("#pair");
  expect(await again.stop()).toBe(0);
  expect(await processes()).toEqual([]);
  expect((await mimikit("status")).code).toBe(3);
});

test("what a person has stopped stays so until mimikit up, and is watched again after that", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, start, daemon, mimikit, isReady, processes, service } = await user("w");
  const { child, stop } = await start();
  expect((await mimikit("up", "--unless-stopped", "--json")).stdout).toContain('"left": true');
  expect((await mimikit("down")).code).toBe(0);
  expect((await processes()).map(({ pid }) => pid)).toEqual([child.pid]);
  expect(await service("status")).toMatchObject({ watched: true, stopped: true, running: [] });
  const left = await mimikit("up", "--unless-stopped", "--json");
  expect([left.code, JSON.parse(left.stdout)]).toMatchObject([0, { left: true }]);
  expect((await processes()).map(({ pid }) => pid)).toEqual([child.pid]);
  // The state directory that a backup makes is stopped where the one before it was.
  const file = join(workDir, "backup.tar.gz");
  expect((await mimikit("backup", file)).code).toBe(0);
  expect((await mimikit("restore", file)).code).toBe(0);
  expect(await service("status")).toMatchObject({ watched: true, stopped: true, running: [] });
  const another = await mimikit("service", "run");
  expect(another).toMatchObject({ code: 1, stderr: expect.stringContaining("another  mimikit service run") });

  expect((await mimikit("up")).code).toBe(0);
  const before = await daemon();
  process.kill(before, "SIGKILL");
  await expect.poll(async () => ![0, before].includes(await daemon()), BACK).toBe(true);
  await expect.poll(isReady, BACK).toBe(true);
  expect(await stop()).toBe(0);
});

test("without systemd, the line for crontab does the same", { timeout: TEST_MS_MAX }, async () => {
  const { workDir, HOME, XDG_CONFIG_HOME, install, isReady, daemon, ask, processes } = await user();
  const { unit, byHand } = await install({ PATH: join(workDir, "run") });
  expect([unit, existsSync(XDG_CONFIG_HOME)]).toEqual([null, false]);
  // As cron does: what follows the first word, where a % is written so.
  const line = byHand.atBoot.replace(/^@reboot /, "").replaceAll("\\%", "%");
  const { stop } = startProgram({ program: ["/bin/sh", "-c", line], environment: {}, umask: 0o022 }, HOME);
  await expect.poll(isReady, BACK).toBe(true);
  const before = await daemon();
  process.kill(before, "SIGKILL");
  await expect.poll(async () => ![0, before].includes(await daemon()), BACK).toBe(true);
  expect(await ask("help")).toHaveLength(1);
  expect(await stop()).toBe(0);
  expect(await processes()).toEqual([]);
});

test("a PM2 that does not answer is ended and started again by mimikit up", { timeout: TEST_MS_MAX }, async () => {
  const { up, env, daemon, pid, mimikit, daemons, isReady } = await user("w");
  env._ = "/usr/bin/mimikit";
  await up();
  const [{ environment } = { environment: new Map() }] = await daemons();
  // PM2 would run it with the word `update` when it fails.
  expect(environment.has("_")).toBe(false);
  const hung = await daemon();
  process.kill(hung, "SIGSTOP");
  process.kill(pid("gateway"), "SIGKILL");
  const { code, stderr } = await mimikit("up");
  expect([code, stderr]).toEqual([0, ""]);
  expect(await daemon()).not.toBe(hung);
  expect(await isReady()).toBe(true);
});

test("a PM2 of one's own brings back what it saved, by resurrect, and reload starts it anew; no key is saved", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, env, pid, isReady, ask, processes } = await user("w");
  const ofPm2 = { ...env, PM2_HOME: join(workDir, "own-pm2") };
  const pm2 = async (...words: string[]) => {
    const { code } = await run(PM2, words, { ...ofPm2, OPENAI_API_KEY: KEY });
    expect([words, code]).toEqual([words, 0]);
  };
  await pm2("start", join(ROOT, "ecosystem.config.cjs"));
  await pm2("save");
  expect(readFileSync(join(workDir, "own-pm2/dump.pm2"), "latin1")).not.toContain(KEY);
  await pm2("kill");
  await expect.poll(async () => (await processes()).length, COMES_BACK).toBe(0);
  await pm2("resurrect");
  await expect.poll(isReady, COMES_BACK).toBe(true);
  const before = PROCESS_ROLES.map(pid);
  await pm2("reload", "all");
  await expect.poll(isReady, COMES_BACK).toBe(true);
  expect(PROCESS_ROLES.map(pid).filter((now) => before.includes(now))).toEqual([]);
  expect(await ask("help")).toHaveLength(1);
  await pm2("kill");
});

test("on a full disk PM2 lives from the space of the ballast, and without any it comes back", {
  timeout: TEST_MS_MAX,
}, async ({ skip }) => {
  const { home, start, daemon, pid, isReady, ask } = await user("w");
  mkdirSync(home, { mode: 0o700 });
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=40m,mode=700", "tmpfs", home]).status !== 0)
    skip("a small disk can only be mounted by root");
  onTestFinished(() => void execFileSync("umount", ["-l", home]));
  await start();
  expect(await ask("run `echo $((40+2))`")).toEqual(expect.arrayContaining([expect.stringContaining("42")]));
  const before = await daemon();
  const fill = (name: string) => spawnSync("dd", ["if=/dev/zero", `of=${join(home, "tmp", name)}`, "bs=4k"]);
  const ballast = join(home, "locks/ballast");
  await expect.poll(() => existsSync(ballast), BACK).toBe(true);
  fill("most");
  await expect.poll(() => existsSync(ballast), BACK).toBe(false);
  const first = PROCESS_ROLES.map(pid);
  for (const each of first) process.kill(each, "SIGKILL");
  await expect.poll(() => PROCESS_ROLES.map(pid).filter((now) => now === 0 || first.includes(now)), BACK).toEqual([]);
  await expect.poll(isReady, BACK).toBe(true);
  expect(await daemon()).toBe(before);

  fill("rest");
  // PM2 may die of a line for its log, or live on: here it is gone in any case.
  for (const each of [...PROCESS_ROLES.map(pid), before]) process.kill(each, "SIGKILL");
  await expect.poll(() => identityOf(before), BACK).toBe(null);
  for (const name of ["most", "rest"]) rmSync(join(home, "tmp", name));
  await expect.poll(isReady, BACK).toBe(true);
  expect((await ask("run `echo $((40+3))`")).at(-1)).toContain("43");
});
