/** The supervisor process: code only. It ticks every second, and at once when a record comes. */

import { hasModel } from "@mimikit/agent/providers/index";
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import { KINDS } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { SELF_IMPROVE } from "@mimikit/protocol/records/improvement";
import { createLog } from "@mimikit/runtime/audit/log";
import { keepWitness } from "@mimikit/runtime/audit/witness";
import { personZone } from "@mimikit/runtime/clock/person-zone";
import { systemTimeZone } from "@mimikit/runtime/clock/system-zone";
import { loadConfig } from "@mimikit/runtime/config/config";
import type { StartSettings } from "@mimikit/runtime/config/describe-settings";
import type { ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { lockDocument } from "@mimikit/runtime/home/document-lock";
import { readToken } from "@mimikit/runtime/home/home";
import { tendBallast } from "@mimikit/runtime/home/room";
import { completeHome, keepHome, RESTORED_EVENT } from "@mimikit/runtime/keep-home";
import { announceReady } from "@mimikit/runtime/process/announce-ready";
import { Heartbeat } from "@mimikit/runtime/process/heartbeat";
import { isAliveFor, ownIdentity } from "@mimikit/runtime/process/identity";
import { type Loop, runLoop } from "@mimikit/runtime/process/loop";
import { openHere } from "@mimikit/runtime/process/open-here";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { waitForAdoption } from "@mimikit/runtime/process/wait-for-adoption";
import { startWatchdog } from "@mimikit/runtime/process/watchdog";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { WorkspaceFiles } from "@mimikit/runtime/workspace/workspace-files";
import { openDisk } from "@mimikit/store/disk/disk";
import { HISTORY, runningOf } from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { DocumentBusy, type DocumentLock } from "@mimikit/store/documents/document";
import { HistoryPartitions } from "@mimikit/store/views/history-partitions";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { noticeConfig } from "./execute/config-changes.ts";
import { improveSettings } from "./observe/improve-settings.ts";
import { improvingOf, SelfAwakeView } from "./observe/improving.ts";
import { MemoryWatch } from "./observe/memory-watch.ts";
import { SilentPools } from "./observe/silent-pools.ts";
import { spendingNow } from "./observe/spending.ts";
import { restartRoles } from "./restart-roles.ts";
import { Supervisor } from "./supervisor.ts";
import { runMaintenance } from "./upkeep/maintenance.ts";
import { NamedAttachments } from "./upkeep/named-attachments.ts";
import { HistoryMonths } from "./views/history-months.ts";
import { writeHistory } from "./views/history-view.ts";
import { TasksView } from "./views/tasks-view.ts";

/** history.json and tasks.md are written at most that often. */
const VIEWS_EVERY_MS = 5_000;
/** A saved config.yaml is noticed at once; this is the safety net under the notification. */
const CONFIG_EVERY_MS = 10_000;
const MAINTENANCE_EVERY_MS = 3_600_000;
const ROOM_EVERY_MS = 5_000;
/** So long after another program was saving it, a document is asked for again. */
const BUSY_RETRY_MS = 50;
/** That an attempt has begun is nothing to be done: it is looked at with what comes next. */
const RUNNING: ReadonlySet<string> = new Set(Role.options.map(runningOf));
/** Actions make more actions; this many rounds in a row and the rest waits for the next tick. */
const ROUNDS_MAX = 50;

const { home, workDir, adopted } = await openHere(process.env);
await waitForSingleton(home, "supervisor", () =>
  createLog(home, "supervisor", loadConfig(home, process.env).config.logLevel).warn(
    "another supervisor serves this home; waiting for it to end",
  ),
);
if (!adopted) await waitForAdoption(home, process.env, "supervisor");
const config: StartSettings = loadConfig(home, process.env).config;
// Only now: the chain of the audit log goes on from the last line of the one before.
const log = createLog(home, "supervisor", config.logLevel);
let configChanges: Loop | undefined;
const settings = watchConfig(home, process.env, ({ problems }) => {
  configChanges?.nudge();
  for (const problem of problems) log.warn("config", { problem });
});
writeRole(home, "supervisor");
const heartbeat = new Heartbeat(home, "supervisor");

const { pid, startTime } = ownIdentity();
const fs = openDisk(home, `supervisor-${pid}-${startTime}`, () => completeHome(home, log));
const timeZone = systemTimeZone();
const files = new WorkspaceFiles({
  workDir,
  home,
  watch: {
    rereadMs: config.rereadSec * 1_000,
    onChange: () => loop.nudge(),
    onProblem: (problem) => log.warn("files", { problem }),
  },
});
const usageLog = new UsageLog(home);
/** The keys are those of now: they may be saved while it runs. */
const environment: ProviderEnvironment = {
  home,
  env: process.env,
  get keys() {
    return settings.current.keys;
  },
};
const startedMs = Date.now();
const spendingHere = () =>
  spendingNow({ usageLog, cache: supervisor.cache, config: settings.current.config, environment, nowMs: Date.now() });
const improveSettingsHere = () => improveSettings(settings.current.config, environment, startedMs);
const canSummarize = () => hasModel(KINDS["roll-up"].role, settings.current.config, environment);
const silentPools = new SilentPools({
  fs,
  monotonicMs: () => performance.now(),
  askMs: () => settings.current.config.pools.askSec * 1_000,
});
const supervisor: Supervisor = new Supervisor({
  fs,
  token: readToken(home),
  nowMs: () => Date.now(),
  lock: (path, work) => lockDocument(home, path, work),
  audit: (event) => {
    // A tick may run thousands of actions.
    heartbeat.beat();
    log.audit(event);
  },
  restart: () => restartRoles(home),
  isAlive: (owner) => isAliveFor(home, owner),
  onError: (error, { type }) => {
    if (error instanceof DocumentBusy) setTimeout(() => loop.nudge(), BUSY_RETRY_MS).unref();
    else log.error("an action failed and will be tried again", { type, error });
  },
  rereadMs: config.rereadSec * 1_000,
  world: {
    stampsOf: (paths) => files.stampsOf(paths),
    changedSince: (path, sinceMs) => files.changedSince(path, sinceMs),
    isMoving: (path) => files.isMoving(path),
    timeZone,
    spending: spendingHere,
    ownOrdersMax: () => settings.current.config.ownOrdersMax,
    selfImprove: improveSettingsHere,
    silentAway: (away) => silentPools.of(away),
    memory: new MemoryWatch({ fs, bounds: MEMORY_BOUNDS, nowMs: () => Date.now(), canSummarize }),
  },
});
await supervisor.load();
// Before it has looked once, tasks.md would say that there is nothing.
await supervisor.cache.refresh(Date.now(), true);

let lookedAtMs = Number.NEGATIVE_INFINITY;
const loop: Loop = runLoop({
  tickMs: config.tickMs,
  tick: async () => {
    const looksAtAll = performance.now() - lookedAtMs >= config.tickMs;
    if (looksAtAll) lookedAtMs = performance.now();
    for (let round = 0; round < ROUNDS_MAX; round++)
      if ((await supervisor.tick(looksAtAll && round === 0)) === 0) return;
  },
  onError: (error) => log.error("tick failed", { error }),
  onRest: (ms) => heartbeat.beat(ms),
});
const stopWatchdog = startWatchdog({
  home,
  role: "supervisor",
  heartbeat,
  log,
  limitMs: () => settings.current.config.watchdogSec * 1_000,
});
const stopWatching = keepHome({
  home,
  log,
  dirs: WATCHED.supervisor,
  onChange: (dir, name) => {
    supervisor.hear(dir, name);
    if (!RUNNING.has(dir)) loop.nudge();
  },
  everyMs: config.rereadSec * 1_000,
});
const tending = setInterval(tend, ROOM_EVERY_MS).unref();
tend();
const historyMonths = new HistoryMonths(home, supervisor.cache.archiveIndex, () =>
  log.audit({ event: RESTORED_EVENT, detail: { dir: HISTORY } }),
);
const named = new NamedAttachments(supervisor.fs, supervisor.cache, () => new HistoryPartitions(home));
const tasksView = new TasksView(fs, supervisor.cache, () => personZone(home, settings.current.config).timeZone);
const selfAwakeView = new SelfAwakeView(fs, supervisor.cache);
let written = "";
const views = runLoop({
  tickMs: VIEWS_EVERY_MS,
  tick: async () => {
    const { settledTurn, highestNote } = supervisor.cache.archiveIndex;
    const now = `${settledTurn} ${highestNote}`;
    if (now !== written) await writeHistory(fs, supervisor.cache.archiveIndex);
    written = now;
    await tasksView.write();
    await historyMonths.write();
    const spent = spendingHere().spentByTrigger(SELF_IMPROVE);
    await selfAwakeView.write(await improvingOf(supervisor.cache, improveSettingsHere(), spent));
  },
  onError: (error) => log.error("history.json, history/, tasks.md or self_awake.json could not be written", { error }),
});
const lock: DocumentLock = (path, work) => lockDocument(home, path, work);
configChanges = runLoop({
  tickMs: CONFIG_EVERY_MS,
  tick: async () => {
    try {
      await noticeConfig({ fs: supervisor.fs, lock, nowMs: () => Date.now(), audit: (event) => log.audit(event) });
    } catch (error) {
      if (!(error instanceof DocumentBusy)) throw error;
      setTimeout(() => configChanges?.nudge(), BUSY_RETRY_MS).unref();
    }
  },
  onError: (error) => log.error("what was changed in config.yaml could not be recorded", { error }),
});
const maintenance = runLoop({
  tickMs: MAINTENANCE_EVERY_MS,
  tick: () =>
    runMaintenance({
      home,
      fs: supervisor.fs,
      archiveIndex: supervisor.cache.archiveIndex,
      config: settings.current.config,
      nowMs: Date.now(),
      namedAttachments: () => named.ids(),
      audit: (event) => log.audit(event),
    }),
  onError: (error) => log.error("maintenance failed", { error }),
});

const endWitness = keepWitness(home, "supervisor", log);
onShutdown(async () => {
  stopWatchdog();
  clearInterval(tending);
  stopWatching();
  settings.close();
  await Promise.all([loop.stop(), views.stop(), maintenance.stop(), configChanges?.stop()]);
  await files.close();
  await writeHistory(fs, supervisor.cache.archiveIndex);
  await tasksView.write();
  await historyMonths.write();
  log.audit({ event: "supervisor_stopped" });
  endWitness();
}, log);
log.audit({ event: "supervisor_started" });
announceReady();

/** Reserves disk space for PM2, which exits when it cannot write. */
function tend(): void {
  try {
    const done = tendBallast(home);
    if (done !== null) log.audit({ event: done === "made" ? "ballast_made" : "ballast_given_back" });
  } catch (error) {
    log.warn("the ballast file could not be written", { error });
  }
}
