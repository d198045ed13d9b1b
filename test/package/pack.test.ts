/** `npm pack` in a clone whose processes run. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { instance, run } from "../pm2/pm2-instance.ts";
import { cloneProgram } from "../support/program-clone.ts";
import { pack } from "./npm.ts";

/** It has a file of its own, which is loaded with the first moment that somebody names. */
const LOADED_LATE = "packages/agent/src/providers/offline/when.ts";

test("what runs loads the rest of its program after npm pack has built another, of which alone the package is", async () => {
  const clone = cloneProgram();
  onTestFinished(() => clone.remove());
  const { env, workDir } = await instance();
  const mimikit = (...words: string[]) => run(clone.mimikit, words, env);
  expect((await mimikit("up")).code).toBe(0);
  const loadedLate = join(clone.root, LOADED_LATE);
  writeFileSync(loadedLate, `${readFileSync(loadedLate, "utf8")}\nconsole.debug("another");\n`);
  const packed = await pack(clone.root, workDir);

  const asked = await mimikit("ask", "--timeout", "60", "remind me in 3 hours to drink tea");
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining("drink tea")]);
  expect((await mimikit("status", "--json")).stdout).toContain('"ready": true');

  const { files } = JSON.parse(readFileSync(join(clone.root, "dist/.stamp.json"), "utf8")) as { files: string[] };
  const programs = packed.files.flatMap((path) => (path.startsWith("dist/") ? [path.slice(5)] : []));
  expect(programs.sort()).toEqual(files.sort());
  expect((await mimikit("down")).code).toBe(0);
});
