/**
 * The command line of `claude -p`. Every setting is here, because it reads no settings of the user or of the workspace:
 * a role's permissions do not depend on the user's own setup, or on a folder.
 */
import { ROLES } from "@mimikit/protocol/base/kind";
import type { Task } from "@mimikit/protocol/records/task";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { definitionOf, followsReadOnly, mayWrite } from "../../roles/index.ts";
import { toolsOf } from "../../tools/index.ts";
import type { CliAsk } from "../agent-cli/agent-cli.ts";
import { serverCommand } from "../agent-cli/mcp/server-command.ts";
import { SERVER_NAME } from "../agent-cli/mcp/server-name.ts";
import { mayBeOffline } from "./offline-shell.ts";
import { showsPictures } from "./pictures.ts";
import type { ClaudeSettings } from "./settings.ts";

/** The tools of a Worker. Some versions leave out those that the shell can do as well. */
const WORKER_TOOLS = ["Bash", "Read", "Edit", "Write", "Glob", "Grep"];
/** The tools of a role that only looks. */
const LOOKING_TOOLS = ["Bash", "Read", "Glob", "Grep"];
/** Without a shell, whose network could not be taken away. */
const READING_TOOLS = ["Read", "Glob", "Grep"];

const COMMON = [
  ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
  // Otherwise a message that begins with a slash would be a command of the CLI.
  "--disable-slash-commands",
  ...["--setting-sources", "", "--strict-mcp-config", "--no-chrome"],
  // Any tool that is not allowed is denied, without a question.
  ...["--permission-mode", "dontAsk"],
];

/** @param keyPath the file from which the CLI reads its key, once; null where it has it from its environment. */
export function claudeArguments({ apiKey, model }: ClaudeSettings, ask: CliAsk, keyPath: string | null): string[] {
  const { run, systemPath, threadId, toolsPath } = ask;
  const ownTools = ownToolsOf(run.task).join(",");
  const names = [...toolsOf(run.task.role), ...(run.external?.offered ?? [])].map(
    ({ name }) => `mcp__${SERVER_NAME}__${name}`,
  );
  return [
    ...COMMON,
    // Only with a key: a login is not read by it.
    ...(apiKey === undefined ? [] : ["--bare"]),
    ...(model === undefined ? [] : ["--model", model]),
    ...["--system-prompt-file", systemPath],
    ...(showsPictures(ask) ? ["--input-format", "stream-json"] : []),
    ...["--tools", ownTools],
    ...(ownTools === "" ? [] : ["--allowedTools", ownTools]),
    ...(toolsPath === null ? [] : ["--mcp-config", serversOf(ask, toolsPath), "--allowedTools", names.join(",")]),
    ...(keyPath === null ? [] : ["--settings", JSON.stringify({ apiKeyHelper: readOnce(keyPath) })]),
    ...(threadId === null ? [] : ["--resume", threadId]),
  ];
}

/** The tools of the CLI itself: the others of a role are ours. */
function ownToolsOf(task: Task): readonly string[] {
  if (!ROLES[task.role].hasWorkspace || definitionOf(task).levels.length === 0) return [];
  if (followsReadOnly(task) && !mayBeOffline()) return READING_TOOLS;
  return mayWrite(task) ? WORKER_TOOLS : LOOKING_TOOLS;
}

function serversOf({ run }: CliAsk, toolsPath: string): string {
  const mark = run.environment[MARK_VARIABLE];
  const env = mark === undefined ? {} : { [MARK_VARIABLE]: mark };
  return JSON.stringify({ mcpServers: { [SERVER_NAME]: { type: "stdio", ...serverCommand(toolsPath), env } } });
}

/** A command that prints a file and removes it: a later reader finds nothing. */
function readOnce(path: string): string {
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  return `cat ${quoted} && rm -f ${quoted}`;
}
