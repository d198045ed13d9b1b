/** One run starts one command after the other, all with the same mark. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { SandboxMode } from "@mimikit/agent/provider";
import { runCommand } from "@mimikit/agent/shell/command";
import { Output } from "@mimikit/agent/shell/output";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { identityOf } from "@mimikit/runtime/process/identity";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../fixtures.ts";

/** The commands of one run, one after the other; each may be stopped when it prints something. */
function shell(sandbox: SandboxMode) {
  const directory = temporaryDirectory();
  const mark = `command-${process.pid}:${directory}.a1`;
  return async (command: string, isStopped = false) => {
    const output = await Output.create(join(directory, "output.txt"), 1_000);
    const stop = new AbortController();
    const bounds = { home: directory, workDir: "/tmp", allow: [], mode: sandbox };
    const lines = runCommand(command, { bounds, environment: { [MARK_VARIABLE]: mark }, output }, stop.signal);
    let next = await lines.next();
    while (next.done !== true) {
      if (isStopped) stop.abort("cancelled");
      next = await lines.next();
    }
    await output.close();
    return { ...next.value, text: output.tail() };
  };
}

describe.each<SandboxMode>(["auto", "off"])(
  "with the sandbox %s, a command is not ended with the one before it",
  (mode) => {
    test("that closed its output before it ended", async () => {
      const run = shell(mode);
      expect(await run("exec >&- 2>&-; sleep 0.2; exit 3")).toMatchObject({ exitCode: 3 });
      expect(await run("sleep 1; echo alive")).toMatchObject({ exitCode: 0, text: "alive\n" });
    });

    test("that was stopped", async () => {
      const run = shell(mode);
      await run("trap 'exit 0' TERM; echo begun; while :; do sleep 0.01; done", true);
      expect(await run("sleep 1; echo alive")).toMatchObject({ exitCode: 0, text: "alive\n" });
    });

    test("that left something in the background", async () => {
      const run = shell(mode);
      await run("setsid sleep 60 & echo begun");
      expect(await run("sleep 1; echo alive")).toMatchObject({ exitCode: 0, text: "alive\n" });
    });
  },
);

describe.skipIf(!platform.mayMakeGroups())("without a sandbox, where control groups can be made", () => {
  test("what leaves its session, its parent and its environment behind is ended with the command", async () => {
    const run = shell("off");
    const { text } = await run("env -i setsid sleep 61.3 >/dev/null 2>&1 & echo $!; sleep 0.2");
    expect(text).toMatch(/^\d+\n$/);
    expect(identityOf(Number(text))).toBeNull();
  });

  test("a command ends as it would without one", async () => {
    const run = shell("off");
    expect(await run("exit 3")).toMatchObject({ exitCode: 3 });
    expect(await run("kill -TERM $$")).toMatchObject({ signal: "SIGTERM" });
  });
});

describe("without a sandbox and without control groups", () => {
  /** Of processes that another platform runs: it is chosen when a process starts. */
  function left(command: string): { text: string; hasLeft: boolean } {
    const script = join(import.meta.dirname, "../processes/run-unheld.ts");
    const env = { ...process.env, MIMIKIT_PLATFORM: "portable" };
    return JSON.parse(execFileSync(process.execPath, [script, command], { env, encoding: "utf8" }));
  }

  test("it is known that something is left which cannot be found", () => {
    const { text, hasLeft } = left("env -i setsid sleep 60.7 >/dev/null 2>&1 & echo $!; sleep 0.2");
    const pid = Number(text);
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    expect(identityOf(pid)).not.toBeNull();
    expect(hasLeft).toBe(true);
  });

  test.each([
    ["ends by itself", "echo one"],
    ["leaves something that is found by its mark", "setsid sleep 60 & echo one"],
    ["leaves something in its process group", "env -i sleep 60 & echo one"],
    ["writes more into the pipe than it holds", "head -c 200000 /dev/zero >&3 & echo one"],
  ])("a command that %s has left nothing", (_, command) => {
    expect(left(command)).toEqual({ text: "one\n", hasLeft: false });
  });
});
