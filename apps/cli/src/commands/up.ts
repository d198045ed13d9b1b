/** Starts Mimikit, waits until it answers, and says where: safe to call at any time, by any number of callers. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import type { Config } from "@mimikit/runtime/config/config";
import { openHome, putCodeAside } from "@mimikit/runtime/home/adoption";
import { HomeError, type Place, readToken, whyUnwritable } from "@mimikit/runtime/home/home";
import { createPairingCode } from "@mimikit/runtime/home/pairing";
import { hasCode } from "@mimikit/store/disk/error-code";
import { command } from "../arguments/command.ts";
import { answersText } from "../instance/answerers.ts";
import { Client, defaultUrl, Unreachable } from "../instance/client.ts";
import { waitUntilReady } from "../instance/ready.ts";
import { startAnew } from "../instance/start-anew.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { currentPlace, pm2Home, ROOT } from "../io/place.ts";
import { printJson, printLine, printProgress, styled } from "../io/print.ts";
import { findDaemons, foreignPm2Homes, livingRoles } from "../processes/instance.ts";
import { runPm2, takeTurn } from "../processes/pm2.ts";
import { assertPortIsFree } from "../processes/probe-port.ts";
import { waitUntil } from "../processes/wait-until.ts";

const PM2_START_MS_MAX = 60_000;
/** Roles whose daemon has just died need a moment to leave, and keep the port until then. */
const LEAVING_MS_MAX = 12_000;
const LEAVING_POLL_MS = 100;
/** What the kernel allows for the path of a socket. */
const SOCKET_PATH_BYTES_MAX = process.platform === "linux" ? 107 : 103;

export const up = command({
  usage: "up",
  summary: "start Mimikit and print its address",
  examples: [
    ["mimikit up", "start with the workspace in this directory"],
    ["MIMIKIT_PORT=8788 mimikit up", "start on another port"],
  ],
  async run({ json }) {
    const { home, workDir, config, problems } = currentPlace();
    prepare(home, workDir);
    await takeTurn(home);
    const isRunningNow = await isRunning(home);
    const isOther = isRunningNow && (await answersOtherwise(home, config));
    const wasRunning = isRunningNow && !isOther;
    if (isOther) {
      printProgress("another version was running; its processes are started anew, and its work goes on");
      await startAnew({ home, workDir }, config);
    } else if (!wasRunning) await start({ home, workDir }, config);
    const { url, status } = await waitUntilReady(home, config);
    const pairingUrl = `${url}/#pair=${await createPairingCode(home)}`;
    if (json) printJson({ alreadyRunning: wasRunning, url, pairingUrl, home, status, problems });
    else report({ wasRunning, pairingUrl, home, status, problems });
  },
});

function prepare(home: string, workDir: string): void {
  // The state directory is made where there is none, and would bring a mistyped workspace with it.
  if (!existsSync(workDir))
    throw new Failure("failed", `the workspace ${workDir} does not exist: make it, or correct MIMIKIT_WORK_DIR`);
  const socket = join(pm2Home(home), "rpc.sock");
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX) {
    const most = SOCKET_PATH_BYTES_MAX - Buffer.byteLength(socket) + Buffer.byteLength(home);
    throw new Failure(
      "failed",
      `the path ${home} is too long for PM2: set MIMIKIT_HOME to one of at most ${most} bytes`,
    );
  }
  const unwritable = whyUnwritable(home);
  if (unwritable !== null)
    throw new Failure("failed", `${unwritable}: make it writable, or set MIMIKIT_HOME to a directory that is`);
  try {
    openHome(home, process.env);
  } catch (error) {
    if (error instanceof HomeError) throw new Failure("failed", error.message);
    if (hasCode(error, "EACCES", "EROFS", "ENOSPC", "ENOTDIR"))
      throw new Failure(
        "failed",
        `${home} cannot be written (${reasonOf(error)}): set MIMIKIT_HOME to a directory that can`,
      );
    throw error;
  }
}

/** All three roles live, under a daemon that would restart them. */
async function isRunning(home: string): Promise<boolean> {
  if (livingRoles(home).size < 3) return false;
  if (process.platform !== "linux") return (await findDaemons(home)).length > 0;
  return (await findDaemons(home)).length > 0 || (await foreignPm2Homes(home)).length > 0;
}

/** Does the gateway answer as no gateway of this version does? Then the processes are those of before an update. */
async function answersOtherwise(home: string, config: Config): Promise<boolean> {
  const url = livingRoles(home).get("gateway")?.url ?? defaultUrl(config);
  try {
    await new Client(url, readToken(home)).status();
    return false;
  } catch (error) {
    if (error instanceof Failure) return true;
    if (error instanceof Unreachable) return false;
    throw error;
  }
}

async function start(place: Place, config: Config): Promise<void> {
  const { home } = place;
  const [elsewhere] = await foreignPm2Homes(home);
  if (elsewhere !== undefined) {
    // Another PM2 is starting or restarting them; a second set would only wait for its turn.
    printProgress(`the processes of ${home} belong to the PM2 of ${elsewhere}; waiting for it`);
    return;
  }
  const daemons = await findDaemons(home);
  if (daemons.length === 0) {
    putCodeAside(home, process.env);
    await waitUntil(LEAVING_MS_MAX, LEAVING_POLL_MS, async () => (livingRoles(home).size === 0 ? true : null));
  }
  if (!livingRoles(home).has("gateway")) await assertPortIsFree(config);
  await runPm2(
    place,
    ["startOrRestart", join(ROOT, "ecosystem.config.cjs"), "--update-env", "--silent"],
    PM2_START_MS_MAX,
  );
}

function report(facts: {
  wasRunning: boolean;
  pairingUrl: string;
  home: string;
  status: Status;
  /** What is wrong with the settings, as this command reads them. */
  problems: readonly string[];
}): void {
  const { wasRunning, pairingUrl, home, status, problems } = facts;
  const providers = new Set(Object.values(status.providers));
  printLine(`${styled("bold", "Mimikit")} ${status.version} ${wasRunning ? "is already running" : "is running"}`);
  printLine();
  printLine(`  open      ${styled("cyan", pairingUrl)}`);
  printLine(
    "            (this address signs one browser in, once, within 2 minutes;  npx mimikit pair  makes another)",
  );
  printLine(
    `  answers   ${answersText(status)}${providers.has("offline") ? " (no model is configured; the README says how to connect one)" : ""}`,
  );
  printLine(`  works in  ${status.workDir}`);
  printLine(`  state     ${home}`);
  printLine("  stop      npm stop");
  if (wasRunning) printLine("  settings  as it was started; to take new ones:  npx mimikit restart");
  for (const problem of new Set([...problems, ...status.problems])) printLine(`${styled("yellow", "!")} ${problem}`);
  if (problems.length > 0) printLine("  → correct that, then:  npx mimikit restart");
}
