/** Starts Mimikit, waits until it answers, and says where: safe to call at any time, by any number of callers. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { pairingUrl as pairingUrlOf, urlOf } from "@mimikit/runtime/config/address";
import type { Config } from "@mimikit/runtime/config/config";
import { NOT_ADOPTED, openHome, putCodeAside } from "@mimikit/runtime/home/adoption";
import { commandName } from "@mimikit/runtime/home/command-name";
import { HomeError, type HomePlace, readToken, whyNoLinks, whyUnwritable } from "@mimikit/runtime/home/home";
import { createPairing } from "@mimikit/runtime/home/pairing";
import { VERSION } from "@mimikit/runtime/home/version";
import { makeWorkDir } from "@mimikit/runtime/home/work-dir";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { endProcesses } from "@mimikit/runtime/process/process-table";
import { rolesOf } from "@mimikit/runtime/process/roles-of";
import { missingOf } from "@mimikit/runtime/requirements";
import { hasCode } from "@mimikit/store/disk/error-code";
import { command } from "../arguments/command.ts";
import type { DoctorCheck } from "../checks/check.ts";
import { warnOfGit } from "../checks/work-tree.ts";
import { askAutonomy } from "../connect/ask-autonomy.ts";
import { t, told } from "../i18n/language.ts";
import { answersText, connectHint } from "../instance/answerers.ts";
import { begin } from "../instance/begin.ts";
import { Client, Unreachable } from "../instance/client.ts";
import { waitUntilReady } from "../instance/ready.ts";
import { startAnew } from "../instance/start-anew.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { assertReadable, currentPlace, pm2Home } from "../io/place.ts";
import { printJson, printLine, printProgress, styled } from "../io/print.ts";
import { findDaemons, foreignPm2Homes, livingRoles, runningWorkDir } from "../processes/instance.ts";
import { countTended, startRoles, takeTurn } from "../processes/pm2.ts";
import { assertPortIsFree } from "../processes/probe-port.ts";
import { stop } from "../processes/stop.ts";
import { forgetStopped, isStopped } from "../processes/stopped.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { carryForward, mustCarry } from "../update/carry-forward.ts";
import { forgetTakenBack, wasTakenBack } from "../update/journal.ts";
import { putStateBack } from "../update/put-state-back.ts";

const PM2_START_MS_MAX = 60_000;
/** Roles whose daemon has just died need a moment to leave, and keep the port until then. */
const LEAVING_MS_MAX = 12_000;
const LEAVING_POLL_MS = 100;
/** The kernel's limit for the path of a socket. */
const SOCKET_PATH_BYTES_MAX = platform.socketPathBytesMax;

export const up = command({
  usage: "up",
  summary: "start Mimikit and print its address",
  examples: [
    ["mimikit up", "start with the workspace in this directory"],
    ["MIMIKIT_PORT=8788 mimikit up", "start on another port"],
    ["mimikit up --unless-stopped", "start what has ended, but not after mimikit down"],
  ],
  options: (yargs) =>
    yargs
      .option("unless-stopped", {
        type: "boolean",
        default: false,
        describe: "do nothing after mimikit down, nor where PM2 is at work on it",
      })
      .option("yes", {
        type: "boolean",
        default: false,
        describe: "ask nothing at the first start: the defaults count",
      }),
  async run({ json, unlessStopped, yes }) {
    // An update that was cut off may have carried the state forward, for a version that is gone.
    if (wasTakenBack()) await putStateBack(currentPlace("any"));
    const { home, workDir: workDirHere, chosen, config, problems } = currentPlace();
    let workDir = workDirHere;
    // If Mimikit is running, it already has a workspace.
    const said = livingRoles(home).size === 0 ? makeWorkDir({ workDir, chosen }) : null;
    if (said !== null) printProgress(said);
    // One of an earlier version is not opened before it is carried forward.
    const wasThere = existsSync(join(home, "token"));
    if (wasThere) {
      assertLinks(home);
      await takeTurn(home);
    }
    if (unlessStopped && wasThere && (isStopped(home) || (await isTended({ home, workDir })))) {
      if (json) printJson({ home, left: true });
      else
        printLine(
          isStopped(home)
            ? t("stopped by  {mimikit} down", { mimikit: commandName(process.env) })
            : t("PM2 is at work on it"),
        );
      return;
    }
    if (wasThere && mustCarry(home)) workDir = await endBeforeMigration({ home, workDir });
    const backup = wasThere ? await carryForward(home) : null;
    if (backup !== null) printProgress(t("state migrated from an earlier version; backup in {backup}", { backup }));
    prepare(home, workDir);
    if (!wasThere) await takeTurn(home);
    if (!wasThere && !json && !yes)
      await askAutonomy(home, process.env, { input: process.stdin, output: process.stderr });
    forgetStopped(home);
    const isRunningNow = await isRunning(home);
    const isOther =
      isRunningNow && (wasTakenBack() || isOfAnotherVersion(home) || (await answersOtherwise(home, config)));
    const wasRunning = isRunningNow && !isOther;
    if (isOther) printProgress(t("restarting with this version; running work continues"));
    const { url, status, ...begun } = wasRunning
      ? { ...(await waitUntilReady(home, config)), kept: [], changed: null }
      : await begin(home, config, () => (isOther ? startAnew : start)({ home, workDir }, config));
    forgetTakenBack();
    const pairingUrl = pairingUrlOf(url, config, (await createPairing(home)).code);
    // The answer about autonomy may have changed the settings.
    const missing = await missingOf(currentPlace().config, process.env);
    const inGit = warnOfGit(home);
    if (json) printJson({ alreadyRunning: wasRunning, url, pairingUrl, home, status, problems, missing, ...begun });
    else report({ wasRunning, pairingUrl, home, inGit, status, problems, missing });
  },
});

/**
 * Ends the processes of an earlier version, as after a git pull, whose state is about to change under them.
 * @returns the workspace in which they worked, unless MIMIKIT_WORK_DIR says another. @throws Failure where another PM2 runs them.
 */
async function endBeforeMigration(place: HomePlace): Promise<string> {
  if (livingRoles(place.home).size === 0) return place.workDir;
  const [foreign] = await foreignPm2Homes(place.home);
  if (foreign !== undefined)
    throw new Failure(
      "failed",
      t(
        "another PM2 runs the processes: run  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs , then  pm2 start ecosystem.config.cjs",
        { foreign },
      ),
    );
  const running = process.env.MIMIKIT_WORK_DIR === undefined ? await runningWorkDir(place.home) : undefined;
  printProgress(t("restarting with this version; running work continues"));
  await stop(place);
  return running ?? place.workDir;
}

/** The turn of a command is taken by links where the system has no other way. @throws Failure. */
function assertLinks(home: string): void {
  const unlinkable = whyNoLinks(home);
  if (unlinkable !== null) throw new Failure("failed", told(unlinkable));
}

/** Makes the state directory, or says why it cannot be used. @throws Failure. */
export function prepare(home: string, workDir: string): void {
  // The state directory is made where there is none, and would bring a mistyped workspace with it.
  if (!existsSync(workDir) && livingRoles(home).size === 0)
    throw new Failure(
      "failed",
      t("the workspace {workDir} does not exist: make it, or correct MIMIKIT_WORK_DIR", { workDir }),
    );
  const socket = join(pm2Home(home), "rpc.sock");
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX) {
    const most = SOCKET_PATH_BYTES_MAX - Buffer.byteLength(socket) + Buffer.byteLength(home);
    throw new Failure(
      "failed",
      t("the path {home} is too long for PM2: set MIMIKIT_HOME to one of at most {most} bytes", { home, most }),
    );
  }
  const unwritable = whyUnwritable(home);
  if (unwritable !== null)
    throw new Failure(
      "failed",
      t("{unwritable}: make it writable, or set MIMIKIT_HOME to a directory that is", { unwritable }),
    );
  try {
    openHome(home, process.env);
  } catch (error) {
    if (error instanceof HomeError) throw new Failure("failed", error.message);
    if (hasCode(error, "EACCES", "EROFS", "ENOSPC", "ENOTDIR"))
      throw new Failure(
        "failed",
        t("{home} cannot be written ({reason}): set MIMIKIT_HOME to a directory that can", {
          home,
          reason: reasonOf(error),
        }),
      );
    throw error;
  }
  assertReadable(home);
}

/** Is a PM2 that answers at work on all of them, so that there is nothing to do but to wait? */
async function isTended(place: HomePlace): Promise<boolean> {
  if ((await foreignPm2Homes(place.home)).length > 0) return true;
  return (
    (await findDaemons(place.home)).length > 0 && (await countTended(place)) === rolesOf(place.home, process.env).length
  );
}

/** All roles live, under a daemon that would restart them. */
async function isRunning(home: string): Promise<boolean> {
  const living = livingRoles(home);
  if (!rolesOf(home, process.env).every((role) => living.has(role))) return false;
  return (await findDaemons(home)).length > 0 || (await foreignPm2Homes(home)).length > 0;
}

/** Does a process say that it is of another version? Then the program was exchanged under it, as by `git pull`. */
function isOfAnotherVersion(home: string): boolean {
  return [...livingRoles(home).values()].some(({ version }) => version !== VERSION);
}

/** Does the gateway answer as no gateway of this version does? Then the processes are those of before an update. */
async function answersOtherwise(home: string, config: Config): Promise<boolean> {
  const url = livingRoles(home).get("gateway")?.url ?? urlOf(config);
  try {
    await new Client(url, readToken(home)).status();
    return false;
  } catch (error) {
    if (error instanceof Failure) return true;
    if (error instanceof Unreachable) return false;
    throw error;
  }
}

async function start(place: HomePlace, config: Config): Promise<void> {
  const { home } = place;
  const [elsewhere] = await foreignPm2Homes(home);
  if (elsewhere !== undefined) {
    // Another PM2 is starting or restarting them; a second set would only wait for its turn.
    printProgress(t("the processes of {home} belong to the PM2 of {elsewhere}; waiting for it", { home, elsewhere }));
    return;
  }
  // One that does not answer would let this command wait, and starts nothing again.
  if ((await findDaemons(home)).length > 0 && (await countTended(place)) === null)
    await endProcesses(() => findDaemons(home), 0);
  if ((await findDaemons(home)).length === 0) {
    putCodeAside(home, process.env);
    await waitUntil(LEAVING_MS_MAX, LEAVING_POLL_MS, async () => (livingRoles(home).size === 0 ? true : null));
  }
  if (!livingRoles(home).has("gateway")) await assertPortIsFree(config);
  await startRoles(place, config, PM2_START_MS_MAX);
}

function report(facts: {
  wasRunning: boolean;
  pairingUrl: string;
  home: string;
  inGit: DoctorCheck | null;
  status: Status;
  /** Problems with the settings, as this command reads them. */
  problems: readonly string[];
  /** Things of the system that these settings need and that are missing. */
  missing: readonly string[];
}): void {
  const { wasRunning, pairingUrl, home, inGit, status, problems, missing } = facts;
  const mimikit = commandName(process.env);
  printLine(`${styled("bold", "Mimikit")} ${status.version} ${wasRunning ? t("is already running") : t("is running")}`);
  printLine();
  printLine(`  ${t("open      {address}", { address: styled("cyan", pairingUrl) })}`);
  printLine(
    `            ${t("(this address signs one browser in, once, within 10 minutes;  {mimikit} pair  makes another)", { mimikit })}`,
  );
  printLine(
    `  ${t("model     {answers}{what}", { answers: answersText(status), what: connectHint(...Object.values(status.providers)) })}`,
  );
  printLine(`  ${t("works in  {workDir}", { workDir: status.workDir })}`);
  printLine(`  ${t("state     {home}", { home })}`);
  printLine(`  ${t("stop      {mimikit} down", { mimikit })}`);
  if (wasRunning)
    printLine(`  ${t("settings  as of the last start; to apply changes:  {mimikit} restart", { mimikit })}`);
  for (const problem of new Set([...missing, ...problems, ...status.problems]))
    printLine(`${styled("yellow", "!")} ${told(problem)}`);
  if (inGit !== null) {
    printLine(`${styled("yellow", "!")} ${inGit.message}`);
    printLine(`  → ${inGit.next}`);
  }
  // A state directory that is adopted continues by itself.
  if (problems.some((problem) => problem !== NOT_ADOPTED))
    printLine(`  → ${t("correct that, then:  {mimikit} restart", { mimikit })}`);
}
