/**
 * Proves that the shell of a Worker cannot reach the state directory, by trying: a command that runs as a Worker's
 * commands do attempts to read the token, to write a file, and to look into what else is hidden.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import type { Config } from "@mimikit/runtime/config/config";
import type { Place } from "@mimikit/runtime/home/home";
import { TEMPORARY } from "@mimikit/store/disk/state";
import { execa } from "execa";
import { hiddenPlaces } from "../shell/hidden-places.ts";
import { type CommandLine, findSandbox, sandboxed } from "../shell/sandbox.ts";
import { cliEnvironment } from "./agent-cli/environment.ts";
import { UnusableCli } from "./agent-cli/version.ts";
import { TABLE } from "./index.ts";

/** What was found: the state is out of reach, or it is not, or no shell runs at all. */
export type Confinement =
  | { verdict: "confined" }
  | { verdict: "open"; why: string; next: string }
  | { verdict: "refused"; why: string; next: string };

const ATTEMPT_MS = 20_000;
const REASON_CHARS_MAX = 300;
/** Says that it ran at all: a sandbox that does not start would deny everything. */
const ATTEMPT =
  'echo ran; (echo forged > "$1") 2>/dev/null && echo wrote; (head -c 1 "$2" >/dev/null) 2>/dev/null && echo read; ' +
  'shift 2; for place; do [ -n "$(ls -A "$place" 2>/dev/null)" ] && echo read; done; :';

/** The state directory must exist. Throws what the disk throws. */
export async function proveConfinement(provider: ProviderId, config: Config, place: Place): Promise<Confinement> {
  const target = join(place.home, TEMPORARY, `proof-${randomBytes(8).toString("hex")}`);
  const [state, work] = await Promise.all([realpath(place.home), realpath(place.workDir)]);
  const paths = [target, join(place.home, "token"), ...(await hiddenPlaces(state, work))];
  const attempt: CommandLine = ["/bin/sh", "-c", ATTEMPT, "attempt", ...paths];
  const { inOwnSandbox } = TABLE[provider];
  if (inOwnSandbox !== undefined)
    try {
      return await inOwnSandbox(attempt, config, place, (line, environment) => look(line, place, environment, target));
    } catch (error) {
      if (!(error instanceof UnusableCli)) throw error;
      return { verdict: "refused", why: error.message, next: "choose another: MIMIKIT_HOME" };
    }
  const { sandbox } = config;
  const found = await findSandbox();
  if (sandbox === "off")
    return { verdict: "open", why: "the setting says sandbox: off", next: "set it to auto or required" };
  if ("missing" in found)
    return { verdict: sandbox === "required" ? "refused" : "open", why: found.missing, next: found.next };
  const { commandLine } = await sandboxed(attempt, { ...place, allow: [], mode: sandbox });
  return look(commandLine, place, {}, target);
}

async function look(
  [file, ...args]: CommandLine,
  { workDir }: Place,
  environment: Record<string, string>,
  target: string,
): Promise<Confinement> {
  const ended = await execa(file, args, {
    cwd: workDir,
    env: cliEnvironment(environment),
    extendEnv: false,
    stdin: "ignore",
    reject: false,
    timeout: ATTEMPT_MS,
  });
  const hasWritten = existsSync(target);
  await rm(target, { force: true });
  const said = (ended.stdout ?? "").split("\n");
  if (hasWritten || said.includes("read"))
    return { verdict: "open", why: "a command reached it", next: "report this: it should not be possible" };
  if (said.includes("ran")) return { verdict: "confined" };
  const reason = (ended.stderr || ended.shortMessage || "it said nothing").slice(-REASON_CHARS_MAX);
  return { verdict: "refused", why: `the sandbox does not run a command: ${reason}`, next: "mimikit logs" };
}
