/** The settings of the claude provider. Light: showing the providers loads this too. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROLES, type Role } from "@mimikit/protocol/base/kind";
import { PROVIDERS } from "@mimikit/protocol/base/provider";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Config } from "@mimikit/runtime/config/config";
import { keyOf, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { TARGET } from "@mimikit/runtime/platform/this-platform";
import { modelOf } from "../../provider.ts";
import { type Binary, findBinary, missingBinary } from "../agent-cli/find-binary.ts";
import type { CliLogin } from "../agent-cli/login.ts";

/** The key is never in a file of ours, nor in the arguments of a process. */
export const KEY_VARIABLE = PROVIDERS.claude.key;
const HOME_DIR = "claude";
/** Beside what the Teller and the Planner have: a Worker's shell may write its own, and must not read theirs. */
const WORKER_DIR = "worker";
const TASKS_DIR = "by-task";
/** The file that `/login` leaves in the directory. */
const LOGIN_FILE = ".credentials.json";

const PACKAGE = "@anthropic-ai/claude-code";

const BINARY: Binary = {
  variable: "MIMIKIT_CLAUDE_BIN",
  name: "claude",
  packaged: [`${PACKAGE}-${TARGET}/claude`, `${PACKAGE}-${TARGET}-musl/claude`],
};

export interface ClaudeSettings {
  /** The native program. */
  file: string;
  /** CLAUDE_CONFIG_DIR: ours alone, never the user's own. A Worker with a key has `tasksDir` instead. */
  configDir: string;
  /** With a key, each task of a Worker has a folder of its own in this one (see `prepareTaskDir`). */
  tasksDir: string;
  /** Anthropic's own address when not given. */
  baseUrl?: string;
  /** Without one it is the login in `configDir` that counts. */
  apiKey?: string;
  /** claude's own default when not given. */
  model?: string;
  idleMs: number;
}

type ClaudeConfig = Pick<Config, "claude" | "model" | "models">;

/** The missing setup before claude can answer for `role`; null if nothing is missing. */
export function missingForClaude(role: Role, _config: ClaudeConfig, environment: ProviderEnvironment): string | null {
  const { home, env } = environment;
  const program = missingBinary(BINARY, PACKAGE, env);
  if (program !== null) return program;
  const configDir = configDirOf(role, home);
  if (keyOf("claude", environment) !== undefined || existsSync(join(configDir, LOGIN_FILE))) return null;
  return sentence("lacks_key_or_login", { provider: "claude", variable: KEY_VARIABLE });
}

/** How claude is signed in: once for those who talk, and once for the Workers, whose shell may write in their folder. */
export function claudeLogins({ home, env }: Pick<ProviderEnvironment, "home" | "env">): CliLogin[] {
  const file = findBinary(BINARY, env) ?? BINARY.name;
  const roles = ["teller", "worker"] as const;
  return roles.map((role) => ({
    commandLine: [file, "auth", "login"],
    variable: "CLAUDE_CONFIG_DIR",
    dir: configDirOf(role, home),
  }));
}

/** The settings of claude for `role`; nothing may be missing. */
export function claudeSettingsOf(role: Role, config: ClaudeConfig, environment: ProviderEnvironment): ClaudeSettings {
  const { home, env } = environment;
  const { baseUrl, idleSec } = config.claude;
  const apiKey = keyOf("claude", environment);
  const model = modelOf(role, config);
  return {
    file: findBinary(BINARY, env) ?? BINARY.name,
    configDir: configDirOf(role, home),
    tasksDir: join(home, HOME_DIR, TASKS_DIR),
    idleMs: idleSec * 1_000,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(model !== undefined && { model }),
  };
}

function configDirOf(role: Role, home: string): string {
  return ROLES[role].hasWorkspace ? join(home, HOME_DIR, WORKER_DIR) : join(home, HOME_DIR);
}
