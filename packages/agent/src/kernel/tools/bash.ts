/** Runs a command in the workspace. Its output is kept in a file, and the model sees the end of it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isAbove, type Level } from "@mimikit/protocol/base/skill";
import { z } from "zod";
import { describeEnd, finishCommand } from "../../shell/command.ts";
import { Output } from "../../shell/output.ts";
import { type Bounds, boundsOf } from "../../shell/sandbox.ts";
import { tool } from "../../tools/tool.ts";
import type { Workspace } from "./workspace.ts";

export const BASH_SEC_MAX = 120;
export const BASH_TAIL_LINES_MAX = 1_000;
export const BASH_TAIL_BYTES_MAX = 102_400;
const COMMAND_CHARS_MAX = 100_000;
/** Models write for bash; where it is missing, the system's `sh` has to do. */
const BASH = "/bin/bash";

export const bashTool = (workspace: Workspace) => {
  let commands = 0;
  return tool({
    name: "bash",
    level: "process-control",
    keepsWithin: true,
    roles: [workspace.task.role],
    input: z
      .strictObject({
        command: z.string().min(1).max(COMMAND_CHARS_MAX),
        timeoutSec: z.number().int().min(1).max(BASH_SEC_MAX).default(BASH_SEC_MAX),
      })
      .describe(
        "Runs a command in the workspace, without input. It is stopped after its time, and nothing that it left in the " +
          "background goes on. Each command has a shell of its own.",
      ),
    run: ({ command, timeoutSec }, { limit }) =>
      run(command, timeoutSec, { path: join(workspace.runDir, `bash-${++commands}.txt`), limit }, workspace),
  });
};

/** Throws when the run itself is stopped, and when the command could not be started. */
async function run(
  command: string,
  timeoutSec: number,
  { path, limit }: { path: string; limit: Level | undefined },
  workspace: Workspace,
) {
  const { environment, signal } = workspace;
  const output = await Output.create(path, BASH_TAIL_BYTES_MAX);
  try {
    const timeLimit = AbortSignal.timeout(timeoutSec * 1_000);
    const bounds = { ...(await boundsOf(workspace)), ...(limit !== undefined && within(limit)) };
    const options = { bounds, environment, output, ...(existsSync(BASH) && { shell: BASH }) };
    const end = await finishCommand(command, options, AbortSignal.any([signal, timeLimit]));
    signal.throwIfAborted();
    const ended = timeLimit.aborted && end.exitCode !== 0 ? `stopped after ${timeoutSec} s` : describeEnd(end);
    return { text: `[${ended}]\n${tailOf(output)}`, artifact: path };
  } finally {
    await output.close();
  }
}

/** What a skill does not allow, the sandbox does not have; without a sandbox nothing runs. */
function within(limit: Level): Partial<Bounds> {
  if (!isAbove("process-control", limit)) return {};
  return {
    mode: "required",
    isOffline: isAbove("message-send", limit),
    ...(isAbove("local-write", limit) && { isReadOnly: true }),
  };
}

function tailOf(output: Output): string {
  const lines = output.tail().split("\n");
  const isCut = output.bytes > BASH_TAIL_BYTES_MAX || lines.length > BASH_TAIL_LINES_MAX + 1;
  const text = lines.slice(-BASH_TAIL_LINES_MAX - 1).join("\n");
  return isCut ? `[the end of ${output.bytes} bytes; all of them are in ${output.path}]\n${text}` : text;
}
