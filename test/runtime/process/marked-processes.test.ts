import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { homeHash } from "@mimikit/runtime/home/home";
import { isAlive } from "@mimikit/runtime/process/identity";
import { findMarked, killMarked, MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { expect, onTestFinished, test } from "vitest";
import { temporaryHome } from "../temporary-home.ts";

/** A shell with these variables, detached as the pool's children are; resolves when it runs what it is told. */
async function start(variables: Record<string, string>, command: string): Promise<void> {
  const shell = spawn("sh", ["-c", `${command}`], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...variables },
  });
  onTestFinished(() => {
    if (shell.pid !== undefined && shell.exitCode === null && shell.signalCode === null) process.kill(-shell.pid, 9);
  });
  await once(shell.stdout, "data");
}

/** A shell with this mark. */
async function startMarked(mark: string, command: string): Promise<void> {
  onTestFinished(async () => {
    await killMarked(mark);
  });
  await start({ [MARK_VARIABLE]: mark }, command);
}

test("a child is found by its mark, by its home, and by no other mark or home", async () => {
  const [home, other] = [temporaryHome(), temporaryHome()];
  const mark = markOf(home, "t-000001.0.0", 1);
  await startMarked(mark, "echo up; kill -STOP $$");
  expect(await findMarked(mark)).toMatchObject([{ mark }]);
  expect(await findMarked(homeHash(home))).toMatchObject([{ mark }]);
  expect(await findMarked(markOf(home, "t-000001.0.0", 2))).toEqual([]);
  expect(await findMarked(markOf(home, "t-000001.0", 1))).toEqual([]);
  expect(await findMarked(homeHash(other))).toEqual([]);
});

test("a whole tree is ended: also what ignores TERM, what left its group, and what others started", async () => {
  const home = temporaryHome();
  const mark = markOf(home, "t-000002.0.0", 3);
  await startMarked(
    mark,
    "trap '' TERM; setsid sleep 60 & sh -c 'trap \"\" TERM; sleep 60; sleep 60' & echo up; sleep 60; sleep 60",
  );
  // The shells fork one after another, and a child between fork and exec has no environment to look at.
  await expect.poll(async () => (await findMarked(mark)).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4);
  const tree = await findMarked(mark);
  expect(await killMarked(mark)).toEqual([]);
  expect(tree.filter(isAlive)).toEqual([]);
  expect(await findMarked(homeHash(home))).toEqual([]);
});

test("killing what is not there is harmless, and this process is never among the marked", async () => {
  const home = temporaryHome();
  expect(await killMarked(homeHash(home))).toEqual([]);
});

test("a helper that was given no mark is found by its TMPDIR, which is in the folder of its run", async () => {
  const [home, other] = [temporaryHome(), temporaryHome()];
  const mark = markOf(home, "t-000003.0.0", 2);
  await start({ TMPDIR: join(home, "runs/t-000003.0.0.a2/tmp") }, "echo up; sleep 60; sleep 60");
  // Between its fork and its exec the sleep has no environment to look at.
  await expect.poll(() => findMarked(mark)).toMatchObject([{ mark }, { mark }]);
  expect(await findMarked(homeHash(home))).toMatchObject([{ mark }, { mark }]);
  expect(await findMarked(markOf(home, "t-000003.0.0", 1))).toEqual([]);
  expect(await findMarked(homeHash(other))).toEqual([]);
  expect(await killMarked(mark)).toEqual([]);
  expect(await findMarked(homeHash(home))).toEqual([]);
});

test("a TMPDIR elsewhere in a home, in no home, or in one that is gone is no mark", async () => {
  const home = temporaryHome();
  for (const path of [
    `${home}/tmp`,
    `${home}/runs`,
    `${home}/runs/tmp`,
    `${home}/gone/runs/t-000004.a1/tmp`,
    "runs/t-000004.a1/tmp",
  ])
    await start({ TMPDIR: path }, "echo up; sleep 60; sleep 60");
  expect(await findMarked(homeHash(home))).toEqual([]);
});
