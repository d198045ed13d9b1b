/** Runs a command in the workspace. Its output is kept in a file, and the model sees the end of it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Autonomy, Reach } from "@mimikit/protocol/approvals/approval";
import { isAbove, type Level } from "@mimikit/protocol/base/skill";
import { z } from "zod";
import { boundsFor, type Declared, reachesOf } from "../../approval/command-reach.ts";
import type { SandboxMode } from "../../provider.ts";
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

const Command = z.strictObject({
  command: z.string().min(1).max(COMMAND_CHARS_MAX),
  timeoutSec: z.number().int().min(1).max(BASH_SEC_MAX).default(BASH_SEC_MAX),
});
const WORDS =
  "Runs a command in the workspace, without input. It is stopped after its time, and nothing that it left in the " +
  "background goes on. Each command has a shell of its own.";
/** Where a command is kept within bounds, it says what it needs beyond them. */
const Bounded = Command.extend({
  network: z.boolean().default(false),
  outside: z.boolean().default(false).describe("Whether it changes files outside the workspace."),
});
const BOUNDED_WORDS =
  `${WORDS} It has no network without \`network\`, and can change nothing outside the workspace but temporary files without ` +
  "`outside`; each asks the owner first, so set it only where it is needed. Installing packages often needs both.";

export const bashTool = (workspace: Workspace) => {
  let commands = 0;
  const mode = workspace.gate?.mode ?? "full";
  const declared = (input: z.output<typeof Command>): Declared => ({ network: false, outside: false, ...input });
  return tool({
    name: "bash",
    level: "process-control",
    keepsWithin: true,
    roles: [workspace.task.role],
    input: mode === "full" ? Command.describe(WORDS) : Bounded.describe(BOUNDED_WORDS),
    wants: async (input, { limit }) => ({
      reaches: await reachesWithin(limit, declared(input), mode, workspace.sandbox),
      shown: input.command,
      command: input.command,
    }),
    run: (input, { limit }) => {
      const path = join(workspace.runDir, `bash-${++commands}.txt`);
      return run(input.command, input.timeoutSec, { path, limit, bounds: boundsFor(declared(input), mode) }, workspace);
    },
  });
};

/** Throws when the run itself is stopped, and when the command could not be started. */
async function run(
  command: string,
  timeoutSec: number,
  { path, limit, bounds: own }: { path: string; limit: Level | undefined; bounds: Partial<Bounds> },
  workspace: Workspace,
) {
  const { environment, signal } = workspace;
  const output = await Output.create(path, BASH_TAIL_BYTES_MAX);
  try {
    const timeLimit = AbortSignal.timeout(timeoutSec * 1_000);
    const bounds = { ...(await boundsOf(workspace)), ...own, ...(limit !== undefined && within(limit)) };
    const options = { bounds, environment, output, ...(existsSync(BASH) && { shell: BASH }) };
    const end = await finishCommand(command, options, AbortSignal.any([signal, timeLimit]));
    signal.throwIfAborted();
    const ended = timeLimit.aborted && end.exitCode !== 0 ? `stopped after ${timeoutSec} s` : describeEnd(end);
    return { text: `[${ended}]\n${tailOf(output)}`, artifact: path };
  } finally {
    await output.close();
  }
}

/** The owner is not asked for rights that a skill does not allow: the sandbox does not have them, and there is no command without one. */
function reachesWithin(
  limit: Level | undefined,
  { network, outside }: Declared,
  mode: Autonomy,
  sandbox: SandboxMode,
): Promise<Reach[]> {
  const mayHave = (level: Level) => limit === undefined || !isAbove(level, limit);
  const left = { network: network && mayHave("message-send"), outside: outside && mayHave("local-write") };
  return reachesOf(left, mode, mayHave("process-control") ? sandbox : "required");
}

/** Rights that a skill does not allow are missing in the sandbox; without a sandbox nothing runs. */
function within(limit: Level): Partial<Bounds> {
  if (!isAbove("process-control", limit)) return {};
  return {
    mode: "required",
    ...(isAbove("message-send", limit) && { isOffline: true }),
    ...(isAbove("local-write", limit) && { isReadOnly: true }),
  };
}

function tailOf(output: Output): string {
  const lines = output.tail().split("\n");
  const isCut = output.bytes > BASH_TAIL_BYTES_MAX || lines.length > BASH_TAIL_LINES_MAX + 1;
  const text = lines.slice(-BASH_TAIL_LINES_MAX - 1).join("\n");
  return isCut ? `[the end of ${output.bytes} bytes; all of them are in ${output.path}]\n${text}` : text;
}
