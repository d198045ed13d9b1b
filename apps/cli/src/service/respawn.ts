/**
 * Keeps an instance running: PM2 brings back the processes, and this brings back PM2. All that it does it does by
 * commands, each a process of its own: `up --unless-stopped`, `down`.
 */
import { existsSync } from "node:fs";
import { rolesOf } from "@mimikit/runtime/process/roles-of";
import { claimSingleton } from "@mimikit/runtime/process/singleton";
import { execa } from "execa";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { PROGRAM } from "../io/place.ts";
import { printLine } from "../io/print.ts";
import { findDaemons, foreignPm2Homes, livingRoles, runningText } from "../processes/instance.ts";
import { forgetStopped, isStopped } from "../processes/stopped.ts";

const LOOK_EVERY_MS = 1_000;
/** PM2 waits up to 15 s before it starts a process again. */
const OF_PM2_MS_MAX = 25_000;
/** Between two starts, doubled each time. */
const DELAY_MS_MIN = 1_000;
const DELAY_MS_MAX = 30_000;
/** A process that has run this long is started at once when it ends. */
const CALM_MS = 60_000;
/** More than all that `up` and `down` wait for. */
const COMMAND_MS_MAX = 300_000;

/** Returns when this process was asked to end (SIGTERM, SIGINT), with nothing left. @throws Failure where another does the same. */
export async function respawn(home: string): Promise<void> {
  const { signal } = endOnSignal();
  let isClaimed = existsSync(home) && (await claim(home));
  // The starter, a boot or a person, wants it to run.
  if (isClaimed) forgetStopped(home);
  let delayMs = 0;
  while (!signal.aborted) {
    const isDone = await mimikit(["up", "--unless-stopped"], signal);
    isClaimed ||= existsSync(home) && (await claim(home));
    if (isDone) printLine(t("Mimikit runs"));
    const endedAt = performance.now();
    await untilNeeded(home, isClaimed, signal);
    delayMs = performance.now() - endedAt > CALM_MS ? 0 : Math.min(DELAY_MS_MAX, Math.max(DELAY_MS_MIN, 2 * delayMs));
    if (!signal.aborted) printLine(t("the next start is in {seconds} s", { seconds: delayMs / 1_000 }));
    await pause(delayMs, signal);
  }
  if (!(await mimikit(["down"]))) throw new Failure("failed", t("not everything could be ended"));
}

async function claim(home: string): Promise<true> {
  if (await claimSingleton(home, "service")) return true;
  throw new Failure("failed", t("another  mimikit service run  keeps {home} running", { home }));
}

/** Resolves when there is something to start that PM2 does not start, or at the end. */
async function untilNeeded(home: string, wasThere: boolean, signal: AbortSignal): Promise<void> {
  let missingSince = performance.now();
  for (; !signal.aborted; await pause(LOOK_EVERY_MS, signal)) {
    try {
      const living = livingRoles(home);
      const roles = rolesOf(home, process.env);
      // One that is being restored, or whose disk is away, comes back and is not made again.
      const isAway = wasThere && !existsSync(home);
      if (roles.every((role) => living.has(role)) || isAway || isStopped(home)) {
        missingSince = performance.now();
        continue;
      }
      const hasPm2 = (await findDaemons(home)).length + (await foreignPm2Homes(home)).length > 0;
      if (hasPm2 && performance.now() - missingSince < OF_PM2_MS_MAX) continue;
      printLine(`${hasPm2 ? t("PM2 does not bring it back") : t("PM2 does not run")}; ${runningText(living, roles)}`);
      return;
    } catch (error) {
      // A disk or a process table that cannot be read just now is looked at again.
      printLine(t("cannot look: {reason}", { reason: reasonOf(error) }));
    }
  }
}

async function mimikit(words: readonly string[], cancelSignal?: AbortSignal): Promise<boolean> {
  const { exitCode } = await execa(process.execPath, [PROGRAM, ...words, "--json"], {
    // The answer of `up` signs a browser in, and a journal has other readers.
    stdio: ["ignore", "ignore", "inherit"],
    timeout: COMMAND_MS_MAX,
    reject: false,
    ...(cancelSignal && { cancelSignal }),
  });
  return exitCode === 0;
}

function endOnSignal(): AbortController {
  const ending = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => ending.abort());
  return ending;
}

/** Ends early where `signal` does. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
