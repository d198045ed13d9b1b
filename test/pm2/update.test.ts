/** Updates of a clone, with the real git and PM2: the clone, what it follows, its packages, home and port are the test's own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished, test } from "vitest";
import { cloneProgram, type ProgramClone } from "../support/program-clone.ts";
import { COMES_BACK, instance, run } from "./pm2-instance.ts";

const TEST_MS_MAX = 290_000;
const VERSION = /"version": "[\d.]+"/;

const STATE_VERSION = "packages/runtime/src/home/state-version.ts";
const BACKLOG = "- [ ] paint the boat\n";
/** A version whose state is another: the one line of the backlog gets a word more. */
const NEXT_STATE = (number: number) =>
  `{ to: ${number}, carry: (path, text) => (path === "backlog.md" ? text.replace("boat\\n", "boat, carried\\n") : text) }`;

/** The new version has a version of the state of its own. */
function publishState(clone: ProgramClone): void {
  clone.publish("state: carry the backlog", STATE_VERSION, "[{ to: 1 }]", `[{ to: 1 }, ${NEXT_STATE(2)}]`);
}

const stateIn = (home: string) => [
  (JSON.parse(readFileSync(join(home, "version.json"), "utf8")) as { state: number }).state,
  readFileSync(join(home, "backlog.md"), "utf8"),
];
const CARRIED = [2, "- [ ] paint the boat, carried\n"];

/** An instance that runs from a clone. */
async function installed() {
  const clone = cloneProgram();
  onTestFinished(() => clone.remove());
  const { env: theirs, ...of } = await instance();
  // Files made in the home of the user are made here.
  const env: NodeJS.ProcessEnv = { ...theirs, HOME: join(of.workDir, "user") };
  mkdirSync(join(of.workDir, "user"));
  const mimikit = (...words: string[]) => run(clone.mimikit, words, env);
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await mimikit(...words, "--json");
    expect([words, code, stderr.match(/^mimikit: .*/m)?.[0]]).toEqual([words, 0, undefined]);
    return JSON.parse(stdout);
  };
  return { ...of, clone, env, mimikit, json, head: () => clone.git("rev-parse", "HEAD") };
}

/** Nothing of an update is left beside the clone, in it, or in its repository. */
function expectTidy(clone: ProgramClone): void {
  expect(readdirSync(dirname(clone.root)).sort()).toEqual(["a clone", "upstream"]);
  expect(clone.git("status", "--porcelain")).toBe("");
  expect(clone.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(readdirSync(clone.root).filter((name) => name.startsWith(".mimikit-update"))).toEqual([]);
}

test("an update is taken into use while work runs: nothing is lost, and nothing is done twice", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { clone, json, mimikit, home, workDir, head } = await installed();
  expect((await json("up")).status.version).not.toBe("0.99.0");
  expect(await json("update", "--check")).toMatchObject({ count: 0, updated: false });
  writeFileSync(join(home, "backlog.md"), BACKLOG);
  publishState(clone);
  const to = clone.publish("all: be better", "package.json", VERSION, '"version": "0.99.0"');
  expect(await json("update", "--check")).toMatchObject({ count: 2, to, updated: false });

  const ran = () => (existsSync(join(workDir, "ran.txt")) ? readFileSync(join(workDir, "ran.txt"), "utf8") : "");
  await json("send", "run `echo begun >> ran.txt; test -e go && echo ended >> ran.txt || sleep 600`");
  await expect.poll(ran, COMES_BACK).toBe("begun\n");
  writeFileSync(join(workDir, "go"), "");
  expect(await json("update")).toMatchObject({ updated: true, restarted: true, newVersion: "0.99.0" });

  expect(head()).toBe(to);
  expectTidy(clone);
  expect(await json("status")).toMatchObject({ version: "0.99.0", ready: true });
  const said = async () => (await json("history")).messages as { role: string; text: string }[];
  // The order, and its report after it has been taken up again.
  await expect.poll(async () => (await said()).filter(({ role }) => role === "assistant").length, COMES_BACK).toBe(2);
  expect(ran()).toBe("begun\nbegun\nended\n");
  // The messages to the new version before are in the copy.
  expect((await said()).filter(({ text }) => text === "hello")).toEqual([]);
  expect(stateIn(home)).toEqual(CARRIED);
  expect(await mimikit("update")).toMatchObject({ code: 0, stdout: expect.stringMatching(/is up to date\n$/) });
  expect((await mimikit("down")).code).toBe(0);
});

test("up after a git pull starts the processes with the new version, and their work goes on", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { clone, json, mimikit, home, workDir, pid } = await installed();
  await json("up");
  writeFileSync(join(home, "backlog.md"), BACKLOG);
  const ran = () => (existsSync(join(workDir, "ran.txt")) ? readFileSync(join(workDir, "ran.txt"), "utf8") : "");
  await json("send", "run `echo begun >> ran.txt; test -e go && echo ended >> ran.txt || sleep 600`");
  await expect.poll(ran, COMES_BACK).toBe("begun\n");
  writeFileSync(join(workDir, "go"), "");
  publishState(clone);
  clone.publish("all: be better", "package.json", VERSION, '"version": "0.99.0"');
  clone.git("pull", "--quiet");
  const before = PROCESS_ROLES.map(pid);
  const { code, stdout, stderr } = await mimikit("up", "--json");
  expect([code, stderr]).toEqual([0, expect.stringContaining("restarting with this version; ")]);
  expect(JSON.parse(stdout)).toMatchObject({ alreadyRunning: false, status: { version: "0.99.0", ready: true } });
  for (const old of before) expect(PROCESS_ROLES.map(pid)).not.toContain(old);
  await expect.poll(ran, COMES_BACK).toBe("begun\nbegun\nended\n");
  expect(stateIn(home)).toEqual(CARRIED);
  expect(await json("up")).toMatchObject({ alreadyRunning: true });
  expect((await mimikit("down")).code).toBe(0);
});

test("a new version that does not answer changes nothing", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { clone, json, mimikit, pid, head } = await installed();
  await json("up");
  const before = { commit: head(), pids: PROCESS_ROLES.map(pid) };
  clone.publish(
    "pool: break",
    "apps/worker-pool/src/main.ts",
    "const umask",
    'throw new Error("broken");\nconst umask',
  );
  const broken = await mimikit("update");
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/^mimikit: nothing was changed: .+$/m) });
  expect({ commit: head(), pids: PROCESS_ROLES.map(pid) }).toEqual(before);
  expectTidy(clone);
  expect((await mimikit("down")).code).toBe(0);
});

test("a new version that does not start is taken back", { timeout: TEST_MS_MAX }, async () => {
  const { clone, json, mimikit, home, head } = await installed();
  await json("up");
  writeFileSync(join(home, "backlog.md"), BACKLOG);
  const from = head();
  publishState(clone);
  clone.publish("pm2: break", "ecosystem.config.cjs", "const node =", 'fail("broken on purpose");\nconst node =');
  const unstartable = await mimikit("update");
  expect(unstartable).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^mimikit: reverted to the previous version, which is running: up: pm2 startOrRestart failed: /m,
    ),
  });
  expect(head()).toBe(from);
  expect(stateIn(home)).toEqual([1, BACKLOG]);
  expectTidy(clone);
  expect((await json("status")).ready).toBe(true);
  expect((await mimikit("down")).code).toBe(0);
});

test("what is changed, has gone apart, or follows nothing is refused in words, before anything is built", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { clone, mimikit } = await installed();
  clone.publish("all: be better", "README.md", "Mimikit", "Mimikit!");
  const refusal = async () => {
    const { code, stderr } = await mimikit("update");
    expect(code).toBe(1);
    return stderr;
  };
  writeFileSync(join(clone.root, "LICENSE"), "mine");
  expect(await refusal()).toMatch(
    /^mimikit: files of this clone are changed \( ?M LICENSE\): commit them, or put them aside/,
  );
  clone.git("commit", "--quiet", "-am", "mine");
  expect(await refusal()).toMatch(/^mimikit: the branch main and what it follows have both gone on: /);
  clone.git("checkout", "--quiet", "--detach", "HEAD~1");
  expect(await refusal()).toMatch(/^mimikit: no branch is checked out here \(detached HEAD\): /);
  clone.git("checkout", "--quiet", "-b", "own");
  expect(await refusal()).toMatch(/^mimikit: the branch own follows no other: /);
  expect(readdirSync(dirname(clone.root)).sort()).toEqual(["a clone", "upstream"]);
});

test("an update that is killed at the switch is taken back by the next up, and succeeds the next time", {
  timeout: 2 * TEST_MS_MAX,
}, async () => {
  const { clone, env, json, mimikit, home, head } = await installed();
  await json("up");
  writeFileSync(join(home, "backlog.md"), BACKLOG);
  const from = head();
  publishState(clone);
  clone.publish("all: be better", "package.json", VERSION, '"version": "0.99.0"');
  const journal = join(clone.root, ".mimikit-update.json");
  const old = join(dirname(clone.root), ".a clone.update/node_modules.old");
  const moments: [string, () => boolean][] = [
    ["it begins", () => existsSync(journal) && readFileSync(journal, "utf8").includes('"phase":"switch"')],
    ["the packages go", () => existsSync(old)],
    ["the code and the state are new", () => stateIn(home)[0] === 2],
  ];
  for (const [moment, isNow] of moments) {
    const updater = spawn(process.execPath, [clone.mimikit, "update"], { env, stdio: "ignore" });
    const gone = once(updater, "exit");
    await expect.poll(() => isNow() || updater.exitCode !== null, { timeout: 120_000, interval: 1 }).toBe(true);
    expect([moment, updater.exitCode]).toEqual([moment, null]);
    updater.kill("SIGKILL");
    await gone;
    const { code, stdout, stderr } = await mimikit("up", "--json");
    expect([moment, code, stderr]).toEqual([
      moment,
      0,
      expect.stringContaining("an update was cut off, and is taken back"),
    ]);
    const { status } = JSON.parse(stdout);
    expect([moment, status.ready, status.version === "0.99.0", head()]).toEqual([moment, true, false, from]);
    expect([moment, ...stateIn(home)]).toEqual([moment, 1, BACKLOG]);
    expectTidy(clone);
  }
  expect(await json("update")).toMatchObject({ updated: true, restarted: true });
  expect((await json("status")).version).toBe("0.99.0");
  expect(stateIn(home)).toEqual(CARRIED);
  expect((await json("down")).home).toBeTruthy();
});
