/** What the codex provider runs with. Light: whoever only shows who answers loads this too. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "@mimikit/protocol/base/role";
import type { Config } from "@mimikit/runtime/config/config";
import type { Environment } from "@mimikit/runtime/home/home";
import { type Binary, findBinary } from "../agent-cli/find-binary.ts";
import { modelOf } from "../openai/endpoint.ts";

/** OpenAI's own address, for those who only give a key. */
const DEFAULT_BASE_URL = "https://api.openai.com/v1";
/** Only the environment holds it: it is never in a file of ours, nor in the arguments of a process. */
export const KEY_VARIABLE = "OPENAI_API_KEY";
const HOME_DIR = "codex";

/** Its platform packages, by Node's names of a platform. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

const PLATFORM = `${process.platform}-${process.arch}`;
const VENDOR = `@openai/codex-${PLATFORM}/vendor/${TARGETS[PLATFORM] ?? PLATFORM}`;

const BINARY: Binary = {
  variable: "MIMIKIT_CODEX_BIN",
  name: "codex",
  packaged: [`${VENDOR}/bin/codex`, `${VENDOR}/codex/codex`],
};

/** Where the model is: an endpoint of its own, or null for the login that is in the CLI's home. */
export interface CodexEndpoint {
  baseUrl: string;
  apiKey?: string;
}

export interface CodexSettings {
  /** The native program. */
  file: string;
  /** CODEX_HOME: ours alone, never the user's own. */
  codexHome: string;
  endpoint: CodexEndpoint | null;
  /** codex's own default when not given. */
  model?: string;
  /** Do the commands of a Worker reach the network? */
  network: boolean;
  idleMs: number;
}

type CodexConfig = Pick<Config, "codex" | "model" | "models">;

/** What must be there before codex can answer for `role`; null when nothing is missing. */
export function missingForCodex(_role: Role, { codex }: CodexConfig, env: Environment, home: string): string | null {
  if (findBinary(BINARY, env) === null) {
    const named = env[BINARY.variable];
    if (named) return `a program: ${BINARY.variable} names none (${named})`;
    return `the program codex: install it (npm install -g @openai/codex) or set ${BINARY.variable}`;
  }
  const codexHome = join(home, HOME_DIR);
  if (codex.baseUrl !== undefined || env[KEY_VARIABLE] || existsSync(join(codexHome, "auth.json"))) return null;
  return `a login or a key: run  CODEX_HOME='${codexHome}' codex login  or set ${KEY_VARIABLE}`;
}

/** The settings of codex for `role`; nothing may be missing. */
export function codexSettingsOf(role: Role, config: CodexConfig, env: Environment, home: string): CodexSettings {
  const { baseUrl, network, idleSec } = config.codex;
  const apiKey = env[KEY_VARIABLE] || undefined;
  const model = modelOf(role, config);
  const hasEndpoint = baseUrl !== undefined || apiKey !== undefined;
  return {
    file: findBinary(BINARY, env) ?? BINARY.name,
    codexHome: join(home, HOME_DIR),
    endpoint: hasEndpoint ? { baseUrl: baseUrl ?? DEFAULT_BASE_URL, ...(apiKey !== undefined && { apiKey }) } : null,
    network,
    idleMs: idleSec * 1_000,
    ...(model !== undefined && { model }),
  };
}
