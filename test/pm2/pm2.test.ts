/** The whole of Mimikit under a real PM2: starting, stopping, dying and coming back. Each test has a home and a port of its own. */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Status } from "@mimikit/protocol/wire/api";
import { homeHash, modeText } from "@mimikit/runtime/home/home";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished, test } from "vitest";
import { OLD_ANSWERS } from "../support/old-gateway.ts";
import { COMES_BACK, instance, MIMIKIT, PM2, type Ran, ROOT, run } from "./pm2-instance.ts";

const OLD_GATEWAY = join(ROOT, "test/support/old-gateway.ts");
const TEST_MS_MAX = 90_000;

test("up starts three roles and says where; up again says that it runs; down leaves no process", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { up, mimikit, processes, port } = await instance();
  const first = await up();
  expect(first).toMatchObject({ alreadyRunning: false, url: `http://127.0.0.1:${port}`, status: { ready: true } });
  expect(first.pairingUrl).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#pair=[\\w-]{40,}$`));

  const second = await up();
  expect(second).toMatchObject({ alreadyRunning: true, url: first.url });
  expect(second.status.processes).toEqual(first.status.processes);

  expect(await mimikit("down")).toMatchObject({ code: 0, stdout: "Mimikit is stopped; its state is kept\n" });
  expect(await processes()).toEqual([]);
  expect((await mimikit("status")).code).toBe(3);
  expect((await mimikit("down")).code).toBe(0);

  expect((await up()).alreadyRunning).toBe(false);
});

test("a chain is answered in full through the three processes", { timeout: TEST_MS_MAX }, async () => {
  const { up, ask } = await instance();
  await up();
  const replies = await ask("run `echo first$((1+1))` then `echo second$((1+1))`");
  expect(replies).toHaveLength(2);
  expect(replies[1]).toMatch(/\nfirst2\n[\s\S]*\nsecond2\n/);
});

test("every command tells people and programs what it is asked", { timeout: TEST_MS_MAX }, async () => {
  const { env, up, ask, mimikit, pid } = await instance();
  const { url } = await up();
  await ask("run `echo $((20+1))`");
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await mimikit(...args, "--json");
    expect([args, code, stderr]).toEqual([args, 0, ""]);
    return JSON.parse(stdout);
  };
  expect(await json("status")).toMatchObject({ url, ready: true, problems: [] });
  expect((await mimikit("status")).stdout).toMatch(/processes +supervisor \d+, workers \d+, gateway \d+/);
  expect(await json("doctor")).toMatchObject({ ok: true });
  const { pairingUrl, code } = await json("pair");
  expect(pairingUrl).toMatch(/#pair=[\w-]{40,}$/);
  const typed = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }) };
  expect((await fetch(`${url}/api/pair`, typed)).status).toBe(200);
  const { tasks } = await json("tasks", "list", "--role", "worker");
  expect(tasks).toMatchObject([{ role: "worker", state: "done" }]);
  expect(await json("tasks", "show", tasks[0].id)).toMatchObject({ result: { text: expect.stringContaining("21") } });
  expect((await mimikit("tasks", "cancel", tasks[0].id)).code).toBe(1);
  expect(await json("logs", "-n", "500")).toContainEqual(expect.objectContaining({ event: "supervisor_started" }));
  expect((await mimikit("logs")).stdout).toMatch(/supervisor +turn_settled t-000001/);

  const chat = spawn(process.execPath, [MIMIKIT, "chat"], { env, stdio: ["pipe", "pipe", "inherit"] });
  chat.stdin.end("run `echo $((20+2))`\nrun `echo $((20+3))`\n");
  expect(await text(chat.stdout)).toMatch(/\n22\n[\s\S]*\n23\n/);

  const late = await mimikit("ask", "--timeout", "0.5", "run `sleep 30`");
  expect([late.code, late.stderr]).toEqual([4, expect.stringMatching(/mimikit: no complete answer within 0.5 s/)]);

  const before = pid("supervisor");
  expect((await json("restart")).status.ready).toBe(true);
  expect(pid("supervisor")).not.toBe(before);
});

test("a message that is sent while nothing runs is answered at the next start", { timeout: TEST_MS_MAX }, async () => {
  const { up, mimikit } = await instance();
  const sent = await mimikit("send", "--json", "help");
  expect(sent).toMatchObject({ code: 0, stderr: "" });
  const { id } = JSON.parse(sent.stdout);
  const { url } = await up();
  expect(url).toBeTruthy();
  await expect
    .poll(async () => JSON.stringify(await messages(url, mimikit)), COMES_BACK)
    .toContain(`"answers":["${id}"]`);
});

/** The conversation, read with the token as a script would. */
async function messages(url: string, mimikit: (...args: string[]) => Promise<Ran>): Promise<unknown> {
  const { home } = JSON.parse((await mimikit("doctor", "--json")).stdout);
  const { readToken } = await import("@mimikit/runtime/home/home");
  const response = await fetch(`${url}/api/messages`, { headers: { Authorization: `Bearer ${readToken(home)}` } });
  return response.json();
}

test("a role that is killed comes back, and is asked as if nothing had been", { timeout: TEST_MS_MAX }, async () => {
  const { up, ask, pid, isReady } = await instance();
  await up();
  const backMs: Record<string, number> = {};
  for (const role of PROCESS_ROLES) {
    const before = pid(role);
    const killedAt = performance.now();
    process.kill(before, "SIGKILL");
    await expect.poll(() => ![0, before].includes(pid(role)), COMES_BACK).toBe(true);
    backMs[role] = Math.round(performance.now() - killedAt);
  }
  console.log("back after kill -9, in ms:", backMs);
  await expect.poll(isReady, COMES_BACK).toBe(true);
  expect((await ask("run `echo $((40+2))`")).at(-1)).toContain("\n42\n");
});

test("what runs while everything is killed is answered once, whatever was killed when", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { home, up, ask, pid } = await instance();
  await up();
  const answer = ask("run `sleep 1; echo A$((1+1))` then `sleep 1; echo B$((1+1))`");
  await expect.poll(() => readdirSync(join(home, "worker/running")).length, COMES_BACK).toBe(1);
  for (const role of [...PROCESS_ROLES, ...PROCESS_ROLES]) {
    await expect.poll(() => pid(role), COMES_BACK).not.toBe(0);
    process.kill(pid(role), "SIGKILL");
  }
  const replies = await answer;
  expect(replies).toHaveLength(2);
  expect(replies[1]).toMatch(/\nA2\n[\s\S]*\nB2\n/);
});

test("pm2 restart all gives new processes, and what ran is taken up again", { timeout: TEST_MS_MAX }, async () => {
  const { home, env, up, ask, pid, isReady } = await instance();
  await up();
  const before = PROCESS_ROLES.map(pid);
  const answer = ask("run `sleep 2; echo surv$((1+1))ved`");
  await expect.poll(() => readdirSync(join(home, "worker/running")).length, COMES_BACK).toBe(1);
  const restarted = await run(PM2, ["restart", "all"], { ...env, PM2_HOME: join(home, "pm2") });
  expect(restarted.code).toBe(0);
  await expect.poll(isReady, COMES_BACK).toBe(true);
  for (const role of PROCESS_ROLES) expect(before).not.toContain(pid(role));
  expect((await answer).at(-1)).toContain("surv2ved");
});

test("roles whose daemon was killed leave by themselves, and the next up starts them anew", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { up, daemons, processes } = await instance();
  await up();
  for (const { pid } of await daemons()) process.kill(pid, "SIGKILL");
  await expect.poll(async () => (await processes()).length, COMES_BACK).toBe(0);
  expect((await up()).alreadyRunning).toBe(false);
  expect(await daemons()).toHaveLength(1);
});

test("down ends what a task has started, also what hides from it", { timeout: TEST_MS_MAX }, async () => {
  const { home, up, mimikit, processes } = await instance();
  await up();
  await mimikit("send", "run `setsid sh -c 'trap \"\" TERM INT; sleep 60; sleep 60' & sleep 60`");
  await expect.poll(async () => (await findMarked(homeHash(home))).length, COMES_BACK).toBeGreaterThan(2);
  expect((await mimikit("down")).code).toBe(0);
  expect(await processes()).toEqual([]);
});

test("two that start at once make one daemon and three roles", { timeout: TEST_MS_MAX }, async () => {
  const { up, daemons, processes } = await instance();
  const started = await Promise.all([up(), up()]);
  expect(started.map(({ alreadyRunning }) => alreadyRunning).sort()).toEqual([false, true]);
  expect(await daemons()).toHaveLength(1);
  expect(await processes()).toHaveLength(4);
});

test("two homes live side by side and end one by one", { timeout: TEST_MS_MAX }, async () => {
  const [one, other] = [await instance(), await instance()];
  await Promise.all([one.up(), other.up()]);
  const [first, second] = await Promise.all([one.ask("run `pwd`"), other.ask("run `pwd`")]);
  expect(first.at(-1)).toContain(`\n${one.workDir}\n`);
  expect(second.at(-1)).toContain(`\n${other.workDir}\n`);
  expect((await one.mimikit("down")).code).toBe(0);
  expect(await one.processes()).toEqual([]);
  expect(await other.isReady()).toBe(true);
});

test("a port in use is named together with the variable that changes it", { timeout: TEST_MS_MAX }, async () => {
  const { mimikit, port, processes } = await instance();
  const taken = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  const { code, stderr } = await mimikit("up");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^mimikit: port ${port} on 127.0.0.1 is in use by another program.*MIMIKIT_PORT=\\d+.*\n$`),
  );
  expect(await processes()).toEqual([]);
});

test("a home whose path is too long for a socket is refused before anything starts", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, env } = await instance();
  const { code, stderr } = await run(MIMIKIT, ["up"], { ...env, MIMIKIT_HOME: join(workDir, "x".repeat(120)) });
  expect(code).toBe(1);
  expect(stderr).toMatch(/is too long for PM2: set MIMIKIT_HOME to one of at most \d+ bytes\n$/);
  expect(readdirSync(workDir)).toEqual([]);
});

test("a workspace that is not there, or a home that cannot be made, is named with the variable that corrects it", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, env } = await instance();
  const missing = join(workDir, "mistyped");
  const noWorkspace = await run(MIMIKIT, ["up"], { ...env, MIMIKIT_WORK_DIR: missing });
  expect(noWorkspace).toMatchObject({ code: 1, stdout: "" });
  expect(noWorkspace.stderr).toBe(
    `mimikit: the workspace ${missing} does not exist: make it, or correct MIMIKIT_WORK_DIR\n`,
  );
  writeFileSync(join(workDir, "file"), "");
  const noHome = await run(MIMIKIT, ["up"], { ...env, MIMIKIT_HOME: join(workDir, "file", "home") });
  expect(noHome.code).toBe(1);
  expect(noHome.stderr).toMatch(/cannot be written \(.*\): set MIMIKIT_HOME to a directory that can\n$/);
  expect(readdirSync(workDir)).toEqual(["file"]);
});

test("who starts it again with other settings is told how they come into force, and they do", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { up, home, env, mimikit } = await instance();
  await up();
  writeFileSync(join(home, "config.yaml"), "port: [1,\n  foo");
  const { stdout } = await run(MIMIKIT, ["up"], { ...env, MIMIKIT_PROVIDER: "openai" });
  expect(stdout).toMatch(/^Mimikit \S+ is already running\n/);
  expect(stdout).toContain(`  settings  as of the last start; to apply changes:  mimikit restart\n`);
  expect(stdout).toContain(`  → correct that, then:  mimikit restart\n`);
  rmSync(join(home, "config.yaml"));
  const other = { ...env, MIMIKIT_PROVIDER: "openai", OPENAI_BASE_URL: "http://127.0.0.1:1/v1", MIMIKIT_MODEL: "any" };
  expect((await run(MIMIKIT, ["restart"], other)).code).toBe(0);
  expect((await mimikit("status")).stdout).toMatch(/^ {2}model +openai any$/m);
});

test("after an update up and restart start everything anew, whatever the gateway of before answers, in the same workspace", {
  timeout: 3 * TEST_MS_MAX,
}, async () => {
  const { up, home, workDir, env, pid } = await instance();
  await up();
  const pm2 = async (...args: string[]) =>
    expect(await run(PM2, args, { ...env, PM2_HOME: join(home, "pm2") })).toMatchObject({ code: 0 });
  // Called in the checkout, which is not the workspace.
  const { MIMIKIT_WORK_DIR: _, ...elsewhere } = env;
  for (const [i, answer] of OLD_ANSWERS.entries()) {
    await pm2("delete", "mimikit-gateway");
    await pm2(
      "start",
      process.execPath,
      "--name",
      "mimikit-gateway",
      "--interpreter",
      "none",
      "--",
      OLD_GATEWAY,
      answer,
    );
    const before = pid("supervisor");
    await expect.poll(() => pid("gateway"), COMES_BACK).not.toBe(0);
    const command = i % 2 === 0 ? "up" : "restart";
    const { code, stdout, stderr } = await run(MIMIKIT, [command, "--json"], elsewhere);
    expect([answer, code]).toEqual([answer, 0]);
    expect(stderr).toMatch(command === "up" ? /^restarting with this version; [^\n]*\n$/ : /^$/);
    const { alreadyRunning = false, status } = JSON.parse(stdout) as { alreadyRunning?: boolean; status: Status };
    expect({ alreadyRunning, status }).toMatchObject({ alreadyRunning: false, status: { ready: true, workDir } });
    expect(pid("supervisor")).not.toBe(before);
  }
});

test("with only the gateway stopped, work goes on, and up or restart brings it back", {
  timeout: 2 * TEST_MS_MAX,
}, async () => {
  const { up, home, env, ask, mimikit, isReady } = await instance();
  await up();
  for (const command of ["up", "restart"]) {
    await run(PM2, ["stop", "mimikit-gateway"], { ...env, PM2_HOME: join(home, "pm2") });
    expect((await ask("run `echo $((20+3))`")).at(-1)).toContain("\n23\n");
    expect((await mimikit(command)).code).toBe(0);
    expect(await isReady()).toBe(true);
  }
});

/** Does something as a caller with this umask would. */
function withUmask<T>(umask: number, act: () => T): T {
  const before = process.umask(umask);
  try {
    return act();
  } finally {
    process.umask(before);
  }
}

test("what Workers make has the umask of who starts it, and the state is private, PM2's part of it too", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { home, up, ask, mimikit } = await instance();
  await withUmask(0o027, up);
  expect((await ask("run `umask`")).at(-1)).toContain("\n0027\n");
  const open = readdirSync(home, { recursive: true, encoding: "utf8" })
    // PM2 opens its sockets itself; their folder is private.
    .filter((path) => !/^pm2\/\w+\.sock$/.test(path))
    .map((path) => [path, modeText(lstatSync(join(home, path)).mode)] as const)
    .filter(([, mode]) => !mode.endsWith("00"));
  expect(open).toEqual([]);
  expect((await withUmask(0o022, () => mimikit("restart"))).code).toBe(0);
  expect((await ask("run `umask`")).at(-1)).toContain("\n0022\n");
});

test("plain pm2 gives the umask of who calls it, whatever its daemon has", { timeout: TEST_MS_MAX }, async () => {
  const { workDir, env, ask, isReady } = await instance();
  const ofPm2 = { ...env, PM2_HOME: join(workDir, "own-pm2") };
  await withUmask(0o022, () => run(PM2, ["ping"], ofPm2));
  await withUmask(0o027, () => run(PM2, ["start", join(ROOT, "ecosystem.config.cjs")], ofPm2));
  await expect.poll(isReady, COMES_BACK).toBe(true);
  expect((await ask("run `umask`")).at(-1)).toContain("\n0027\n");
});

test("plain pm2 runs the same three processes, and mimikit neither doubles nor steals them", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, env, up, ask, mimikit, processes, isReady } = await instance();
  const ofPm2: NodeJS.ProcessEnv = { ...env, PM2_HOME: join(workDir, "own-pm2") };
  const { MIMIKIT_WORK_DIR: _, MIMIKIT_HOME: __, ...withoutPlace } = ofPm2;
  const child = spawn(process.execPath, [PM2, "start", join(ROOT, "ecosystem.config.cjs")], {
    cwd: workDir,
    env: withoutPlace,
    stdio: "ignore",
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  await expect.poll(isReady, COMES_BACK).toBe(true);
  expect((await ask("run `pwd`")).at(-1)).toContain(`\n${workDir}\n`);
  expect((await up()).alreadyRunning).toBe(true);

  const refused = await mimikit("down");
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`PM2_HOME='${join(workDir, "own-pm2")}' pm2 delete`),
  });
  expect(await isReady()).toBe(true);

  const logged = await run(PM2, ["logs", "--raw", "--nostream", "--lines", "200"], ofPm2);
  expect(logged.stdout).toMatch(/^\{.*"event":"supervisor_started".*\}$/m);
  expect((await run(PM2, ["kill"], ofPm2)).code).toBe(0);
  await expect.poll(async () => (await processes()).length, COMES_BACK).toBe(0);
});

/** The tracked tree in a folder with spaces and letters that are not ASCII, with the packages of this one. */
function spacedCheckout(): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-pm2-")));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const root = join(parent, "my code 你好", "mimi kit");
  for (const path of ["apps", "dist", "packages", "prompts", "scripts", "package.json", "package-lock.json"])
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  cpSync(join(ROOT, "ecosystem.config.cjs"), join(root, "ecosystem.config.cjs"));
  return root;
}

test("a checkout in a folder with spaces starts, also where Node itself lies there", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, env, isReady, processes } = await instance();
  const root = spacedCheckout();
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const node = join(root, "node");
  cpSync(process.execPath, node);
  const ofPm2: NodeJS.ProcessEnv = { ...env, PM2_HOME: join(workDir, "own-pm2") };
  const started = await run(PM2, ["start", join(root, "ecosystem.config.cjs")], ofPm2, node);
  expect([started.code, started.stderr]).toEqual([0, ""]);
  await expect.poll(isReady, COMES_BACK).toBe(true);
  expect((await run(PM2, ["kill"], ofPm2, node)).code).toBe(0);
  await expect.poll(async () => (await processes()).length, COMES_BACK).toBe(0);
});

test("without packages, pm2 start says in one line how to get them", { timeout: TEST_MS_MAX }, async () => {
  const { workDir, env, processes } = await instance();
  const root = spacedCheckout();
  const ofPm2: NodeJS.ProcessEnv = { ...env, PM2_HOME: join(workDir, "own-pm2") };
  const { code, stderr } = await run(PM2, ["start", join(root, "ecosystem.config.cjs")], ofPm2);
  expect(code).toBe(1);
  expect(stderr).toBe(`mimikit: the packages are not installed. Run  npm start  once in ${root}\n`);
  await run(PM2, ["kill"], ofPm2);
  await expect.poll(async () => (await processes()).length, COMES_BACK).toBe(0);
});

test("modules of PM2 that came with a state directory never run, not even once it is adopted", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, home, env, processes } = await instance();
  const { MIMIKIT_HOME: _, ...inherited } = env;
  const found = { ...inherited, XDG_STATE_HOME: join(workDir, "xdg") };
  const evil = join(home, "pm2/modules/evil/node_modules/evil");
  mkdirSync(evil, { recursive: true });
  writeFileSync(join(home, "pm2/module_conf.json"), '{"module-db-v2":{"evil":{}}}');
  writeFileSync(
    join(evil, "package.json"),
    '{"name":"evil","version":"1.0.0","main":"index.js","apps":[{"script":"index.js"}]}',
  );
  writeFileSync(join(evil, "index.js"), `require("fs").writeFileSync(${JSON.stringify(join(workDir, "pwned"))}, "")`);
  expect((await run(MIMIKIT, ["adopt", "--yes"], found)).code).toBe(0);
  expect((await run(MIMIKIT, ["up"], found)).code).toBe(0);
  expect((await run(MIMIKIT, ["down"], found)).code).toBe(0);
  expect(await processes()).toEqual([]);
  expect(existsSync(join(workDir, "pwned"))).toBe(false);
});

test("a state directory that was moved here runs nothing and names adopt; adopted before its start, it runs as it did", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, home, env } = await instance();
  const { MIMIKIT_HOME: _, ...inherited } = env;
  const found = { ...inherited, XDG_STATE_HOME: join(workDir, "xdg") };
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "rules.md"), "Be short.\n");
  const told = (await run(MIMIKIT, ["up"], found)).stdout;
  expect(told).toMatch(/^! .*mimikit adopt {2}lists/m);
  // An adoption is noticed by what runs.
  expect(told).not.toContain("mimikit restart");
  for (const words of [["down"], ["adopt", "--yes"]]) expect((await run(MIMIKIT, words, found)).code).toBe(0);
  const again = await run(MIMIKIT, ["up"], found);
  expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining("!")]);
  expect((await run(MIMIKIT, ["pair"], found)).code).toBe(0);
  expect((await run(MIMIKIT, ["down"], found)).code).toBe(0);
});

test("a command that fails says so in one line with the code of the contract", { timeout: TEST_MS_MAX }, async () => {
  const { mimikit, workDir } = await instance();
  for (const [args, code] of [
    [["status"], 3],
    [["ask", "hello"], 3],
    [["tasks"], 1],
    [["pair"], 3],
    [["restart"], 3],
    [["frobnicate"], 2],
    [["send"], 2],
    [["tasks", "show"], 2],
    [["up", "--no-such-option"], 2],
    [[], 2],
  ] as const) {
    const ran = await mimikit(...args);
    expect([args, ran.code, ran.stdout]).toEqual([args, code, ""]);
    expect(ran.stderr).toMatch(/^mimikit: [^\n]+\n$/);
  }
  expect(readdirSync(workDir)).toEqual([]);
});
