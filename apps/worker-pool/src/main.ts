/** The worker-pool process: it claims tasks, lets a provider run them, and publishes what came of it. */

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RULES_CHARS_MAX } from "@mimikit/agent/prompt/prompt";
import {
  askedModel,
  chainOf,
  chooseProviders,
  describeProviders,
  settingsFor,
  tokensMaxFor,
} from "@mimikit/agent/providers/index";
import { DEFINITIONS, definitionOf } from "@mimikit/agent/roles/index";
import { Circuits } from "@mimikit/agent/run/circuit";
import { reservationOf } from "@mimikit/agent/run/reservation";
import { skillPlacesOf } from "@mimikit/agent/skills/skills";
import { missingForSearch, webOf } from "@mimikit/agent/web/web";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import {
  closeMemorySearch,
  limitMemorySearch,
  onMemorySearchFailure,
  warmMemorySearch,
} from "@mimikit/memory/search/search";
import { byRole, type Role } from "@mimikit/protocol/base/kind";
import type { UsageLine } from "@mimikit/protocol/base/usage";
import { createLog } from "@mimikit/runtime/audit/log";
import { keepWitness } from "@mimikit/runtime/audit/witness";
import { personZone } from "@mimikit/runtime/clock/person-zone";
import type { LoadedConfig } from "@mimikit/runtime/config/config";
import { loadConfig, pausedIn } from "@mimikit/runtime/config/config";
import type { StartSettings } from "@mimikit/runtime/config/describe-settings";
import type { ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { homeHash, readToken } from "@mimikit/runtime/home/home";
import { callersUmask } from "@mimikit/runtime/home/umask";
import { completeHome, keepHome } from "@mimikit/runtime/keep-home";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { announceReady } from "@mimikit/runtime/process/announce-ready";
import { writeCircuits } from "@mimikit/runtime/process/circuit-record";
import { Heartbeat } from "@mimikit/runtime/process/heartbeat";
import { isAliveFor, ownIdentity } from "@mimikit/runtime/process/identity";
import { type Loop, runLoop } from "@mimikit/runtime/process/loop";
import { killMarked, MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { openHere } from "@mimikit/runtime/process/open-here";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { waitForAdoption } from "@mimikit/runtime/process/wait-for-adoption";
import { startWatchdog } from "@mimikit/runtime/process/watchdog";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { openDisk } from "@mimikit/store/disk/disk";
import { HOOKS, QUESTIONS, TRIGGERS, TRY_NOW_PATH } from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { HistoryWindow } from "@mimikit/store/views/history";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { admit } from "./claim/admit.ts";
import { allot, linesOfDead } from "./claim/allot.ts";
import { readExcuses } from "./claim/excuses.ts";
import { endEarlier } from "./end-earlier.ts";
import { problemOf } from "./improve/health.ts";
import { gitOf } from "./improve/step-context.ts";
import { sweep } from "./improve/sweep.ts";
import { Pool } from "./pool.ts";
import { outside } from "./run/external.ts";
import { OpenTasks } from "./run/open-tasks.ts";
import { OwnerRules } from "./run/owner-rules.ts";
import { runAttempt } from "./run/run-attempt.ts";
import { skillIndex } from "./run/skill-index.ts";
import { recordUsage } from "./usage-file.ts";

/** Records that runs are only shown start no work: they are read with the next change. */
const SHOWN: ReadonlySet<string> = new Set([TRIGGERS, QUESTIONS]);

const umask = callersUmask(process.env);
const { home, workDir, adopted } = await openHere(process.env);
// Files that Workers, checks and git make are the user's; the pool gives its own state files a private mode explicitly.
process.umask(umask);
await waitForSingleton(home, "workers", () =>
  createLog(home, "workers", loadConfig(home, process.env).config.logLevel).warn(
    "another worker pool serves this home; waiting for it to end",
  ),
);
if (!adopted) await waitForAdoption(home, process.env, "workers");
const config: StartSettings = loadConfig(home, process.env).config;
// Only now: the chain of the audit log goes on from the last line of the one before.
const log = createLog(home, "workers", config.logLevel);
/** The keys are those of now: they may be saved while it runs. */
const environment: ProviderEnvironment = {
  home,
  env: process.env,
  get keys() {
    return settings.current.keys;
  },
};
const circuits = new Circuits(() => {
  const { cooldownSec, cooldownMaxSec } = settings.current.config.circuit;
  return { first: cooldownSec * 1_000, max: cooldownMaxSec * 1_000 };
}, noteCircuits);
const settings = watchConfig(home, process.env, noteSettings, [TRY_NOW_PATH]);
/** Not before this pool has said who it is: until then, the record and its heartbeat are those of the pool before. */
let heartbeat: Heartbeat | undefined;
const identity = ownIdentity();
const usageLog = new UsageLog(home);
const said = new HistoryIndex(home);
const fs = openDisk(home, `workers-${identity.pid}-${identity.startTime}`, () => completeHome(home, log));
const rules = new OwnerRules(fs, (chars) =>
  log.audit({ event: "rules_cut", detail: { chars, shown: RULES_CHARS_MAX } }),
);
const onError = (error: unknown) => log.error("worker pool", { error });
limitMemorySearch(config.process.searchHeapMb);
onMemorySearchFailure((reason) => log.warn("memory is searched without the index", { reason }));
// A thread of its own: the first run finds the index there, and the start does not wait for it.
void warmMemorySearch({ home, workDir }).then(
  (built) => built !== null && log.info("memory is indexed", { ...built }),
  onError,
);
/** A disk that refuses the note of what a run cost holds nothing up. */
const noteUsage = (line: UsageLine) => {
  try {
    recordUsage(home, line);
  } catch (error) {
    onError(error);
  }
};
const listSkills = skillIndex(skillPlacesOf({ home, workDir }, process.env), (problem) =>
  log.audit({ event: "skill_refused", detail: problem }),
);
const external = outside({
  home,
  workDir,
  env: process.env,
  sandbox: () => settings.current.config.sandbox,
  onProblem: (problem) => log.audit({ event: "tool_refused", detail: { problem } }),
  onError,
});
const pool: Pool = new Pool({
  fs,
  token: readToken(home),
  identity,
  isAlive: (owner) => isAliveFor(home, owner),
  excuseOf: readExcuses(home, config.tickMs),
  nowMs: () => Date.now(),
  limits: () => ({
    concurrency: byRole((role) => {
      const { config } = settings.current;
      return pausedIn(config).some((each) => each === role) ? 0 : DEFINITIONS[role].concurrency(config);
    }),
    retryDelaySec: settings.current.config.retryDelaySec,
  }),
  admit: (candidates) =>
    admit(
      candidates,
      (task) =>
        chainOf(task.role, settingsFor(task, settings.current.config), environment).entries.map((entry) => ({
          name: entry.id,
          model: askedModel(entry, task.role),
        })),
      circuits,
      performance.now(),
    ),
  allot: (candidates) => {
    const nowMs = Date.now();
    const { config } = settings.current;
    const { cache } = pool;
    for (const line of linesOfDead({ usageLog, cache, nowMs })) noteUsage(line);
    const reservation = (role: Role) => reservationOf(role, config, environment);
    const { budget } = config;
    return allot(candidates, {
      limits: budget,
      taskLimit: budget.task,
      usageLog,
      cache,
      reservationOf: reservation,
      nowMs,
    });
  },
  placeAway: async (candidates, cache) => {
    const { loadOf, placeAway } = await import("./claim/place-away.ts");
    const { homeIdentity, readPools } = await import("@mimikit/runtime/pools/registry");
    const hasEngine = settings.current.config.pools.url !== undefined;
    const pools = hasEngine ? await readPools(fs) : [];
    if (pools.length === 0) return { placed: [], nowhere: [...candidates] };
    return placeAway(candidates, pools, loadOf(cache), await homeIdentity(fs));
  },
  run: (candidate, steering, stop) =>
    runAttempt(candidate, steering, stop, {
      home,
      workDir,
      fs,
      cache: pool.cache,
      openTasks,
      conversation,
      said,
      listSkills,
      zone: () => personZone(home, settings.current.config),
      budgets: () => settings.current.config.context,
      tokensMaxOf: (task) => tokensMaxFor(task.role, settingsFor(task, settings.current.config), environment),
      ...(settings.current.config.pools.url !== undefined && {
        listPools: async () => {
          const { describePools } = await import("@mimikit/runtime/pools/registry");
          // A damaged record takes the machines from a plan, and not the plan.
          return describePools(fs, Date.now()).catch((error: unknown) => {
            onError(error);
            return [];
          });
        },
      }),
      rules,
      providers: describeProviders(settings.current.config, environment).names,
      nowMs: () => Date.now(),
      answerersOf: (task) => chooseProviders(task.role, settingsFor(task, settings.current.config), environment),
      circuits,
      monotonicMs: () => performance.now(),
      prices: settings.current.config.prices,
      taskLimit: settings.current.config.budget.task,
      usageLog,
      noteUsage,
      sandbox: settings.current.config.sandbox,
      autonomy: settings.current.config.autonomy,
      isOwnersWords: () =>
        (["teller", "planner"] as const).every((role) =>
          chainOf(role, settings.current.config, environment).ids.every((id) => id === "offline"),
        ),
      web: webOf(settings.current.config, environment),
      outside: external,
      improve: settings.current.config.selfImprove,
      problemOf: () => problemOf(home),
      audit: (event) => log.audit(event),
      timeLimitOf: (task) => definitionOf(task).timeoutSec(settings.current.config),
      onToolCall: ({ id: taskId, traceId }, { durationMs, ...detail }) =>
        log.audit({ event: "tool_call", taskId, traceId, durationMs, detail }),
      onError,
    }),
  endEarlier: (candidate) =>
    endEarlier(candidate, home, (left) =>
      log.error("processes of an earlier attempt are still there", { taskId: candidate.task.id, left }),
    ),
  onRoom: () => {
    loop.nudge();
    hooks?.nudge();
  },
  audit: (event) => {
    // A tick may start many attempts.
    heartbeat?.beat();
    log.audit(event);
  },
  onError,
  pause: (ms) => wait(ms),
});
// It records how the pool before it died, and only then takes its place: a kill in between leaves the evidence to the next.
await pool.load();
writeRole(home, "workers");
const beating = new Heartbeat(home, "workers");
heartbeat = beating;

/** There is one pool, so whatever carries a mark of this home was left behind by a dead one. */
for (const left of await killMarked(homeHash(home)))
  log.error("a process of an earlier pool cannot be ended", { ...left });
platform.removeGroups(homeHash(home));

const openTasks = new OpenTasks(pool.cache);
const conversation = new HistoryWindow(fs, pool.cache.archiveIndex);

/** New settings, or a request, may have cured the problem: all providers are tried again. */
function noteSettings(loaded: LoadedConfig): void {
  useProxy(loaded.config.proxy, process.env);
  circuits.reset();
  const known = { home, env: process.env, keys: loaded.keys };
  const { problems } = describeProviders(loaded.config, known);
  const search = missingForSearch(loaded.config, known);
  for (const problem of [...loaded.problems, ...problems, ...(search === null ? [] : [search])])
    log.warn("config", { problem });
  const { maxConcurrency, timeoutSec } = loaded.config;
  log.audit({ event: "settings_applied", detail: { maxConcurrency, timeoutSec, problems: loaded.problems.length } });
}

/** For those who show it: a failure to note it holds nothing up. */
function noteCircuits(): void {
  const inTime = (ms: number) => new Date(Date.now() + ms).toISOString();
  try {
    writeCircuits(
      home,
      circuits.open(performance.now()).map(({ remainingMs, ...open }) => ({ ...open, retryAt: inTime(remainingMs) })),
    );
  } catch (error) {
    log.error("worker pool", { error });
  }
}

const sweeper = runLoop({
  tickMs: config.tickMs,
  tick: async () =>
    sweep({
      home: await realpath(home),
      git: gitOf({ workDir, environment: { [MARK_VARIABLE]: markOf(home, "sweep", 1) } }),
      fs,
      archiveIndex: pool.cache.archiveIndex,
      isRunning: (id) => pool.runs(id),
      onSwept: (id) => log.audit({ event: "improvement_swept", taskId: id }),
    }),
  onError,
});

/** undefined where there is no `hooks/`: then nothing of hooks is loaded. */
let hooks: Loop | undefined;
let hooksBegin: Promise<void> | undefined;

/** Begins to deliver to hooks where there are any, once. */
function noticeHooks(): void {
  if (hooksBegin !== undefined || isStopping || !existsSync(join(home, HOOKS))) return;
  hooksBegin = import("./hooks/start-hooks.ts").then(({ startHooks }) => {
    if (isStopping) return;
    hooks = startHooks({
      home,
      workDir,
      env: process.env,
      fs,
      cache: pool.cache,
      identity,
      isAlive: (owner) => isAliveFor(home, owner),
      nowMs: () => Date.now(),
      monotonicMs: () => performance.now(),
      sandbox: () => settings.current.config.sandbox,
      log,
      tickMs: config.tickMs,
    });
  }, onError);
}

let isStopping = false;
let rereadAtMs = 0;
let lookedAtMs = Number.NEGATIVE_INFINITY;
const loop: Loop = runLoop({
  tickMs: config.tickMs,
  tick: () => {
    const nowMs = performance.now();
    const isFull = nowMs >= rereadAtMs;
    const looksAtAll = isFull || nowMs - lookedAtMs >= config.tickMs;
    if (isFull) {
      rereadAtMs = nowMs + config.rereadSec * 1_000;
      noticeHooks();
    }
    if (looksAtAll) lookedAtMs = nowMs;
    return pool.tick(isFull ? "full" : looksAtAll ? "all" : "heard");
  },
  onError,
  onRest: (ms) => beating.beat(ms),
});
const stopWatchdog = startWatchdog({
  home,
  role: "workers",
  heartbeat: beating,
  log,
  limitMs: () => settings.current.config.watchdogSec * 1_000,
});
const stopWatching = keepHome({
  home,
  log,
  dirs: WATCHED.workers,
  onChange: (dir, name) => {
    if (dir === HOOKS) noticeHooks();
    else pool.hear(dir, name);
    hooks?.nudge();
    if (dir !== HOOKS && !SHOWN.has(dir)) loop.nudge();
  },
  everyMs: config.rereadSec * 1_000,
});

const endWitness = keepWitness(home, "workers", log);
onShutdown(async () => {
  stopWatchdog();
  stopWatching();
  settings.close();
  isStopping = true;
  await hooksBegin;
  await Promise.all([loop.stop(), sweeper.stop(), hooks?.stop()]);
  await pool.drain();
  await external.close();
  await closeMemorySearch();
  log.audit({ event: "workers_stopped" });
  endWitness();
}, log);
log.audit({ event: "workers_started" });
announceReady();
