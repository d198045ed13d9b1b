/**
 * Anthropic's agent CLI, `claude -p`. The Teller and the Planner get our tools over MCP and nothing else; a Worker gets
 * the CLI's own shell and file tools, and the whole CLI runs in our sandbox, because it has none that is always there.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROLES } from "@mimikit/protocol/base/kind";
import { type Senses, showing } from "../../prompt/media.ts";
import type { Provider, Run } from "../../provider.ts";
import { followsReadOnly } from "../../roles/index.ts";
import {
  type Bounds,
  boundsOf,
  type CommandLine,
  mayHideSecret,
  sandboxed,
  secretPathIn,
} from "../../shell/sandbox.ts";
import { EXTERNAL_SEC_MAX } from "../../tools/external.ts";
import type { AgentCli, CliAsk } from "../agent-cli/agent-cli.ts";
import { cliEnvironment } from "../agent-cli/environment.ts";
import { runAgentCli } from "../agent-cli/run-agent-cli.ts";
import { checkVersion } from "../agent-cli/version.ts";
import { hostOf } from "../endpoint/place.ts";
import { claudeArguments } from "./arguments.ts";
import { explainClaude } from "./explain.ts";
import { forgetThread } from "./forget-thread.ts";
import { mayBeOffline, offlineShell } from "./offline-shell.ts";
import { withPictures } from "./pictures.ts";
import { ClaudeReader } from "./reader.ts";
import { type ClaudeSettings, KEY_VARIABLE } from "./settings.ts";
import { forgetTaskDir, prepareTaskDir } from "./task-dir.ts";

/** The one that was tested. */
const VERSION_MIN = "2.1.330";
/** 1 MB was accepted, 3 MB was not. */
const INPUT_CHARS_MAX = 1_048_576;
/**
 * Tries of a request within the CLI: 7 s in all. With fewer than two, a connection that was lost in the middle of an
 * answer was told as an answer.
 */
const RETRIES = 3;
const SERVER_START_MS = 30_000;
const TOOL_MS = 60_000;
/** The pool ends a call from outside before the CLI gives up on it. */
const EXTERNAL_TOOL_MS = (EXTERNAL_SEC_MAX + 10) * 1_000;
/** The key is read again when it is this old; it is there only once, and no run takes that long. */
const KEY_TTL_MS = 7 * 86_400_000;
const SENSES: Senses = { vision: true, audio: false };
const SCRATCH_DIR = "scratch";

export function createClaude(settings: ClaudeSettings): Provider {
  return {
    name: "claude",
    ...(settings.model !== undefined && { model: settings.model }),
    run: (run, signal) => runAgentCli(showing(run, SENSES), claudeCli(settings, run), signal),
  };
}

/** For one run: it remembers how its last process ended. */
function claudeCli(settings: ClaudeSettings, { task }: Run): AgentCli {
  const { file, tasksDir, baseUrl, apiKey, idleMs } = settings;
  // A login is in the one folder that all share; a Worker's shell can read it there anyway.
  const hasOwnDir = ROLES[task.role].hasWorkspace && apiKey !== undefined;
  const configDir = hasOwnDir ? join(tasksDir, task.id) : settings.configDir;
  const options = (ask: CliAsk) => ({
    hasTools: ask.toolsPath !== null,
    countsCost: apiKey !== undefined && baseUrl === undefined,
  });
  let reader: ClaudeReader | null = null;
  return {
    name: "claude",
    ...(baseUrl !== undefined && { host: hostOf({ baseUrl }) }),
    inputCharsMax: INPUT_CHARS_MAX,
    idleMs,
    countsThread: false,
    async command(ask) {
      await checkVersion("claude", file, VERSION_MIN);
      const { run } = ask;
      const scratch = join(run.runDir, SCRATCH_DIR);
      if (hasOwnDir) await prepareTaskDir(configDir);
      for (const dir of [configDir, scratch]) await mkdir(dir, { recursive: true, mode: 0o700 });
      const secrets = apiKey === undefined ? [] : [apiKey];
      const environment = {
        CLAUDE_CONFIG_DIR: configDir,
        CLAUDE_CODE_TMPDIR: scratch,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
        // A Worker is shown the CLAUDE.md of the workspace by us.
        CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
        CLAUDE_CODE_MAX_RETRIES: String(RETRIES),
        MCP_TIMEOUT: String(SERVER_START_MS),
        MCP_TOOL_TIMEOUT: String(run.external?.offered.length ? EXTERNAL_TOOL_MS : TOOL_MS),
        ...(baseUrl !== undefined && { ANTHROPIC_BASE_URL: baseUrl }),
        ...(followsReadOnly(run.task) && mayBeOffline() && (await offlineShell(run.runDir))),
        ...run.environment,
      };
      const withKey = { ...environment, ...(apiKey !== undefined && { [KEY_VARIABLE]: apiKey }) };
      if (!ROLES[run.task.role].hasWorkspace) {
        const commandLine: CommandLine = [file, ...claudeArguments(settings, ask, null)];
        return { commandLine, cwd: run.runDir, environment: cliEnvironment(withKey), secrets };
      }
      // In the sandbox the key is in no variable, because the shell of the model would see it there.
      const bounds = await workerBounds(ask, configDir, scratch);
      const isHidden = apiKey !== undefined && (await mayHideSecret(bounds.mode));
      const args = claudeArguments(settings, ask, isHidden ? await secretPathIn(run.home) : null);
      const { commandLine, isHeld } = await sandboxed([file, ...args], { ...bounds, hasSecret: isHidden });
      return {
        commandLine,
        ...(isHeld && { sandbox: { program: file } }),
        cwd: run.workDir,
        environment: cliEnvironment(
          isHidden ? { ...environment, CLAUDE_CODE_API_KEY_HELPER_TTL_MS: String(KEY_TTL_MS) } : withKey,
        ),
        secrets,
        ...(isHidden && { handedOver: apiKey }),
      };
    },
    input: withPictures,
    createReader(ask) {
      const current = new ClaudeReader(options(ask));
      reader = current;
      return (line) => current.read(line);
    },
    explain: (end) => explainClaude(end, reader ?? new ClaudeReader({ hasTools: false, countsCost: false }), settings),
    forget: (threadId) => (hasOwnDir ? forgetTaskDir(tasksDir, task.id) : forgetThread(configDir, threadId)),
  };
}

/** Of the state directory, a Worker's CLI has what it keeps itself, and may read what any Worker's shell may. */
async function workerBounds({ run, socketPath }: CliAsk, configDir: string, scratch: string): Promise<Bounds> {
  const bounds = await boundsOf(run);
  const own = [configDir, scratch].map((path) => ({ path, isWritable: true }));
  const kept = socketPath === null ? [] : [dirname(socketPath)];
  return { ...bounds, allow: [...bounds.allow, ...own], kept };
}
