/** The settings of the codex provider. Light: showing the providers loads this too. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROVIDERS } from "@mimikit/protocol/base/provider";
import type { Role } from "@mimikit/protocol/base/role";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Config } from "@mimikit/runtime/config/config";
import { keyOf, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { TARGET } from "@mimikit/runtime/platform/this-platform";
import { modelOf } from "../../provider.ts";
import { type Binary, findBinary, missingBinary } from "../agent-cli/find-binary.ts";
import type { CliLogin } from "../agent-cli/login.ts";

/** OpenAI's own address, for those who only give a key. */
const DEFAULT_BASE_URL = PROVIDERS.openai.ownBaseUrl;
/** The key is never in a file of ours, nor in the arguments of a process. */
export const KEY_VARIABLE = PROVIDERS.codex.key;
const HOME_DIR = "codex";

/** Its platform packages, by Node's names of a platform. */
const TRIPLES: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

const PACKAGE = "@openai/codex";
const VENDOR = `${PACKAGE}-${TARGET}/vendor/${TRIPLES[TARGET] ?? TARGET}`;

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

/** The missing setup before codex can answer for `role`; null if nothing is missing. */
export function missingForCodex(_role: Role, { codex }: CodexConfig, environment: ProviderEnvironment): string | null {
  const { home, env } = environment;
  const program = missingBinary(BINARY, PACKAGE, env);
  if (program !== null) return program;
  const codexHome = join(home, HOME_DIR);
  if (
    codex.baseUrl !== undefined ||
    keyOf("codex", environment) !== undefined ||
    existsSync(join(codexHome, "auth.json"))
  )
    return null;
  return sentence("lacks_login", { provider: "codex", variable: KEY_VARIABLE });
}

/** How codex is signed in. */
export function codexLogins({ home, env }: Pick<ProviderEnvironment, "home" | "env">): CliLogin[] {
  const file = findBinary(BINARY, env) ?? BINARY.name;
  return [{ commandLine: [file, "login"], variable: "CODEX_HOME", dir: join(home, HOME_DIR) }];
}

/** The settings of codex for `role`; nothing may be missing. */
export function codexSettingsOf(role: Role, config: CodexConfig, environment: ProviderEnvironment): CodexSettings {
  const { home, env } = environment;
  const { baseUrl, network, idleSec } = config.codex;
  const apiKey = keyOf("codex", environment);
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
