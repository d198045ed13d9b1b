/** One process of an agent CLI, played by a shell: its lines, its complaints, and its end. */
import { findMarked, MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { expect, test } from "vitest";
import { type CliEnd, runCli } from "../../../../packages/agent/src/providers/agent-cli/run-cli.ts";
import { temporaryDirectory } from "../../fixtures.ts";

interface Told {
  lines: unknown[];
  end: CliEnd;
  /** How many processes of it are alive behind its end. */
  left: number;
}

/** Runs `script`, and stops it when it says its first line where `isStopped`. */
async function cli(script: string, { input = "", isStopped = false } = {}): Promise<Told> {
  const cwd = temporaryDirectory();
  const mark = `cli-${process.pid}:${cwd}.a1`;
  const stop = new AbortController();
  const environment = { PATH: process.env.PATH ?? "", [MARK_VARIABLE]: mark };
  const commandLine: [string, ...string[]] = ["/bin/sh", "-c", script];
  const said = runCli({ commandLine, cwd, environment, input, mark, secrets: ["sk-1"] }, stop.signal);
  const lines: unknown[] = [];
  for (;;) {
    const next = await said.next();
    if (next.done === true) return { lines, end: next.value, left: (await findMarked(mark)).length };
    lines.push(next.value);
    if (isStopped) stop.abort("cancelled");
  }
}

test("a CLI is told its words by standard input, and its lines are read apart from its complaints", async () => {
  const { lines, end } = await cli(
    'read word; echo "{\\"said\\":\\"$word\\"}"; echo "{oops"; echo "no sk-1" >&2; exit 3',
    {
      input: "hello\n",
    },
  );
  expect(lines).toEqual([{ said: "hello" }]);
  expect(end).toMatchObject({ exitCode: 3, stderr: "no [key]", unreadable: 1 });
});

test("a CLI that is stopped ends with what it started, also where that holds its output open", async () => {
  const { end, left } = await cli('setsid sleep 60 & echo "{}"; wait', { isStopped: true });
  expect(end).toMatchObject({ signal: "SIGTERM", stderr: "" });
  expect(left).toBe(0);
});

test("a CLI that leaves something in the background has ended, and so has that", async () => {
  const { end, left } = await cli('setsid sleep 60 & echo "{}"; exit 0');
  expect(end).toMatchObject({ exitCode: 0, unreadable: 0 });
  expect(left).toBe(0);
});

test("a CLI that is not there says why it was never started", async () => {
  const cwd = temporaryDirectory();
  const options = {
    commandLine: ["/nowhere/cli"] as [string],
    cwd,
    environment: {},
    mark: undefined,
    input: "",
    secrets: [],
  };
  const said = runCli(options, new AbortController().signal);
  expect((await said.next()).value).toMatchObject({
    cause: { code: "ENOENT" },
    exitCode: undefined,
    signal: undefined,
  });
});
