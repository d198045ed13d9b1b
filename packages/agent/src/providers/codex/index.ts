/**
 * OpenAI's agent CLI, `codex exec`. The Teller and the Planner get our tools over MCP and no shell; a Worker gets codex's
 * own shell, in codex's own sandbox, where the state directory does not exist.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { ROLES } from "@mimikit/protocol/base/kind";
import type { AttachmentEvidence } from "../../prompt/evidence.ts";
import { showing } from "../../prompt/media.ts";
import type { Provider, Run } from "../../provider.ts";
import { mayWrite } from "../../roles/index.ts";
import { makeTemporary } from "../../shell/temporary.ts";
import type { AgentCli } from "../agent-cli/agent-cli.ts";
import { cliEnvironment } from "../agent-cli/environment.ts";
import { runAgentCli } from "../agent-cli/run-agent-cli.ts";
import { checkVersion } from "../agent-cli/version.ts";
import { hostOf } from "../endpoint/place.ts";
import { codexArguments } from "./arguments.ts";
import { explainCodex } from "./explain.ts";
import { forgetThread } from "./forget-thread.ts";
import { holdMasks, makeMasks } from "./hold-masks.ts";
import { reachOf } from "./permissions.ts";
import { createCodexReader } from "./reader.ts";
import { type CodexSettings, KEY_VARIABLE } from "./settings.ts";

/** Older ones do not make the calls of one answer in their order. */
const VERSION_MIN = "0.169.0";
/** codex refuses more. */
const INPUT_CHARS_MAX = 1_048_576;
export function createCodex(settings: CodexSettings): Provider {
  return {
    name: "codex",
    ...(settings.model !== undefined && { model: settings.model }),
    async *run(run, signal) {
      const { hasWorkspace } = ROLES[run.task.role];
      // Where nothing can be written codex makes no directories, and in a tree that is only looked at we make none either.
      const letGo =
        hasWorkspace && mayWrite(run.task) ? await holdMasks(run.workDir, Date.parse(run.task.createdAt)) : null;
      try {
        yield* runAgentCli(withPictures(run), codexCli(settings), signal);
      } finally {
        await letGo?.();
      }
    },
  };
}

/** codex takes a list of pictures apart at its commas. */
const PICTURE_SEPARATOR = ",";

/** The run in which the model sees the pictures; where it cannot, codex itself tells it that there was one. */
function withPictures(run: Run): Run {
  const isListed = ({ path }: AttachmentEvidence) => path?.includes(PICTURE_SEPARATOR) !== true;
  return showing(run, { vision: (run.context.evidence ?? []).every(isListed), audio: false });
}

function codexCli(settings: CodexSettings): AgentCli {
  const { file, codexHome, endpoint, idleMs } = settings;
  return {
    name: "codex",
    ...(endpoint !== null && { host: hostOf(endpoint) }),
    inputCharsMax: INPUT_CHARS_MAX,
    idleMs,
    countsThread: true,
    async command(ask) {
      await checkVersion("codex", file, VERSION_MIN);
      const { run } = ask;
      await mkdir(codexHome, { recursive: true, mode: 0o700 });
      // codex leaves some of its helpers nothing but their TMPDIR to know them by (see `findMarked`), and refuses to work where its own home is below it.
      const temporary = await makeTemporary(run.runDir);
      const { hasWorkspace } = ROLES[run.task.role];
      const reach = hasWorkspace ? await reachOf(run, codexHome, temporary) : null;
      // Other Workers may write there too, at the same time.
      if (reach !== null) await makeMasks(reach.shown.map((path) => dirname(path)));
      const apiKey = endpoint?.apiKey;
      return {
        commandLine: [file, ...codexArguments(settings, ask, reach)],
        cwd: hasWorkspace ? run.workDir : run.runDir,
        environment: cliEnvironment({
          ...run.environment,
          CODEX_HOME: codexHome,
          TMPDIR: temporary,
          ...(apiKey !== undefined && { [KEY_VARIABLE]: apiKey }),
        }),
        secrets: apiKey === undefined ? [] : [apiKey],
      };
    },
    createReader: createCodexReader,
    explain: explainCodex,
    forget: (threadId) => forgetThread(codexHome, threadId),
  };
}
