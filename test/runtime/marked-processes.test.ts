import { spawn } from "node:child_process";
import { once } from "node:events";
import { homeHash } from "@mimikit/runtime/home";
import { isAlive } from "@mimikit/runtime/identity";
import { findMarked, killMarked, MARK_VARIABLE, markOf } from "@mimikit/runtime/marked-processes";
import { expect, onTestFinished, test } from "vitest";
import { temporaryHome } from "./temporary-home.ts";

/** A shell with this mark, detached as the pool's children are; resolves when it runs what it is told. */
async function startMarked(mark: string, command: string): Promise<void> {
  const shell = spawn("sh", ["-c", `${command}`], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, [MARK_VARIABLE]: mark },
  });
  onTestFinished(async () => {
    await killMarked(mark);
  });
  await once(shell.stdout, "data");
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
  await expect.poll(async () => (await findMarked(mark)).length).toBeGreaterThanOrEqual(4);
  const tree = await findMarked(mark);
  expect(await killMarked(mark)).toEqual([]);
  expect(tree.filter(isAlive)).toEqual([]);
  expect(await findMarked(homeHash(home))).toEqual([]);
});

test("killing what is not there is harmless, and this process is never among the marked", async () => {
  const home = temporaryHome();
  expect(await killMarked(homeHash(home))).toEqual([]);
});
