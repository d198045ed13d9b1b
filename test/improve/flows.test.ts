/** Self-improvement through the three real processes with a scripted model (SPEC J): what is found, done, judged, landed and told. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { ChangeView, Improvement } from "@mimikit/protocol/wire/api";
import { afterEach, describe, expect, test } from "vitest";
import { FINDS, IMPROVES, settingsOf } from "../support/improve-script.ts";
import { Instance } from "../support/instance.ts";
import { section } from "../support/main-job.ts";
import { ModelServer, type Script } from "../support/model-server.ts";
import { fingerprint, git, leftIn, makeDirty, makeRepository } from "../support/user-tree.ts";

const MINUTE_MS = 60_000;
const ROOT = join(import.meta.dirname, "../..");
const sandbox = await findSandbox();
const missing = "missing" in sandbox ? `self-improvement is not tested: ${sandbox.missing}` : null;
if (missing !== null) process.stdout.write(`${missing}\n`);

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(
  script: Script,
  { isDirty = true, env = {} }: { isDirty?: boolean; env?: Record<string, string> },
) {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({ env: { ...settingsOf(model), ...env }, hasClock: true, roles: [] });
  opened.unshift(mimikit);
  makeRepository(mimikit.workDir);
  if (isDirty) makeDirty(mimikit.workDir);
  for (const role of ["supervisor", "workers", "gateway"] as const) mimikit.startRole(role);
  await mimikit.ready();
  return { mimikit, model, before: fingerprint(mimikit.workDir) };
}

/** Improvement `number`, once it is over. */
function over(mimikit: Instance, number: number): Promise<Improvement> {
  return mimikit.until(`the end of improvement ${number}`, async () => {
    const { improvements } = await mimikit.api<{ improvements: Improvement[] }>("/api/improvements");
    return improvements.find((each) => each.number === number && each.endedAt !== undefined);
  });
}

async function swept(mimikit: Instance): Promise<void> {
  const left = () => readdirSync(join(mimikit.home, "worktrees"));
  await mimikit.until("nothing left", () => (left().length === 0 ? true : undefined));
}

async function cli(mimikit: Instance, ...args: string[]): Promise<string> {
  const env = { ...process.env, MIMIKIT_HOME: mimikit.home, MIMIKIT_WORK_DIR: mimikit.workDir };
  const { stdout } = await promisify(execFile)("node", [join(ROOT, "apps/cli/bin/mimikit.mjs"), ...args], { env });
  return stdout;
}

describe.skipIf(missing !== null)("self-improvement", () => {
  test("after five quiet minutes something is found, done, passed and told, and nothing of the user's is touched", async () => {
    const { mimikit, model, before } = await start(IMPROVES, {});
    mimikit.setClock(6 * MINUTE_MS);
    const { state, branch, title, why, change, reasons } = await over(mimikit, 1);
    expect({ state, branch, title, why, reasons }).toEqual({
      state: "branch",
      branch: "self-improve/imp-000001",
      title: "correct the README",
      why: "It says projet.",
      reasons: ["It does what it should."],
    });
    expect(change?.checks).toMatchObject([{ command: "npm test", isPassed: true }]);
    const [review] = model.of("reviewer");
    expect(review?.prompt).toMatch(/\+# A project[\s\S]*/);
    expect(review?.prompt).toContain("a package says hello");
    expect(review?.tools).toEqual([]);
    await mimikit.replyWith("I have improved something");
    await swept(mimikit);
    expect(leftIn(mimikit.workDir)).toEqual({ worktrees: [], branches: ["self-improve/imp-000001"] });
    expect(git(mimikit.workDir, "show", "self-improve/imp-000001:README.md")).toBe("# A project");
    expect(fingerprint(mimikit.workDir)).toEqual(before);
    expect(await cli(mimikit, "improve", "show", "1")).toMatch(
      /correct the README[\s\S]*It says projet[\s\S]*\+# A project/,
    );
    expect(model.unknown).toEqual([]);
  });

  test("what does not pass is removed, and costs the Teller no turn", async () => {
    const reviewer = [{ say: '{"pass": false, "reasons": ["It is a matter of taste."]}' }];
    const { mimikit, model, before } = await start({ ...IMPROVES, reviewer }, {});
    const { outcome } = JSON.parse(await cli(mimikit, "improve", "now", "--json")) as { outcome: string };
    expect(outcome).toBe("imp-000001");
    expect(await over(mimikit, 1)).toMatchObject({ state: "rejected", reasons: ["It is a matter of taste."] });
    await swept(mimikit);
    expect(leftIn(mimikit.workDir)).toEqual({ worktrees: [], branches: [] });
    expect(fingerprint(mimikit.workDir)).toEqual(before);
    await mimikit.drained();
    expect(model.of("teller")).toEqual([]);
  });

  test("nothing found is no news, and the next look waits twice as long, until the user speaks", async () => {
    const worker = [{ say: '{"found": false}' }];
    const { mimikit, model, before } = await start({ ...IMPROVES, worker }, {});
    mimikit.setClock(6 * MINUTE_MS);
    expect(await over(mimikit, 1)).toMatchObject({ state: "nothing" });
    mimikit.setClock(13 * MINUTE_MS);
    await mimikit.drained();
    const page = join(mimikit.home, "self_awake.json");
    await mimikit.until("the page that says so", () => {
      const text = existsSync(page) ? readFileSync(page, "utf8") : "{}";
      return (JSON.parse(text) as { failures?: number }).failures === 1 || undefined;
    });
    expect(model.of("worker").length).toBe(1);
    mimikit.setClock(17 * MINUTE_MS);
    expect(await over(mimikit, 2)).toMatchObject({ state: "nothing" });
    expect(model.of("teller")).toEqual([]);
    await mimikit.replyTo(await mimikit.send("hello"));
    mimikit.setClock(23 * MINUTE_MS);
    expect(await over(mimikit, 3)).toMatchObject({ state: "nothing" });
    expect(fingerprint(mimikit.workDir)).toEqual(before);
  });

  test("old notes are summed up first, one after the other, and in no list; then something is looked for", async () => {
    const worker: Script["worker"] = (request) =>
      section("sources", request) === "" ? { say: '{"found": false}' } : { say: "- The site is blue." };
    const { mimikit, model } = await start({ ...IMPROVES, worker }, {});
    const memory = join(mimikit.home, "memory");
    for (const day of ["01", "02"]) writeFileSync(join(memory, `2026-01-${day}-site.md`), "- The site is blue.\n");
    mimikit.setClock(6 * MINUTE_MS);
    expect(await over(mimikit, 1)).toMatchObject({ state: "nothing" });
    const summary = readFileSync(join(memory, "summary/2026-01.md"), "utf8");
    expect(summary).toContain("The site is blue.");
    expect(readdirSync(memory).filter((name) => name.endsWith(".md"))).toEqual([]);
    expect(model.of("worker").map((request) => section("sources", request) === "")).toEqual([
      false,
      false,
      false,
      true,
    ]);
    const { tasks } = await mimikit.api<{ tasks: { id: string }[] }>("/api/tasks");
    expect(tasks.map(({ id }) => id)).toEqual(["imp-000001"]);
    const replayed = JSON.parse(await cli(mimikit, "audit", "replay", "--at", "2099-01-01T00:00:00Z", "--json")) as {
      tasks: { id: string }[];
    };
    // A task that has just ended may still be in it.
    expect(replayed.tasks.filter(({ id }) => id !== "imp-000001")).toEqual([]);
  });

  test("a change that passed is merged where that is wanted and the tree is clean", async () => {
    const { mimikit } = await start(IMPROVES, { isDirty: false, env: { MIMIKIT_SELF_IMPROVE_MERGE: "true" } });
    mimikit.setClock(6 * MINUTE_MS);
    expect(await over(mimikit, 1)).toMatchObject({ state: "merged" });
    expect(readFileSync(join(mimikit.workDir, "README.md"), "utf8")).toBe("# A project\n");
    expect(git(mimikit.workDir, "log", "--format=%an", "-1")).toBe("Mimikit");
  });

  test("a merge is taken back from the command line when nothing is in the way, and once", async () => {
    const { mimikit } = await start(IMPROVES, { isDirty: false, env: { MIMIKIT_SELF_IMPROVE_MERGE: "true" } });
    await cli(mimikit, "improve", "now");
    expect(await over(mimikit, 1)).toMatchObject({ state: "merged" });
    const { workDir } = mimikit;
    const change = async () => (await mimikit.api<{ changes: ChangeView[] }>("/api/changes")).changes[0];
    expect(await change()).toMatchObject({ id: "imp-000001", what: "improvement", op: "merge", state: "open" });

    // Work of the user's own is in the way: nothing is touched, and everybody is told what to do.
    writeFileSync(join(workDir, "src/add.js"), "// unfinished\n");
    const before = fingerprint(workDir);
    const obstacle = /^not undone: there are changes of your own .* do it yourself: git revert --no-edit /;
    await expect(cli(mimikit, "undo", "imp-000001")).rejects.toThrow(/there are changes of your own/);
    expect(fingerprint(workDir)).toEqual(before);
    const tried = await mimikit.until("what came of it", async () => {
      const view = await change();
      return view?.problem === undefined ? undefined : view;
    });
    expect(tried).toMatchObject({ state: "open", problem: expect.stringMatching(obstacle) });
    git(workDir, "checkout", "--quiet", "--", "src/add.js");

    expect(await cli(mimikit, "undo", "imp-000001")).toMatch(/^imp-000001: undone by the commit [0-9a-f]{12}\n/);
    expect(readFileSync(join(workDir, "README.md"), "utf8")).toBe("# A projet\n");
    expect(git(workDir, "log", "-1", "--format=%an %s")).toBe("Mimikit undo: correct the README");
    expect(git(workDir, "status", "--porcelain")).toBe("");
    const head = git(workDir, "rev-parse", "HEAD");
    expect(await cli(mimikit, "undo", "imp-000001")).toBe("imp-000001: it was undone before\n");
    await mimikit.api("/api/undo", { method: "POST", body: { id: "imp-000001" } });
    await mimikit.drained();
    expect(git(workDir, "rev-parse", "HEAD")).toBe(head);
    expect(await change()).toMatchObject({ state: "undone" });
    expect(await over(mimikit, 1)).toMatchObject({ state: "undone" });
    expect(leftIn(workDir).worktrees).toEqual([]);
  });

  test("a message comes first, and a cancelled improvement leaves nothing behind", async () => {
    const worker: Script["worker"] = (request) =>
      request.prompt.includes("Write project.")
        ? { calls: [{ shell: "touch started; sleep 60" }] }
        : { say: JSON.stringify(FINDS) };
    const { mimikit, before } = await start({ ...IMPROVES, worker }, {});
    mimikit.setClock(6 * MINUTE_MS);
    const started = join(mimikit.home, "worktrees/imp-000001/started");
    await mimikit.until("the work", () => existsSync(started) || undefined);
    writeFileSync(join(mimikit.workDir, "notes.txt"), "not in git\n");
    expect((await mimikit.replyTo(await mimikit.send("hello"))).text).toBe("At your service.");
    await cli(mimikit, "tasks", "cancel", "imp-000001");
    expect(await over(mimikit, 1)).toMatchObject({ state: "failed", error: "cancelled by the user" });
    await swept(mimikit);
    expect(leftIn(mimikit.workDir)).toEqual({ worktrees: [], branches: [] });
    expect(fingerprint(mimikit.workDir)).toEqual(before);
  });
});
