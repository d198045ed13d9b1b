/**
 * Proves that the shell of a Worker cannot reach the state directory, by trying: a command that runs as a Worker's
 * commands do attempts to read the token, to write a file there and where nothing can be changed, and to look into what else is hidden.
 * It must be able to write in the workspace; a command of a read-only skill must not reach a server of this machine.
 */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import { endOf } from "@mimikit/protocol/texts/whole-characters";
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

type Failure = { verdict: "open"; why: string; next: string } | { verdict: "refused"; why: string; next: string };

/** The finding: the state is out of reach, or it is not, or no shell runs at all. */
export type Confinement = { verdict: "confined"; mayWork: boolean } | Failure;

interface Targets {
  /** A file of the workspace, which a command must be able to write. */
  own: string;
  /** Files where nothing can be changed. */
  foreign: readonly string[];
}

const ATTEMPT_MS = 20_000;
const REASON_CHARS_MAX = 300;
export const REPORT = "report this: it should not be possible";
/**
 * Says that it ran at all: a sandbox that does not start would deny everything. Its arguments: a file of the workspace, a number, so many
 * files to write elsewhere, then what to read.
 */
const ATTEMPT =
  'echo ran; (echo mine > "$1") 2>/dev/null && echo worked; shift; files=$1; shift; while [ "$files" -gt 0 ]; do (echo forged > "$1") 2>/dev/null && echo wrote; shift; files=$((files - 1)); done; ' +
  '(head -c 1 "$1" >/dev/null) 2>/dev/null && echo read; shift; for place; do [ -n "$(ls -A "$place" 2>/dev/null)" ] && echo read; done; :';
/** Says whether the port of this machine that its argument names can be reached. */
const CALL =
  'console.log("ran"); require("node:net").connect(process.argv[1], "127.0.0.1", () => { console.log("reached"); process.exit(); }).on("error", () => {})';

/** The state directory must exist. Throws what the disk throws. */
export async function proveConfinement(provider: ProviderId, config: Config, place: HomePlace): Promise<Confinement> {
  const [state, work] = await Promise.all([realpath(place.home), realpath(place.workDir)]);
  const name = `proof-${randomBytes(8).toString("hex")}`;
  const targets: Targets = {
    own: join(work, `.${name}`),
    foreign: [join(place.home, TEMPORARY), ...(await protectedPlaces(work))].map((dir) => join(dir, name)),
  };
  const secrets = [join(place.home, "token"), ...(await hiddenPlaces(state, work))];
  const attempt = (more: readonly string[] = []): CommandLine => [
    "/bin/sh",
    "-c",
    ATTEMPT,
    "attempt",
    targets.own,
    String(targets.foreign.length),
    ...targets.foreign,
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

/**
 * Whether a command of a read-only skill can reach a server of this machine: null where this provider's commands do not run in our
 * sandbox by the levels of a skill, or where there is none.
 */
export async function proveOffline(
  provider: ProviderId,
  place: HomePlace,
): Promise<{ verdict: "confined" } | Failure | null> {
  if (TABLE[provider].endpoint === undefined || "missing" in (await findSandbox())) return null;
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const bounds = { ...place, allow: [], mode: "required", isReadOnly: true, isOffline: true } as const;
    const call: CommandLine = [process.execPath, "-e", CALL, String(port)];
    const { said, failure } = await attemptIn((await sandboxed(call, bounds)).commandLine, place, {});
    if (said.includes("reached"))
      return { verdict: "open", why: "a command reached a server of this machine", next: REPORT };
    return said.includes("ran") ? { verdict: "confined" } : failure;
  } finally {
    server.close();
  }
}

async function look(
  line: CommandLine,
  place: HomePlace,
  environment: Record<string, string>,
  { own, foreign }: Targets,
): Promise<Confinement> {
  const { said, failure } = await attemptIn(line, place, environment);
  const hasWritten = foreign.some((target) => existsSync(target));
  for (const target of [own, ...foreign]) await rm(target, { force: true });
  if (hasWritten || said.includes("read")) return { verdict: "open", why: "a command reached it", next: REPORT };
  return said.includes("ran") ? { verdict: "confined", mayWork: said.includes("worked") } : failure;
}

/** The lines that a command prints, and the finding where it has not run. */
async function attemptIn(
  [file, ...args]: CommandLine,
  { workDir }: HomePlace,
  environment: Record<string, string>,
): Promise<{ said: readonly string[]; failure: Failure }> {
  const ended = await execa(file, args, {
    cwd: workDir,
    env: cliEnvironment(environment),
    extendEnv: false,
    stdin: "ignore",
    reject: false,
    timeout: ATTEMPT_MS,
  });
  const reason = endOf(ended.stderr || ended.shortMessage || "it said nothing", REASON_CHARS_MAX);
  const why = `the sandbox does not run a command: ${reason}`;
  return { said: (ended.stdout ?? "").split("\n"), failure: { verdict: "refused", why, next: "mimikit logs" } };
}
