/** Which directory is the workspace, for those who start Mimikit in its own clone. The home of the user is the test's own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { cloneProgram } from "../support/program-clone.ts";
import { instance } from "./pm2-instance.ts";

const TEST_MS_MAX = 240_000;

test("started in its own clone, Mimikit works in ~/mimikit, and goes on where a state is in the clone", {
  timeout: TEST_MS_MAX,
}, async () => {
  const clone = cloneProgram();
  onTestFinished(() => clone.remove());
  const { workDir, env: theirs } = await instance();
  const user = join(workDir, "user");
  mkdirSync(user);
  const env = { ...theirs, HOME: user, MIMIKIT_WORK_DIR: "", MIMIKIT_HOME: "" };
  const inClone = async (...words: string[]) => {
    const child = spawn(process.execPath, words, { cwd: clone.root, env, stdio: ["ignore", "pipe", "pipe"] });
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: child.exitCode, out, error };
  };
  const apart = join(user, "mimikit");

  const up = await inClone(clone.mimikit, "up", "--json");
  expect([up.code, up.error]).toEqual([
    0,
    `made ${apart}, the workspace, because this is Mimikit's own folder; MIMIKIT_WORK_DIR names another\n`,
  ]);
  expect(JSON.parse(up.out)).toMatchObject({ home: join(apart, ".mimikit"), status: { workDir: apart } });
  expect(statSync(apart).mode & 0o777).toBe(0o777 & ~process.umask());
  expect((await inClone(clone.mimikit, "status")).code).toBe(0);
  const again = await inClone(clone.mimikit, "up", "--json");
  expect([again.error, JSON.parse(again.out).alreadyRunning]).toEqual(["", true]);
  expect((await inClone(clone.mimikit, "down")).code).toBe(0);
  expect(existsSync(join(clone.root, ".mimikit"))).toBe(false);

  const ofPm2 = () =>
    inClone("-e", "console.log(JSON.stringify(require('./ecosystem.config.cjs').apps[0].env.MIMIKIT_WORK_DIR))");
  expect(await ofPm2()).toEqual({ code: 0, out: `${JSON.stringify(apart)}\n`, error: "" });
  mkdirSync(join(clone.root, ".mimikit"));
  const kept = await ofPm2();
  expect(kept).toEqual({
    code: 0,
    out: `${JSON.stringify(clone.root)}\n`,
    error: "mimikit: the workspace is Mimikit's own folder, as its .mimikit is there; MIMIKIT_WORK_DIR names another\n",
  });
});
