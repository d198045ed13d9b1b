/**
 * The only place that talks to PM2. One command at a time per home, each with a time limit: two that start PM2 at once
 * make two daemons, and a client of a half-dead daemon waits for ever. PM2 runs as a program of its own; its code is
 * never loaded here.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Place } from "@mimikit/runtime/home/home";
import { callersUmask, UMASK_VARIABLE } from "@mimikit/runtime/home/umask";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { claimSingleton } from "@mimikit/runtime/process/singleton";
import { execa } from "execa";
import { Failure, reasonOf } from "../io/failure.ts";
import { pm2Home, ROOT } from "../io/place.ts";

/** Taken before a command makes itself private, and PM2 and its logs with it. */
const UMASK = callersUmask({});
const PM2 = join(ROOT, "node_modules/pm2/bin/pm2");
const TURN_MS_MAX = 90_000;
const TURN_POLL_MS = 100;
/** PM2 forgets how long it waited before the last restart when a role has run this long, and looks this often. */
const CALM_MS = 5_000;

/** Waits until no other command talks to the PM2 of this home. The turn ends with this process. */
export async function takeTurn(home: string): Promise<void> {
  const deadline = performance.now() + TURN_MS_MAX;
  while (!(await claimSingleton(home, "pm2"))) {
    if (performance.now() > deadline) {
      throw new Failure(
        "timedOut",
        `another mimikit command has been at work for ${TURN_MS_MAX / 1_000} s on ${home}; try again later`,
      );
    }
    await wait(TURN_POLL_MS);
  }
}

/** Runs `pm2 …args` for this home. Throws `Failure` with PM2's own words when it fails or takes longer than `timeoutMs`. */
export async function runPm2(place: Place, args: string[], timeoutMs: number): Promise<void> {
  mkdirSync(pm2Home(place.home), { recursive: true, mode: 0o700 });
  const result = await execa(process.execPath, [PM2, ...args], {
    cwd: place.workDir,
    env: environmentFor(place),
    extendEnv: false,
    stdin: "ignore",
    timeout: timeoutMs,
    forceKillAfterDelay: 1_000,
    reject: false,
  });
  if (result.timedOut) throw new Failure("timedOut", `pm2 ${args[0]} did not come back within ${timeoutMs / 1_000} s`);
  if (result.exitCode !== 0) {
    const words = `${result.stderr}\n${result.stdout}`.trim().split("\n").slice(-5).join("\n");
    throw new Failure(
      "failed",
      `pm2 ${args[0]} failed: ${words === "" ? reasonOf(result.cause ?? "it said nothing") : reasonOf(words)}`,
    );
  }
}

/** What PM2 and, through it, the roles get to see: the caller's environment without what npm and PM2 put into it. */
function environmentFor({ home, workDir }: Place): Record<string, string> {
  const ofOthers = /^(npm_|pm_id$|INIT_CWD$|NODE_ENV$|PM2_)/;
  const kept = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ofOthers.test(name) && name !== MARK_VARIABLE),
  ) as Record<string, string>;
  return {
    ...kept,
    // Only what the caller has named: a state directory that is found by default needs a record (`adoption.ts`).
    ...(kept.MIMIKIT_HOME && { MIMIKIT_HOME: home }),
    MIMIKIT_WORK_DIR: workDir,
    [UMASK_VARIABLE]: UMASK.toString(8),
    PM2_HOME: pm2Home(home),
    PM2_DISABLE_VERSION_CHECK: "true",
    PM2_DISCRETE_MODE: "true",
    PM2_NO_INTERACTION: "true",
    PM2_CONCURRENT_ACTIONS: "3",
    PM2_WORKER_INTERVAL: String(CALM_MS),
    EXP_BACKOFF_RESET_TIMER: String(CALM_MS),
  };
}
