/**
 * The command line of `codex exec`. Every setting is here, because it reads no file of the user: a role's permissions do
 * not depend on the user's own setup.
 */
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { followsReadOnly } from "../../roles/index.ts";
import { EXTERNAL_SEC_MAX } from "../../tools/external.ts";
import { toolsOf } from "../../tools/index.ts";
import type { CliAsk } from "../agent-cli/agent-cli.ts";
import { serverCommand } from "../agent-cli/mcp/server-command.ts";
import { SERVER_NAME } from "../agent-cli/mcp/server-name.ts";
import { type CodexReach, permissionValues } from "./permissions.ts";
import { type CodexSettings, KEY_VARIABLE } from "./settings.ts";
import { type TomlValue, toToml } from "./toml.ts";

/** Tries within the CLI, of a request and of a torn stream; an attempt that failed may be tried again as a whole. */
const REQUEST_RETRIES = 2;
const STREAM_RETRIES = 2;
const STREAM_IDLE_MS = 120_000;
const TOOL_SEC = 60;
/** The pool ends a call from outside before the CLI gives up on it. */
const EXTERNAL_TOOL_SEC = EXTERNAL_SEC_MAX + 10;
const ENDPOINT = "mimikit";

/** Features that no role of ours needs: they would ask other hosts, start other agents, or wait for a network that is not there. */
const DISABLED = [
  "unbounded_connection_retries",
  "apps",
  "plugins",
  "remote_plugin",
  "goals",
  "hooks",
  "image_generation",
  "browser_use",
  "computer_use",
];
/** Features that make a coding agent of a model. */
const DISABLED_WITHOUT_SHELL = ["shell_tool", "unified_exec", "view_image"];

/** Settings that do not depend on the run. */
const COMMON: Readonly<Record<string, TomlValue>> = {
  "analytics.enabled": false,
  check_for_update_on_startup: false,
  "history.persistence": "none",
  "agents.enabled": false,
  approval_policy: "never",
  // A Worker is shown the AGENTS.md of the workspace by us.
  project_doc_max_bytes: 0,
};

/** Variables that a command of a Worker must not see: our settings and all keys. The mark stays, or it could not be found. */
const HIDDEN_VARIABLES = ["*KEY*", "*SECRET*", "*TOKEN*", "*PASSWORD*", "CODEX_*"];

/** @param reach where a Worker's commands may reach; null for roles without a shell. */
export function codexArguments(settings: CodexSettings, ask: CliAsk, reach: CodexReach | null): string[] {
  const { endpoint, model } = settings;
  const isWorker = reach !== null;
  const disabled = isWorker ? DISABLED : [...DISABLED, ...DISABLED_WITHOUT_SHELL];
  const values: Record<string, TomlValue> = {
    ...COMMON,
    ...(endpoint !== null && {
      model_provider: ENDPOINT,
      [`model_providers.${ENDPOINT}`]: {
        name: ENDPOINT,
        base_url: endpoint.baseUrl,
        wire_api: "responses",
        request_max_retries: REQUEST_RETRIES,
        stream_max_retries: STREAM_RETRIES,
        stream_idle_timeout_ms: STREAM_IDLE_MS,
        ...(endpoint.apiKey !== undefined && { env_key: KEY_VARIABLE }),
      },
    }),
    ...(isWorker ? workerValues(settings, ask, reach) : talkerValues(ask)),
  };
  return [
    "exec",
    "--json",
    "--skip-git-repo-check",
    "--ignore-user-config",
    "--ignore-rules",
    "--strict-config",
    ...disabled.flatMap((feature) => ["--disable", feature]),
    ...Object.entries(values).flatMap(([key, value]) => ["-c", `${key}=${toToml(value)}`]),
    ...(model === undefined ? [] : ["-m", model]),
    ...(ask.threadId === null ? picturesOf(ask) : ["resume", ask.threadId]),
    "-",
  ];
}

/** A thread that goes on has them already. */
function picturesOf({ run }: CliAsk): string[] {
  const shown = (run.context.evidence ?? []).filter(({ shownAs }) => shownAs !== undefined);
  return shown.flatMap(({ path }) => (path === null ? [] : [`--image=${path}`]));
}

/** The Teller and the Planner have no shell and see no file: only our tools. */
function talkerValues(ask: CliAsk): Record<string, TomlValue> {
  return {
    model_instructions_file: ask.systemPath,
    sandbox_mode: "read-only",
    web_search: "disabled",
    include_permissions_instructions: false,
    include_environment_context: false,
    include_apps_instructions: false,
    include_collaboration_mode_instructions: false,
    "skills.include_instructions": false,
    "skills.bundled.enabled": false,
    ...serverValues(ask),
  };
}

/** Our MCP server, for runs with tools. */
function serverValues({ run, toolsPath }: CliAsk): Record<string, TomlValue> {
  if (toolsPath === null) return {};
  const external = run.external?.offered ?? [];
  return {
    [`mcp_servers.${SERVER_NAME}`]: {
      ...serverCommand(toolsPath),
      env_vars: [MARK_VARIABLE],
      // Otherwise a turn would begin without its tools, or wait for an approval that cannot be given.
      required: true,
      default_tools_approval_mode: "approve",
      // Otherwise some models see our tools only after a search, or only from code.
      omit_tools_from: ["deferred", "code_mode"],
      enabled_tools: [...toolsOf(run.task.role), ...external].map((tool) => tool.name),
      tool_timeout_sec: external.length > 0 ? EXTERNAL_TOOL_SEC : TOOL_SEC,
    },
  };
}

/** A Worker keeps what codex itself tells its model about its tools; our rules are added. */
function workerValues(settings: CodexSettings, ask: CliAsk, reach: CodexReach): Record<string, TomlValue> {
  const { run, system } = ask;
  // A Worker that follows a read-only skill cannot send anything.
  const network = settings.network && !followsReadOnly(run.task);
  return {
    developer_instructions: system,
    "skills.include_instructions": false,
    "skills.bundled.enabled": false,
    ...permissionValues(reach, network),
    "shell_environment_policy.inherit": "all",
    "shell_environment_policy.ignore_default_excludes": false,
    "shell_environment_policy.exclude": HIDDEN_VARIABLES,
    ...(!network && { web_search: "disabled" }),
    ...serverValues(ask),
  };
}
