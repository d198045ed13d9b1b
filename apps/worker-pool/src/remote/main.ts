/** The process of a pool: it runs attempts for a home on another machine, in a workspace of this one (docs/pools.md). */
import { appendFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Gate } from "@mimikit/agent/approval/gate";
import { chooseProviders, describeProviders, settingsFor } from "@mimikit/agent/providers/index";
import { isResumable } from "@mimikit/agent/roles/index";
import { Circuits } from "@mimikit/agent/run/circuit";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { skillPlacesOf } from "@mimikit/agent/skills/skills";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { closeMemorySearch } from "@mimikit/memory/search/search";
import { JoinedPool, type PoolJob, type PoolOutcome } from "@mimikit/protocol/pools/messages";
import { createLog, hideInLogs } from "@mimikit/runtime/audit/log";
import { loadConfig } from "@mimikit/runtime/config/config";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { homeHash, readToken } from "@mimikit/runtime/home/home";
import { callersUmask } from "@mimikit/runtime/home/umask";
import { VERSION } from "@mimikit/runtime/home/version";
import { completeHome } from "@mimikit/runtime/keep-home";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { PoolSide } from "@mimikit/runtime/pools/engine";
import { partsOfJob } from "@mimikit/runtime/pools/names";
import { announceReady } from "@mimikit/runtime/process/announce-ready";
import { isAliveFor, ownIdentity } from "@mimikit/runtime/process/identity";
import { killMarked } from "@mimikit/runtime/process/marked-processes";
import { openHere } from "@mimikit/runtime/process/open-here";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { openDisk } from "@mimikit/store/disk/disk";
import { readRecord } from "@mimikit/store/disk/record";
import {
  JOINED_POOL_PATH,
  longTextPath,
  runPath,
  sessionPath,
  streamPath,
  transcriptPath,
  unreadTextPath,
} from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { endEarlier } from "../end-earlier.ts";
import { outside } from "../run/external.ts";
import { OpenTasks } from "../run/open-tasks.ts";
import { runAttempt } from "../run/run-attempt.ts";
import { skillIndex } from "../run/skill-index.ts";
import { ToolTally } from "../run/tool-tally.ts";
import { collectFiles, TooMuch } from "./collect-files.ts";
import { openHomeConnection } from "./home-connection.ts";
import { placeOutputs, removeOutputs } from "./place-outputs.ts";
import { RemotePool } from "./remote-pool.ts";

const BEAT_MS_MAX = 5_000;
/** Beats of one lease: some may be lost. */
const BEATS_PER_LEASE = 12;
/** So long, when it ends, it waits for its home to take what came of its runs. */
const HAND_IN_MS = 2_000;
const SAID_EVERY_MS = 60_000;

const umask = callersUmask(process.env);
const { home, workDir } = await openHere(process.env);
// Files that Workers make are the user's; state files get a private mode explicitly.
process.umask(umask);
await waitForSingleton(home, "workers", () =>
  createLog(home, "workers", loadConfig(home, process.env).config.logLevel).warn(
    "another process is this pool; waiting for it to end",
  ),
);
const log = createLog(home, "workers", loadConfig(home, process.env).config.logLevel);
const own = ownIdentity();
const fs = openDisk(home, `workers-${own.pid}-${own.startTime}`, () => completeHome(home, log));
const joined = await readRecord(fs, JoinedPool, JOINED_POOL_PATH);
if (joined === null) {
  process.stderr.write("mimikit: this machine has joined no home: run  mimikit pool join\n");
  process.exit(1);
}
const { url, key, pool: name, home: homeId, slots, leaseSec } = joined;
hideInLogs([url, key, decodeURIComponent(new URL(url).password)]);
const onError = (error: unknown) => log.error("pool", { error });
const saidMs = new Map<string, number>();
/** A connection that cannot be made fails again and again. */
const onEngineError = (error: unknown) => {
  const reason = String(error instanceof Error ? (Reflect.get(error, "code") ?? error.message) : error);
  const at = performance.now();
  if (at - (saidMs.get(reason) ?? Number.NEGATIVE_INFINITY) < SAID_EVERY_MS) return;
  saidMs.set(reason, at);
  log.warn("the engine", { reason });
};
const circuits = new Circuits(
  () => {
    const { cooldownSec, cooldownMaxSec } = settings.current.config.circuit;
    return { first: cooldownSec * 1_000, max: cooldownMaxSec * 1_000 };
  },
  () => {},
);
const settings = watchConfig(home, process.env, (loaded) => {
  useProxy(loaded.config.proxy, process.env);
  circuits.reset();
});
const environment = {
  home,
  env: process.env,
  get keys() {
    return settings.current.keys;
  },
};
const cache = new StateCache(fs, {
  token: readToken(home),
  durable: false,
  isAlive: (owner) => isAliveFor(home, owner),
  onBadArchive: (path, reason) => log.warn("a record of the archive cannot be read", { path, reason }),
});
await cache.archiveIndex.load();
// There is one pool, so whatever carries a mark of this directory was left behind by a dead one.
for (const left of await killMarked(homeHash(home)))
  log.error("a process of an earlier pool cannot be ended", { ...left });
platform.removeGroups(homeHash(home));

const openTasks = new OpenTasks(cache);
const conversation = new HistoryWindow(fs, cache.archiveIndex);
const said = new HistoryIndex(home);
const usageLog = new UsageLog(home);
const external = outside({
  home,
  workDir,
  env: process.env,
  sandbox: () => settings.current.config.sandbox,
  onProblem: (problem) => log.audit({ event: "tool_refused", detail: { problem } }),
  onError,
});
const listSkills = skillIndex(skillPlacesOf({ home, workDir }, process.env), (problem) =>
  log.audit({ event: "skill_refused", detail: problem }),
);

const connection = openHomeConnection({
  side: new PoolSide({ url, home: homeId, pool: name, onError: onEngineError }),
  homeId,
  pool: { key, name },
});
const pool = new RemotePool({
  home,
  homeId,
  fs,
  identity: own,
  leaseMs: leaseSec * 1_000,
  connection,
  monotonicMs: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
  wait: (ms) => sleep(ms),
  append: (path, text) => appendFileSync(join(home, path), text, { mode: 0o600 }),
  remove: (path) => rm(join(home, path), { recursive: true, force: true }),
  async run(job, steering, stop, { begin, onLine, onCall }, { evidence, outputs, outDir }) {
    const { attempt, earlier, interrupted } = job;
    const task = await placeOutputs(job.task, attempt, outputs, home);
    const candidate = { task, attempt, earlier, interrupted, outages: [], company: "all" as const };
    let isBegun = false;
    const tally = new ToolTally();
    if (attempt > 1 && (await begin()))
      await endEarlier(candidate, home, (left) =>
        log.error("processes of an earlier attempt are still there", { taskId: task.id, left }),
      );
    const { config } = settings.current;
    const outcome = await runAttempt(candidate, steering, stop, {
      home,
      workDir,
      fs,
      cache,
      openTasks,
      conversation,
      said,
      listSkills,
      rules: { read: async () => job.rules },
      providers: describeProviders(config, environment).names,
      nowMs: () => Date.now(),
      answerersOf: (each) => chooseProviders(each.role, settingsFor(each, settings.current.config), environment),
      circuits,
      monotonicMs: () => performance.now(),
      prices: config.prices,
      taskLimit: job.taskLimit,
      spentBefore: job.spentBefore,
      usageLog,
      noteUsage: () => {},
      sandbox: config.sandbox,
      autonomy: job.autonomy,
      isOwnersWords: () => job.isOwnersWords,
      isOfPool: true,
      evidence,
      gateFor: (each, cwd) => gateFor(job, each, cwd),
      outside: external,
      improve: config.selfImprove,
      problemOf: async () => null,
      audit: (event) => log.audit(event),
      timeLimitOf: () => job.timeoutSec,
      begin,
      onToolCall: (_task, { artifact: _stays, ...call }) => {
        tally.note(call);
        onCall(call);
      },
      onLine(line) {
        if (line.type === "delta" || line.type === "thought") isBegun = true;
        onLine(line);
      },
      onError,
    });
    return { isBegun, tools: tally.total, ...(await withFiles(outcome, task.id, outDir)) };
  },
  async forget(job, goesOn, fileIds) {
    const parts = partsOfJob(job);
    if (parts === null) return;
    const { task, attempt } = parts;
    await rm(join(home, streamPath(task)), { force: true });
    for (const id of fileIds)
      for (const path of [longTextPath(id), unreadTextPath(id)]) await rm(join(home, path), { force: true });
    if (goesOn) return;
    for (let each = 1; each <= attempt; each++)
      await rm(join(home, runPath(task, each)), { recursive: true, force: true });
    await removeOutputs(task, home);
    for (const path of [sessionPath(task), transcriptPath(task)]) await rm(join(home, path), { force: true });
  },
  audit: (event, job, detail) => {
    const parts = partsOfJob(job);
    log.audit({
      event,
      ...(parts !== null && { taskId: parts.task, attempts: parts.attempt }),
      ...(detail && { detail }),
    });
  },
  onError: onEngineError,
});

/** With the files that the result names. An attempt that goes on hands none in. */
async function withFiles(
  outcome: RunOutcome,
  taskId: string,
  outDir: string,
): Promise<{ outcome: RunOutcome; files: PoolOutcome["files"] }> {
  if (outcome.asks !== undefined || outcome.failureReason === "interrupted") return { outcome, files: [] };
  try {
    const files = await collectFiles(outcome, taskId, { home, workDir }, outDir);
    return { outcome, files };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const failed = { status: "failed", failureReason: "error", error: error.message, retryable: false } as const;
    return { outcome: { ...outcome, ...failed }, files: [] };
  }
}

/** The home decides what asks, and sends the answers that it has; each is good for one call. */
function gateFor(job: PoolJob, task: PoolJob["task"], cwd: string): Gate | undefined {
  if (job.autonomy === "full") return undefined;
  const used = new Set<number>();
  return new Gate({
    mode: job.autonomy,
    mayAsk: isResumable(task),
    isOwnersWords: job.isOwnersWords,
    cwd,
    answers: job.answers,
    allowed: async () => [],
    async use(attempt) {
      const isFirst = !used.has(attempt);
      used.add(attempt);
      return isFirst;
    },
  });
}

await pool.load();
writeRole(home, "workers");
const leaseMs = leaseSec * 1_000;
const beating = setInterval(beat, Math.min(BEAT_MS_MAX, leaseMs / BEATS_PER_LEASE));
function beat(): void {
  pool.beat();
  connection.sayHere(pool.size, VERSION).catch(onEngineError);
  void lookForRemoval();
}
let isKnown = false;
let isAsked = false;
/** Says that it works once its engine has answered, and ends when its home has removed it. */
async function lookForRemoval(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    if (await connection.isRemoved()) return await leave();
    if (!isKnown) process.stderr.write(`mimikit: this machine works as ${name}\n`);
    isKnown = true;
  } catch (error) {
    onEngineError(error);
  } finally {
    isAsked = false;
  }
}
/** Forgets its membership, unless it has joined anew meanwhile, and ends. */
async function leave(): Promise<void> {
  if ((await readRecord(fs, JoinedPool, JOINED_POOL_PATH))?.key === key) await fs.unlink(JOINED_POOL_PATH);
  process.stderr.write(
    `mimikit: this machine was removed from its home, where it was ${name}: for another code, run there  mimikit pool invite\n`,
  );
  log.audit({ event: "pool_removed", detail: { pool: name } });
  process.exitCode = 1;
  process.kill(process.pid, "SIGTERM");
}
onShutdown(async () => {
  clearInterval(beating);
  settings.close();
  await pool.stop(HAND_IN_MS);
  await connection.close();
  await external.close();
  await closeMemorySearch();
  log.audit({ event: "pool_stopped" });
}, log);
await connection.onTold((job, told) => pool.hear(job, told));
connection.start(
  (job, record) => pool.run(job, record),
  slots,
  leaseMs,
  (job, error) => log.error("a job cannot be read", { job, error }),
);
beat();
log.audit({ event: "pool_started", detail: { pool: name, slots } });
announceReady();
