/**
 * The only place that talks to PM2. One command at a time per home, each with a time limit: two that start PM2 at once
 * make two daemons, and a client of a half-dead daemon waits for ever. PM2 runs as a program of its own; its code is
 * never loaded here.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "@mimikit/runtime/config/config";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { fileOfPackage, ROOT } from "@mimikit/runtime/home/programs";
import { callersUmask, UMASK_VARIABLE } from "@mimikit/runtime/home/umask";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { hasChannels, hasPools } from "@mimikit/runtime/process/roles-of";
import { claimSingleton } from "@mimikit/runtime/process/singleton";
import { V8_FLAGS_VARIABLE, v8Flags } from "@mimikit/runtime/process/v8-flags";
import { execa } from "execa";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { pm2Home } from "../io/place.ts";

/** Taken before a command makes itself private, and PM2 and its logs with it. */
export const UMASK = callersUmask({});
/** Carries the process id of an update, in what it starts; the processes of Mimikit outlive it, and do not have it. */
export const UPDATER_VARIABLE = "MIMIKIT_UPDATER";
const TURN_MS_MAX = 90_000;
const TURN_POLL_MS = 100;
/** PM2 forgets how long it waited before the last restart when a role has run this long, and looks this often. */
const CALM_MS = 5_000;
/** A daemon that takes longer to say what it runs does nothing else either. */
const ANSWER_MS_MAX = 15_000;
/** Of a process that PM2 has not given up. */
const TENDED: ReadonlySet<string> = new Set(["online", "launching", "stopping", "waiting restart"]);

/** Waits until no other command talks to the PM2 of this home. The turn ends with this process. */
export async function takeTurn(home: string): Promise<void> {
  const deadline = performance.now() + TURN_MS_MAX;
  while (!(await claimSingleton(home, "pm2"))) {
    if (performance.now() > deadline) {
      throw new Failure(
        "timedOut",
        t("another mimikit command has been at work for {seconds} s on {home}; try again later", {
          seconds: TURN_MS_MAX / 1_000,
          home,
        }),
      );
    }
    await wait(TURN_POLL_MS);
  }
}

/** The name of the process of the channels, which PM2 runs only where one is set up. */
const CHANNELS_APP = "mimikit-channels";

/**
 * Starts the roles with the settings of now; those that run are restarted. Throws as `runPm2` does.
 * @param only the name of one of them, where the others are to be left alone.
 */
export async function startRoles(place: HomePlace, config: Config, timeoutMs: number, only?: string): Promise<void> {
  const args = ["startOrRestart", join(ROOT, "ecosystem.config.cjs"), "--update-env", "--silent"];
  if (only !== undefined) args.push("--only", only);
  await runPm2(place, args, timeoutMs, {
    MIMIKIT_OWN_PM2: "1",
    [V8_FLAGS_VARIABLE]: v8Flags(config),
    MIMIKIT_CHANNELS: hasChannels(place.home, process.env) ? "1" : "0",
    MIMIKIT_POOLS: hasPools(place.home, process.env) ? "1" : "0",
  });
}

/** Starts the channels again, or ends them where none is set up any more. Throws as `runPm2` does. */
export async function restartChannels(place: HomePlace, config: Config, timeoutMs: number): Promise<void> {
  if (hasChannels(place.home, process.env)) return startRoles(place, config, timeoutMs, CHANNELS_APP);
  const list = await runPm2(place, ["jlist"], ANSWER_MS_MAX);
  if (list.includes(`"${CHANNELS_APP}"`)) await runPm2(place, ["delete", CHANNELS_APP, "--silent"], timeoutMs);
}

/**
 * Runs `pm2 …args` for this home.
 * @returns what it printed. @throws Failure with PM2's own words when it fails or takes longer than `timeoutMs`.
 */
export async function runPm2(
  place: HomePlace,
  args: string[],
  timeoutMs: number,
  further: Record<string, string> = {},
): Promise<string> {
  mkdirSync(pm2Home(place.home), { recursive: true, mode: 0o700 });
  const result = await execa(process.execPath, [fileOfPackage("pm2/bin/pm2"), ...args], {
    cwd: place.workDir,
    env: { ...environmentFor(place), ...further },
    extendEnv: false,
    stdin: "ignore",
    timeout: timeoutMs,
    forceKillAfterDelay: 1_000,
    reject: false,
  });
  if (result.timedOut)
    throw new Failure(
      "timedOut",
      t("pm2 {words} did not come back within {seconds} s", { words: args[0] ?? "", seconds: timeoutMs / 1_000 }),
    );
  if (result.exitCode !== 0) {
    const words = `${result.stderr}\n${result.stdout}`.trim().split("\n").slice(-5).join("\n");
    throw new Failure(
      "failed",
      t("pm2 {words} failed: {reason}", {
        words: args[0] ?? "",
        reason: words === "" ? reasonOf(result.cause ?? t("it said nothing")) : reasonOf(words),
      }),
    );
  }
  return result.stdout;
}

/**
 * How many processes PM2 itself runs, or is about to start again. Call it where its daemon lives: PM2 would start one.
 * @returns null where the daemon does not answer.
 */
export async function countTended(place: HomePlace): Promise<number | null> {
  try {
    const list = (await runPm2(place, ["jlist"], ANSWER_MS_MAX)).trim().split("\n").at(-1) ?? "";
    const apps = JSON.parse(list) as { pm2_env?: { status?: string } }[];
    return apps.filter(({ pm2_env }) => TENDED.has(pm2_env?.status ?? "")).length;
  } catch (error) {
    if (error instanceof Failure || error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * The environment of PM2 and, through it, of the roles: the caller's, without the variables that npm and PM2 put into
 * it, and without keys, which PM2 would show and save.
 */
function environmentFor({ home, workDir }: HomePlace): Record<string, string> {
  // `_` is the program that a shell has started last: a daemon that fails runs  node $_ update  (pm2/lib/Daemon.js).
  const ofOthers = /^(npm_|pm_id$|INIT_CWD$|NODE_ENV$|PM2_|_$)/;
  const hidden = [MARK_VARIABLE, UPDATER_VARIABLE, ...KEY_VARIABLES];
  const kept = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ofOthers.test(name) && !hidden.includes(name)),
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
