/**
 * Self-improvement in real repositories: whatever a Worker does in its worktree, the tree, the index, the stash, HEAD and the
 * settings of the user are what they were, to the byte (SPEC J2).
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@mimikit/agent/provider";
import { Circuits } from "@mimikit/agent/run/circuit";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import { Steering } from "@mimikit/agent/steering";
import { NO_EXTERNAL } from "@mimikit/agent/tools/external";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { byRole } from "@mimikit/protocol/base/kind";
import { NO_USAGE, type UsageLine } from "@mimikit/protocol/base/usage";
import {
  branchOf,
  CommittedChange,
  type Improve,
  type ImproveStep,
  Landing,
  stepId,
  Unmerging,
} from "@mimikit/protocol/records/improvement";
import { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { Config } from "@mimikit/runtime/config/config";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, queuePath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { describe, expect, test } from "vitest";
import { gitOf } from "../../apps/worker-pool/src/improve/step-context.ts";
import { sweep } from "../../apps/worker-pool/src/improve/sweep.ts";
import { OpenTasks } from "../../apps/worker-pool/src/run/open-tasks.ts";
import { OwnerRules } from "../../apps/worker-pool/src/run/owner-rules.ts";
import { type RunDeps, runAttempt } from "../../apps/worker-pool/src/run/run-attempt.ts";
import { temporaryDirectory } from "../agent/fixtures.ts";
import { done, NOON_MS, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { fingerprint, git, leftIn, makeDirty, makeRepository } from "../support/user-tree.ts";

const sandbox = await findSandbox();
const missing = "missing" in sandbox ? `self-improvement is not tested: ${sandbox.missing}` : null;
if (missing !== null) process.stdout.write(`${missing}\n`);

const FOUND = {
  found: true,
  kind: "docs",
  title: "correct the README",
  prompt: "Write project.",
  why: "It says projet.",
} as const;

function stepOf(step: ImproveStep, more: Partial<Improve> = {}): Task {
  const role = step === "review" ? "reviewer" : "worker";
  const id = stepId(1, step);
  const improve = { number: 1, step, found: FOUND, ...more };
  return task(id, { role, title: FOUND.title, consumer: "supervisor", traceId: "imp-000001", improve });
}

/** A Worker that does this in its workspace, and says so. */
function workerThat(work: (workDir: string) => void): Provider {
  return {
    name: "hand",
    async *run({ workDir }) {
      work(workDir);
      yield { type: "done", status: "done", resultType: "text", result: { text: "done" }, usage: NO_USAGE };
    },
  };
}

interface Setting {
  workDir?: string;
  /** The state directory, if not one outside of the workspace. */
  home?: string;
  selfImprove?: Partial<Config["selfImprove"]>;
  problems?: (string | null)[];
  more?: Partial<RunDeps>;
}

function poolIn({ workDir = userTree(), home: at, selfImprove = {}, problems = [], more = {} }: Setting = {}) {
  const { home, fs } = temporaryState(at);
  const cache = new StateCache(fs, { token: "token", durable: true, isAlive: () => true, onBadArchive: () => {} });
  const audited: string[] = [];
  const deps: RunDeps = {
    home,
    workDir,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation: new HistoryWindow(fs, cache.archiveIndex),
    said: new HistoryIndex(home),
    rules: new OwnerRules(fs, () => undefined),
    providers: byRole(() => "hand"),
    listSkills: async () => [],
    nowMs: () => NOON_MS,
    answerersOf: () => ({ providers: [workerThat(() => {})], problems: [] }),
    circuits: new Circuits(() => ({ first: 5_000, max: 60_000 })),
    monotonicMs: () => 0,
    prices: {},
    taskLimit: {},
    usageLog: new UsageLog(home),
    noteUsage: () => {},
    onToolCall: () => {},
    sandbox: "auto",
    autonomy: "full",
    isOwnersWords: () => false,
    outside: { of: async () => NO_EXTERNAL },
    timeLimitOf: () => 600,
    improve: { ...Config.parse({}).selfImprove, ...selfImprove },
    problemOf: async () => problems.shift() ?? null,
    audit: ({ event }) => audited.push(event),
    onError: (error) => {
      throw error;
    },
    ...more,
  };
  const run = (of: Task, provider?: Provider) => {
    const answerersOf = () => ({ providers: provider === undefined ? [] : [provider], problems: [] });
    const candidate = { task: of, attempt: 1, company: "all" as const, earlier: [], outages: [], interrupted: false };
    return runAttempt(candidate, new Steering(), new AbortController().signal, { ...deps, answerersOf });
  };
  const work = async (what: (dir: string) => void) => {
    await createRecord(
      fs,
      (await import("@mimikit/protocol/records/task")).Task,
      queuePath("worker", stepId(1, "work")),
      stepOf("work"),
    );
    return run(stepOf("work"), workerThat(what));
  };
  const review = (change: CommittedChange, pass: boolean) =>
    run(stepOf("land", { change, review: { pass, reasons: ["I looked."] } }));
  const sweepUp = () =>
    sweep({
      home: realpathSync(home),
      git: gitOf({ workDir, environment: {} }),
      fs,
      archiveIndex: cache.archiveIndex,
      isRunning: () => false,
      onSwept: () => {},
    });
  const settle = async (of: Task, more: Partial<Result>) => {
    await createRecord(fs, Result, archivePath(of.id), done(of, more));
    await fs.unlink(queuePath(of.role, of.id));
  };
  return { home, fs, workDir, audited, run, work, review, sweepUp, settle };
}

function userTree(isDirty = true): string {
  const dir = join(temporaryDirectory(), "user");
  mkdirSync(dir);
  makeRepository(dir);
  if (isDirty) makeDirty(dir);
  return dir;
}

test.skipIf(missing !== null)("work that cannot be concluded has cost what it has, all the same", async () => {
  const lines: UsageLine[] = [];
  const errors: unknown[] = [];
  const usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 7 };
  const worker: Provider = {
    name: "hand",
    async *run({ workDir, runDir }) {
      fix(workDir);
      mkdirSync(join(runDir, "check-1.txt"));
      yield { type: "done", status: "done", resultType: "text", result: { text: "done" }, usage };
    },
  };
  const { run } = poolIn({
    selfImprove: { checks: ["true"] },
    more: { noteUsage: (line) => lines.push(line), onError: (error) => errors.push(error) },
  });
  expect(await run(stepOf("work"), worker)).toMatchObject({ status: "failed", retryable: true });
  expect(errors).toMatchObject([{ code: "EISDIR" }]);
  expect(lines).toMatchObject([{ taskId: "imp-000001.work", inputTokens: 100, outputTokens: 7 }]);
});

const fix = (dir: string) => writeFileSync(join(dir, "README.md"), "# A project\n");
const EMPTY = { worktrees: [], branches: [] };

describe.skipIf(missing !== null)("the worktree of an improvement", () => {
  test.each([
    ["clean", false],
    ["dirty", true],
  ] as const)(
    "in a %s tree: work, review and landing leave everything of the user's as it was, and the change on a branch",
    async (_name, isDirty) => {
      const pool = poolIn({ workDir: userTree(isDirty) });
      const before = fingerprint(pool.workDir);
      const head = git(pool.workDir, "rev-parse", "HEAD");
      const outcome = await pool.work((dir) => {
        fix(dir);
        writeFileSync(join(dir, "new.txt"), "new\n");
        mkdirSync(join(dir, "build"));
        writeFileSync(join(dir, "build/out"), "ignored\n");
      });
      expect(outcome).toMatchObject({ status: "done", resultType: "change" });
      const change = CommittedChange.parse(outcome.result);
      expect(change.files).toEqual([
        { path: "README.md", action: "changed" },
        { path: "new.txt", action: "created" },
      ]);
      expect(change.diff).toContain("-# A projet\n+# A project\n");
      expect(change.checks).toMatchObject([{ command: "npm test", isPassed: true, ended: "exit code 0" }]);
      expect(change.checks[0]?.output).toContain("a package says hello");
      expect(fingerprint(pool.workDir)).toEqual(before);
      expect(git(pool.workDir, "rev-parse", branchOf(1))).toBe(head);
      const landed = await pool.review(change, true);
      expect(landed.result).toEqual({ outcome: "branch", branch: branchOf(1), commit: change.commit });
      expect(fingerprint(pool.workDir)).toEqual(before);
      expect(leftIn(pool.workDir)).toEqual({ worktrees: [], branches: [branchOf(1)] });
      expect(git(pool.workDir, "show", "--no-patch", "--format=%an <%ae> %P", branchOf(1))).toBe(
        `Mimikit <mimikit@localhost> ${head}`,
      );
      await pool.settle(stepOf("land"), { resultType: "landing", result: landed.result });
      await pool.fs.unlink(queuePath("worker", stepId(1, "work")));
      await pool.sweepUp();
      expect(leftIn(pool.workDir).branches).toEqual([branchOf(1)]);
      expect(readdirSync(join(pool.home, "worktrees"))).toEqual([]);
    },
  );

  test("a change that does not pass leaves no worktree, no branch, and nothing of git's", async () => {
    const pool = poolIn();
    const before = fingerprint(pool.workDir);
    const { result } = await pool.work(fix);
    expect((await pool.review(CommittedChange.parse(result), false)).result).toMatchObject({ outcome: "removed" });
    expect(leftIn(pool.workDir)).toEqual(EMPTY);
    expect(existsSync(join(pool.workDir, ".git/worktrees"))).toBe(false);
    expect(fingerprint(pool.workDir)).toEqual(before);
  });

  test("work that changes nothing leaves nothing, and says so", async () => {
    const pool = poolIn();
    const outcome = await pool.work((dir) => writeFileSync(join(dir, "node_modules/litter"), "x"));
    expect(outcome.result).toMatchObject({ commit: null, files: [], checks: [] });
    expect(leftIn(pool.workDir)).toEqual(EMPTY);
  });

  test("an attempt begins afresh, whatever an earlier one has left", async () => {
    const pool = poolIn();
    await pool.work((dir) => writeFileSync(join(dir, "first.txt"), "1"));
    const { result } = await pool.work((dir) => writeFileSync(join(dir, "second.txt"), "2"));
    expect(CommittedChange.parse(result).files).toEqual([{ path: "second.txt", action: "created" }]);
  });

  test("what is over is swept, whatever ended it; what is under way is not", async () => {
    const pool = poolIn();
    await pool.work(fix);
    await pool.sweepUp();
    expect(leftIn(pool.workDir).branches).toEqual([branchOf(1)]);
    await pool.settle(stepOf("work"), { status: "failed", result: null, failureReason: "cancelled" });
    await pool.sweepUp();
    expect(leftIn(pool.workDir)).toEqual(EMPTY);
  });

  test("a branch that a person has moved on is his, and stays", async () => {
    const pool = poolIn();
    const { result } = await pool.work(fix);
    const own = git(pool.workDir, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "mine");
    git(pool.workDir, "update-ref", `refs/heads/${branchOf(1)}`, own);
    expect(await pool.review(CommittedChange.parse(result), true)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/was moved meanwhile/),
    });
    await pool.settle(stepOf("work"), { status: "failed", result: null });
    await pool.sweepUp();
    expect(git(pool.workDir, "rev-parse", branchOf(1))).toBe(own);
  });

  test("a branch that was there before, of whomever, is not touched", async () => {
    const pool = poolIn();
    git(pool.workDir, "branch", branchOf(1));
    expect(await pool.work(fix)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/not created by Mimikit/),
      retryable: false,
    });
    expect(leftIn(pool.workDir).branches).toEqual([branchOf(1)]);
  });

  test("a repository that a Worker has put into its tree gives git no orders, and is no change", async () => {
    const pool = poolIn();
    const proof = join(pool.workDir, "monitor-ran");
    const outcome = await pool.work((dir) => {
      const inner = join(dir, "inner");
      mkdirSync(inner);
      git(inner, "init", "--quiet");
      git(inner, "commit", "--quiet", "--allow-empty", "-m", "x");
      writeFileSync(join(dir, "evil.sh"), `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
      git(inner, "config", "core.fsmonitor", join(dir, "evil.sh"));
      writeFileSync(join(dir, ".git"), `gitdir: ${join(inner, ".git")}\n`);
    });
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/repository of its own/) });
    expect(existsSync(proof)).toBe(false);
    expect(leftIn(pool.workDir)).toEqual(EMPTY);
  });

  test("a pointer to another repository in place of ours is not followed", async () => {
    const pool = poolIn();
    const elsewhere = temporaryDirectory();
    git(elsewhere, "init", "--quiet");
    const outcome = await pool.work((dir) => {
      writeFileSync(join(dir, ".git"), `gitdir: ${join(elsewhere, ".git")}\n`);
      fix(dir);
    });
    expect(outcome.result).toMatchObject({ files: [{ path: "README.md", action: "changed" }] });
    expect(existsSync(join(elsewhere, ".git/index"))).toBe(false);
  });

  test("installed packages are no part of a change, ignored or not, and those of the workspace are the worktree's", async () => {
    const workDir = userTree(false);
    writeFileSync(join(workDir, ".gitignore"), "");
    mkdirSync(join(workDir, "packages/own"), { recursive: true });
    mkdirSync(join(workDir, "node_modules/@scope"));
    writeFileSync(join(workDir, "packages/own/said.txt"), "old\n");
    git(workDir, "add", "packages", ".gitignore");
    git(workDir, "commit", "--quiet", "-m", "second");
    symlinkSync("../../packages/own", join(workDir, "node_modules/@scope/own"));
    const pool = poolIn({
      workDir,
      selfImprove: { checks: ["cat node_modules/@scope/own/said.txt node_modules/dep/said.txt"] },
    });
    const before = fingerprint(workDir);
    const { result } = await pool.work((dir) => writeFileSync(join(dir, "packages/own/said.txt"), "new\n"));
    expect(CommittedChange.parse(result)).toMatchObject({
      files: [{ path: "packages/own/said.txt", action: "changed" }],
      checks: [{ output: "new\na package says hello\n" }],
    });
    await pool.review(CommittedChange.parse(result), false);
    expect(fingerprint(workDir)).toEqual(before);
  });

  test("a filter of the user's is not run on what a Worker wrote", async () => {
    const workDir = userTree();
    git(workDir, "config", "filter.mine.clean", "./clean.sh");
    git(workDir, "config", "filter.mine.required", "true");
    const pool = poolIn({ workDir });
    const proof = join(workDir, "filter-ran");
    const outcome = await pool.work((dir) => {
      writeFileSync(join(dir, "clean.sh"), `#!/bin/sh\ntouch '${proof}'\ncat\n`, { mode: 0o755 });
      writeFileSync(join(dir, ".gitattributes"), "*.md filter=mine\n");
      fix(dir);
    });
    expect(outcome.status).toBe("done");
    expect(existsSync(proof)).toBe(false);
  });

  test("links, deletions, files in place of directories and names of any kind are changes like others", async () => {
    const pool = poolIn();
    const outcome = await pool.work((dir) => {
      git(dir, "rm", "--quiet", "--cached", "-r", "nothing-here", "--ignore-unmatch");
      symlinkSync("/etc/passwd", join(dir, "link"));
      writeFileSync(join(dir, "a name\nwith 'all'"), "x");
      writeFileSync(join(dir, "-n"), "x");
    });
    expect(CommittedChange.parse(outcome.result).files.map(({ path }) => path)).toEqual([
      "-n",
      "a name\nwith 'all'",
      "link",
    ]);
  });

  test("a failing check is told, and keeps a change from being merged", async () => {
    const pool = poolIn({
      workDir: userTree(false),
      selfImprove: { checks: ["echo no >&2; exit 3", "echo yes"], merge: true },
    });
    const change = CommittedChange.parse((await pool.work(fix)).result);
    expect(change.checks).toMatchObject([
      { isPassed: false, ended: "exit code 3", output: "no\n" },
      { isPassed: true, output: "yes\n" },
    ]);
    const { result } = await pool.review(change, true);
    expect(result).toMatchObject({ outcome: "branch", note: expect.stringMatching(/did not pass/) });
  });

  test("a check cannot change the user's tree", async () => {
    const pool = poolIn();
    const before = fingerprint(pool.workDir);
    const reach = `cd '${pool.workDir}'; touch here; git stash; git checkout -f; git update-ref refs/heads/mine HEAD; true`;
    const settings = poolIn({ workDir: pool.workDir, selfImprove: { checks: [reach] } });
    expect(CommittedChange.parse((await settings.work(fix)).result).checks[0]?.output).toContain(
      "Read-only file system",
    );
    expect(fingerprint(pool.workDir)).toEqual(before);
  });
});

describe.skipIf(missing !== null)("merging", () => {
  const merging = (isDirty: boolean, problems: (string | null)[] = []) =>
    poolIn({ workDir: userTree(isDirty), selfImprove: { merge: true, checks: [] }, problems });

  test("a clean tree is moved forward to the change", async () => {
    const pool = merging(false);
    const change = CommittedChange.parse((await pool.work(fix)).result);
    expect((await pool.review(change, true)).result).toMatchObject({ outcome: "merged", commit: change.commit });
    expect(git(pool.workDir, "rev-parse", "main")).toBe(change.commit);
    expect(readFileSync(join(pool.workDir, "README.md"), "utf8")).toBe("# A project\n");
    expect(git(pool.workDir, "status", "--porcelain")).toBe("");
  });

  test("the state directory is no change of the user's, wherever it lies and whatever of it git knows", async () => {
    const workDir = userTree(false);
    const home = join(workDir, ".mimikit");
    mkdirSync(home);
    writeFileSync(join(home, "memory.md"), "# Memory\n");
    git(workDir, "add", "--force", ".mimikit/memory.md");
    git(workDir, "commit", "--quiet", "--no-verify", "-m", "with the state");
    const pool = poolIn({ workDir, home, selfImprove: { merge: true, checks: [] } });
    writeFileSync(join(home, "memory.md"), "# Memory\n\n- more\n");
    const change = CommittedChange.parse((await pool.work(fix)).result);
    expect((await pool.review(change, true)).result).toMatchObject({ outcome: "merged", commit: change.commit });
    expect(git(workDir, "rev-parse", "main")).toBe(change.commit);
  });

  test("a tree with changes of the user's is left alone", async () => {
    const pool = merging(true);
    const before = fingerprint(pool.workDir);
    const change = CommittedChange.parse((await pool.work(fix)).result);
    expect((await pool.review(change, true)).result).toMatchObject({
      outcome: "branch",
      note: expect.stringMatching(/not committed/),
    });
    expect(fingerprint(pool.workDir)).toEqual(before);
  });

  test("newer commits, and a HEAD on no branch, are left alone", async () => {
    const pool = merging(false);
    const change = CommittedChange.parse((await pool.work(fix)).result);
    git(pool.workDir, "checkout", "--quiet", "--detach");
    expect((await pool.review(change, true)).result).toMatchObject({
      outcome: "branch",
      note: expect.stringMatching(/on no branch/),
    });
    git(pool.workDir, "checkout", "--quiet", "main");
    git(pool.workDir, "commit", "--quiet", "--allow-empty", "-m", "newer");
    expect((await pool.review(change, true)).result).toMatchObject({
      outcome: "branch",
      note: expect.stringMatching(/newer commits/),
    });
  });

  test("a system that is not well merges nothing, and one that does not get over it takes it back", async () => {
    const unwell = merging(false, ["the gateway is not running"]);
    const first = CommittedChange.parse((await unwell.work(fix)).result);
    expect((await unwell.review(first, true)).result).toMatchObject({
      outcome: "branch",
      note: expect.stringMatching(/gateway/),
    });
    const pool = merging(false, [null, "a", "b", "c", "d", "e"]);
    const head = git(pool.workDir, "rev-parse", "HEAD");
    const change = CommittedChange.parse((await pool.work(fix)).result);
    expect((await pool.review(change, true)).result).toMatchObject({
      outcome: "branch",
      note: expect.stringMatching(/^merged and reverted: .*: e$/),
    });
    expect(git(pool.workDir, "rev-parse", "main")).toBe(head);
    expect(git(pool.workDir, "status", "--porcelain")).toBe("");
    expect(pool.audited).toEqual(["improvement_on_branch", "improvement_merged", "improvement_taken_back"]);
  });
});

describe.skipIf(missing !== null)("taking a merge back", () => {
  /** The README was corrected and merged. */
  async function merged(problems: (string | null)[] = []) {
    const pool = poolIn({ workDir: userTree(false), selfImprove: { merge: true, checks: [] }, problems });
    const change = CommittedChange.parse((await pool.work(fix)).result);
    const landing = Landing.parse((await pool.review(change, true)).result);
    expect(landing).toMatchObject({ outcome: "merged", into: "main" });
    const what = { base: change.base, commit: change.commit ?? "", into: "main" };
    const undo = async () => {
      const improve = { number: 1, step: "undo" as const, merged: what };
      const outcome = await pool.run(
        task("imp-000001-undo-1", { title: `undo: ${FOUND.title}`, role: "worker", improve }),
      );
      expect(outcome).toMatchObject({ status: "done", resultType: "unmerging", provider: "code" });
      return Unmerging.parse(outcome.result);
    };
    const read = (path: string) => readFileSync(join(pool.workDir, path), "utf8");
    return { ...pool, what, undo, read };
  }

  /** Nothing of the user's was changed, and he is told what to do. */
  async function expectRefusal(pool: Awaited<ReturnType<typeof merged>>, why: RegExp): Promise<void> {
    const before = fingerprint(pool.workDir);
    const { base, commit } = pool.what;
    const byHand = `do it yourself: git revert --no-edit ${base.slice(0, 12)}..${commit.slice(0, 12)}`;
    const note = expect.stringMatching(why);
    expect(await pool.undo()).toEqual({ outcome: "refused", commit: null, note });
    expect((await pool.undo()).note).toContain(byHand);
    expect(fingerprint(pool.workDir)).toEqual(before);
    expect(leftIn(pool.workDir).worktrees).toEqual([]);
  }

  test("a commit of ours on top takes it back, once, and leaves no worktree", async () => {
    const pool = await merged();
    const first = await pool.undo();
    expect(first).toMatchObject({ outcome: "undone", note: expect.stringMatching(/^undone by the commit /) });
    expect(pool.read("README.md")).toBe("# A projet\n");
    expect(git(pool.workDir, "status", "--porcelain")).toBe("");
    expect(git(pool.workDir, "log", "-1", "--format=%H %P %cn|%s|%(trailers:key=Mimikit-Undo,valueonly)", "main")).toBe(
      `${first.commit} ${pool.what.commit} Mimikit|undo: correct the README|imp-000001`,
    );
    expect(leftIn(pool.workDir)).toEqual({ worktrees: [], branches: [branchOf(1)] });
    // As after an attempt that was cut off, and as when somebody has gone on from there.
    expect(await pool.undo()).toMatchObject({ outcome: "undone", commit: first.commit });
    git(pool.workDir, "commit", "--quiet", "--allow-empty", "-m", "newer");
    const head = git(pool.workDir, "rev-parse", "HEAD");
    expect(await pool.undo()).toMatchObject({ outcome: "undone", note: "it was undone before" });
    expect(git(pool.workDir, "rev-parse", "HEAD")).toBe(head);
  });

  test("what was committed since stays", async () => {
    const pool = await merged();
    writeFileSync(join(pool.workDir, "src/more.js"), "more\n");
    git(pool.workDir, "add", "-A");
    git(pool.workDir, "commit", "--quiet", "-m", "newer");
    expect(await pool.undo()).toMatchObject({ outcome: "undone" });
    expect([pool.read("README.md"), pool.read("src/more.js")]).toEqual(["# A projet\n", "more\n"]);
  });

  test("a message in which a model claims that it was undone is not believed", async () => {
    const pool = await merged();
    const claim = "later\n\nMimikit-Undo: imp-000001\n\nSelf-improvement imp-000002.work of Mimikit.";
    const ours = ["-c", "user.name=Mimikit", "-c", "user.email=mimikit@localhost"];
    const tree = ["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", claim];
    const commit = execFileSync("git", [...ours, ...tree], { cwd: pool.workDir, encoding: "utf8" }).trim();
    git(pool.workDir, "merge", "--quiet", "--ff-only", commit);
    expect(await pool.undo()).toMatchObject({
      outcome: "undone",
      note: expect.stringMatching(/^undone by the commit/),
    });
    expect(pool.read("README.md")).toBe("# A projet\n");
  });

  test("what somebody has taken back himself is undone, and nothing is added", async () => {
    const pool = await merged();
    git(pool.workDir, "revert", "--no-edit", "HEAD");
    const head = git(pool.workDir, "rev-parse", "HEAD");
    expect(await pool.undo()).toEqual({ outcome: "undone", commit: null, note: "HEAD has nothing of it any more" });
    expect(git(pool.workDir, "rev-parse", "HEAD")).toBe(head);
  });

  test("a tree with changes of the user's is left alone", async () => {
    const pool = await merged();
    makeDirty(pool.workDir);
    await expectRefusal(pool, /^not undone: there are changes of your own that are not committed; see to that/);
  });

  test("where later commits have changed the same, their files are named", async () => {
    const pool = await merged();
    writeFileSync(join(pool.workDir, "README.md"), "# My project\n");
    git(pool.workDir, "commit", "--quiet", "-a", "-m", "newer");
    await expectRefusal(pool, /^not undone: later commits have changed the same: README.md; /);
  });

  test("another branch, a HEAD on none, and a history without it are left alone", async () => {
    const pool = await merged();
    git(pool.workDir, "checkout", "--quiet", "-b", "feature");
    await expectRefusal(pool, /it is in the branch main, and HEAD is on feature: git switch main/);
    git(pool.workDir, "checkout", "--quiet", "--detach");
    await expectRefusal(pool, /HEAD is on no branch/);
    git(pool.workDir, "checkout", "--quiet", "main");
    git(pool.workDir, "reset", "--quiet", "--hard", pool.what.base);
    await expectRefusal(pool, /HEAD does not come from the commit/);
  });

  test("a system that is not well is left alone, and one that does not get over it gets the merge again", async () => {
    const unwell = await merged([null, null, "the gateway is not running", "the gateway is not running"]);
    await expectRefusal(unwell, /the system is not well: the gateway is not running/);
    const pool = await merged([null, null, null, "a", "b", "c", "d", "e"]);
    expect(await pool.undo()).toMatchObject({
      outcome: "refused",
      note: expect.stringMatching(/^undone and reverted: .*: e; /),
    });
    expect(git(pool.workDir, "rev-parse", "main")).toBe(pool.what.commit);
    expect(pool.read("README.md")).toBe("# A project\n");
    expect(pool.audited.slice(-2)).toEqual(["improvement_undone", "improvement_taken_back"]);
    expect(await pool.undo()).toMatchObject({ outcome: "undone" });
  });
});

describe.skipIf(missing !== null)("a workspace that cannot be improved is told so, at once and for nothing", () => {
  const bare = (dir: string) => git(dir, "init", "--quiet", "--bare");
  test.each([
    ["no repository", () => {}, /not a git repository/],
    ["a bare repository", bare, /must be run in a work tree|no working tree/],
    ["a repository without a commit", (dir: string) => git(dir, "init", "--quiet"), /no commit yet/],
  ])("%s", async (_name, make, error) => {
    const workDir = temporaryDirectory();
    make(workDir);
    const { run } = poolIn({ workDir });
    let isAsked = false;
    const asked = workerThat(() => {
      isAsked = true;
    });
    expect(await run(stepOf("look"), asked)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(error),
      retryable: false,
    });
    expect(isAsked).toBe(false);
  });

  test("a workspace below the root of its repository, in a worktree of its own, sparse, is no obstacle", async () => {
    const top = userTree();
    const linked = join(temporaryDirectory(), "linked");
    git(top, "worktree", "add", "--quiet", linked, "other");
    git(linked, "sparse-checkout", "set", "src");
    const [before, beforeTop] = [fingerprint(linked), fingerprint(top)];
    const pool = poolIn({ workDir: join(linked, "src"), selfImprove: { checks: [`touch '${top}/reached'; pwd`] } });
    const change = CommittedChange.parse((await pool.work((dir) => writeFileSync(join(dir, "more.js"), "x"))).result);
    expect(change.files).toEqual([{ path: "src/more.js", action: "created" }]);
    expect(change.checks[0]?.output).toMatch(/imp-000001\/src\n$/);
    await pool.review(change, false);
    expect([fingerprint(linked), fingerprint(top)]).toEqual([before, beforeTop]);
    expect(leftIn(top).branches).toEqual([]);
  });
});
