/** One run starts one command after the other, all with the same mark. */

import { join } from "node:path";
import type { SandboxMode } from "@mimikit/agent/provider";
import { runCommand } from "@mimikit/agent/shell/command";
import { Output } from "@mimikit/agent/shell/output";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, test } from "vitest";
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
