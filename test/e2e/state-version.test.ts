/** A state that a newer version has written is refused in words by everything that would read it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { prepareHome } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { bundleOf } from "../support/programs.ts";

const NEWER = '{"state":7,"program":"9.9.9"}\n';
const WORDS =
  /^mimikit: the state in \S+ is of version 7, written by Mimikit 9\.9\.9, and Mimikit \S+ knows up to 1: update it \(mimikit update\), or restore a backup of before\n$/;

function newerState() {
  const workDir = mkdtempSync(join(tmpdir(), "mimikit-newer-"));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  const home = join(workDir, "state");
  mkdirSync(home);
  prepareHome(home);
  writeFileSync(join(home, "version.json"), NEWER);
  writeFileSync(join(home, "inbox", "m.json"), JSON.stringify({ kind: "message", text: "hello" }));
  return { home, workDir };
}

test.each(["supervisor", "worker-pool", "http-gateway"])(
  "the %s says so in one line, and ends with 1",
  async (name) => {
    const { home, workDir } = newerState();
    const env = { ...process.env, MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir };
    const role = spawn(process.execPath, [bundleOf(name)], { env, stdio: ["ignore", "ignore", "pipe"] });
    const [said] = await Promise.all([text(role.stderr), once(role, "close")]);
    expect([role.exitCode, said]).toEqual([1, expect.stringMatching(WORDS)]);
    expect(readFileSync(join(home, "version.json"), "utf8")).toBe(NEWER);
    expect(readdirSync(join(home, "inbox"))).toEqual(["m.json"]);
  },
);

test.each([["up"], ["status"], ["send", "hello"], ["history"], ["backup", "file.tar.gz"], ["doctor"]])(
  "mimikit %s says so in one line, and ends with 1",
  async (...words) => {
    const place = newerState();
    const { code, error } = await runCli(place, words);
    expect([code, error]).toEqual([1, expect.stringMatching(WORDS)]);
    expect(existsSync(join(place.home, "pm2"))).toBe(false);
  },
);

test("a backup of before takes the place of a newer state", async () => {
  const mimikit = await Instance.start();
  onTestFinished(() => mimikit.dispose());
  await mimikit.replyTo(await mimikit.send("hello"));
  const place = newerState();
  const file = join(place.workDir, "before.tar.gz");
  expect(await runCli(mimikit, ["backup", file])).toMatchObject({ code: 0 });
  await mimikit.stop();
  expect(await runCli(place, ["restore", file])).toMatchObject({ code: 0, error: "" });
  expect(JSON.parse(readFileSync(join(place.home, "version.json"), "utf8"))).toMatchObject({ state: 1 });
});
