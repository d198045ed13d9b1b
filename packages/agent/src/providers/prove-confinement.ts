/**
 * Proves that the shell of a Worker cannot reach the state directory, by trying: a command that runs as a Worker's
 * commands do attempts to read the token, to write a file there and where nothing can be changed, and to look into what else is hidden.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import type { Config } from "@mimikit/runtime/config/config";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { TEMPORARY } from "@mimikit/store/disk/state";
import { execa } from "execa";
import { hiddenPlaces, protectedPlaces } from "../shell/places.ts";
import { type CommandLine, findSandbox, sandboxed } from "../shell/sandbox.ts";
import { makeTemporary } from "../shell/temporary.ts";
import { cliEnvironment } from "./agent-cli/environment.ts";
import { UnusableCli } from "./agent-cli/version.ts";
import { TABLE } from "./index.ts";

/** The finding: the state is out of reach, or it is not, or no shell runs at all. */
export type Confinement =
  | { verdict: "confined" }
  | { verdict: "open"; why: string; next: string }
  | { verdict: "refused"; why: string; next: string };

const ATTEMPT_MS = 20_000;
const REASON_CHARS_MAX = 300;
/** Says that it ran at all: a sandbox that does not start would deny everything. Its arguments: a number, so many files to write, then what to read. */
const ATTEMPT =
  'echo ran; files=$1; shift; while [ "$files" -gt 0 ]; do (echo forged > "$1") 2>/dev/null && echo wrote; shift; files=$((files - 1)); done; ' +
  '(head -c 1 "$1" >/dev/null) 2>/dev/null && echo read; shift; for place; do [ -n "$(ls -A "$place" 2>/dev/null)" ] && echo read; done; :';

/** The state directory must exist. Throws what the disk throws. */
export async function proveConfinement(provider: ProviderId, config: Config, place: HomePlace): Promise<Confinement> {
  const [state, work] = await Promise.all([realpath(place.home), realpath(place.workDir)]);
  const name = `proof-${randomBytes(8).toString("hex")}`;
  const targets = [join(place.home, TEMPORARY), ...(await protectedPlaces(work))].map((dir) => join(dir, name));
  const secrets = [join(place.home, "token"), ...(await hiddenPlaces(state, work))];
  const attempt = (more: readonly string[] = []): CommandLine => [
    "/bin/sh",
    "-c",
    ATTEMPT,
    "attempt",
    String(targets.length),
    ...targets,
    ...secrets,
    ...more,
  ];
  const { inOwnSandbox } = TABLE[provider];
  if (inOwnSandbox !== undefined)
    try {
      return await inOwnSandbox(attempt(), config, place, (line, environment) =>
        look(line, place, environment, targets),
      );
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
  // Where a sandbox has no /tmp of its own, that is not tried.
  const others = found.tool.hasOwnTmp ? [await mkdtemp(`/tmp/mimikit-${name}-`)] : [];
  const runDir = join(place.home, TEMPORARY, `${name}-run`);
  try {
    for (const dir of others) await writeFile(join(dir, "seen"), "");
    const bounds = { ...place, allow: [], mode: sandbox, temporary: await makeTemporary(runDir) };
    return await look((await sandboxed(attempt(others), bounds)).commandLine, place, {}, targets);
  } finally {
    for (const dir of [...others, runDir]) await rm(dir, { recursive: true, force: true });
  }
}

async function look(
  [file, ...args]: CommandLine,
  { workDir }: HomePlace,
  environment: Record<string, string>,
  targets: readonly string[],
): Promise<Confinement> {
  const ended = await execa(file, args, {
    cwd: workDir,
    env: cliEnvironment(environment),
    extendEnv: false,
    stdin: "ignore",
    reject: false,
    timeout: ATTEMPT_MS,
  });
  const hasWritten = targets.some((target) => existsSync(target));
  for (const target of targets) await rm(target, { force: true });
  const said = (ended.stdout ?? "").split("\n");
  if (hasWritten || said.includes("read"))
    return { verdict: "open", why: "a command reached it", next: "report this: it should not be possible" };
  if (said.includes("ran")) return { verdict: "confined" };
  const reason = (ended.stderr || ended.shortMessage || "it said nothing").slice(-REASON_CHARS_MAX);
  return { verdict: "refused", why: `the sandbox does not run a command: ${reason}`, next: "mimikit logs" };
}
