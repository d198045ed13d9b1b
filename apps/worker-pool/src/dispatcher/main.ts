/** The process of the dispatcher: it runs only where an engine is set up, and carries attempts to pools on other machines (docs/pools.md). */
import { hostname } from "node:os";
import { gatherEvidence } from "@mimikit/agent/prompt/evidence";
import { RULES_CHARS_MAX } from "@mimikit/agent/prompt/prompt";
import { chainOf } from "@mimikit/agent/providers/index";
import { definitionOf } from "@mimikit/agent/roles/index";
import { POOLS_PROTOCOL, type PoolBeat, type PoolJob } from "@mimikit/protocol/pools/messages";
import type { PoolRecord } from "@mimikit/protocol/pools/pool";
import type { Task } from "@mimikit/protocol/records/task";
import { createLog, hideInLogs } from "@mimikit/runtime/audit/log";
import { keepWitness } from "@mimikit/runtime/audit/witness";
import { loadConfig } from "@mimikit/runtime/config/config";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { homeHash, readToken } from "@mimikit/runtime/home/home";
import { completeHome, keepHome } from "@mimikit/runtime/keep-home";
import { connectTo, isCutOff } from "@mimikit/runtime/pools/connect";
import { HomeSide } from "@mimikit/runtime/pools/engine";
import { holderKey } from "@mimikit/runtime/pools/names";
import { homeIdentity, readPools } from "@mimikit/runtime/pools/registry";
import { noteRemoved } from "@mimikit/runtime/pools/removed";
import { announceReady } from "@mimikit/runtime/process/announce-ready";
import { Heartbeat } from "@mimikit/runtime/process/heartbeat";
import { isAliveFor, ownIdentity } from "@mimikit/runtime/process/identity";
import { runLoop } from "@mimikit/runtime/process/loop";
import { openHere } from "@mimikit/runtime/process/open-here";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { waitForAdoption } from "@mimikit/runtime/process/wait-for-adoption";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { openDisk } from "@mimikit/store/disk/disk";
import { POOLS, POOLS_SEEN_PATH, SIGNALS } from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { UsageLog } from "@mimikit/store/views/usage-log";
import type { Allotted } from "../claim/allot.ts";
import { answersTo, isOlderThanAutonomy, use } from "../run/gate-of.ts";
import { originOf } from "../run/origin-of.ts";
import { OwnerRules } from "../run/owner-rules.ts";
import { spentEarlier } from "../run/spent-earlier.ts";
import { openStream } from "../run/stream-file.ts";
import { recordUsage } from "../usage-file.ts";
import { Dispatcher } from "./dispatcher.ts";
import { holdHome } from "./hold-home.ts";
import { lineOnce } from "./line-once.ts";
import { type CarriedOutput, outputsBefore } from "./outputs.ts";
import { openPoolConnection } from "./pool-connection.ts";
import { Presence } from "./presence.ts";

/** The same error of the engine is said once in this time: it may be away for hours. */
const SAID_EVERY_MS = 60_000;

const { home, adopted } = await openHere(process.env);
await waitForSingleton(home, "dispatcher", () =>
  createLog(home, "dispatcher", loadConfig(home, process.env).config.logLevel).warn(
    "another dispatcher serves this home; waiting for it to end",
  ),
);
if (!adopted) await waitForAdoption(home, process.env, "dispatcher");
const { config } = loadConfig(home, process.env);
// Only now: the chain of the audit log goes on from the last line of the one before.
const log = createLog(home, "dispatcher", config.logLevel);
const { url } = config.pools;
if (url === undefined) {
  log.error("no engine is set up: set pools.url, then  mimikit restart");
  await log.flush();
  process.exit(0);
}
hideInLogs([url, decodeURIComponent(new URL(url).password)]);
const token = readToken(home);
const own = ownIdentity();
const nowMs = () => Date.now();
const fs = openDisk(home, `dispatcher-${own.pid}-${own.startTime}`, () => completeHome(home, log));
const onError = (error: unknown) => log.error("dispatcher", { error });
const saidMs = new Map<string, number>();
/** A connection that cannot be made fails again and again. */
const onEngineError = (error: unknown) => {
  const text = error instanceof Error ? (Reflect.get(error, "code") ?? error.message) : error;
  const reason = String(text);
  const at = performance.now();
  if (at - (saidMs.get(reason) ?? Number.NEGATIVE_INFINITY) < SAID_EVERY_MS) return;
  saidMs.set(reason, at);
  log.warn("the engine of the pools", { reason });
};
const cache = new StateCache(fs, {
  token,
  durable: false,
  isAlive: (owner) => isAliveFor(home, owner),
  onBadArchive: (path, reason) => log.warn("a record of the archive cannot be read", { path, reason }),
});
await cache.archiveIndex.load();
await cache.refresh(nowMs());
const identity = await homeIdentity(fs);
const presence = await Presence.open({ fs, nowMs, monotonicMs: () => performance.now() });
const usageLog = new UsageLog(home);
const rules = new OwnerRules(fs, (chars) =>
  log.audit({ event: "rules_cut", detail: { chars, shown: RULES_CHARS_MAX } }),
);
let nudge = () => {};
const settings = watchConfig(home, process.env, ({ config }) => {
  // PM2 starts it again with those of now.
  if (config.pools.url !== url) process.kill(process.pid, "SIGTERM");
  nudge();
});

const conversation = new HistoryWindow(fs, cache.archiveIndex);

const dispatcher = new Dispatcher({
  home,
  filesOf,
  outputsOf: (task, bytesMax) => outputsBefore(task, home, bytesMax),
  fs,
  cache,
  identity,
  open: (pool) =>
    openPoolConnection({
      side: new HomeSide({ url, home: identity.id, pool: pool.name, onError: onEngineError }),
      homeId: identity.id,
      pool,
      onSaid: (job, said) => {
        if (holder.holds) dispatcher.hear(pool, job, said);
      },
      onHere: (beat) => void noteSeen(pool, beat).catch(onError),
      onError: onEngineError,
    }),
  leaseMs: () => settings.current.config.pools.leaseSec * 1_000,
  nowMs,
  monotonicMs: () => performance.now(),
  retryDelaySec: () => settings.current.config.retryDelaySec,
  jobFor,
  async useAnswers(task, pool) {
    for (const { attempt, verdict, isUsed } of await answersTo(pool, task, fs, cache))
      if (verdict === "once" && !isUsed) await use(task, attempt, fs);
  },
  openStream: (taskId) => openStream(home, taskId, onError),
  noteUsage(candidate, at, accepted) {
    const line = lineOnce(candidate, at, accepted, {
      usageLog,
      prices: settings.current.config.prices,
      nowMs: nowMs(),
    });
    if (line !== null) recordUsage(home, line);
  },
  audit: (event) => log.audit(event),
  // A message that could not be sent is sent again while it counts.
  onError: (error) => (isCutOff(error) ? onEngineError : onError)(error),
  mayDismiss: () => holder.decided(),
  onDismissed: ({ name, key }) => noteRemoved(client, { home: identity.id, pool: name, key }),
});

/** The files that its messages bring or quote: no other of the conversation goes to another machine. */
async function filesOf(task: Task): Promise<PoolJob["files"]> {
  await cache.archiveIndex.follow();
  const messages = await originOf(task, cache);
  const quotes = new Set(messages.flatMap(({ quote }) => quote ?? []));
  const said = quotes.size === 0 ? [] : (await conversation.read()).messages;
  const quoted = said.filter(({ id }) => quotes.has(id));
  const found = await gatherEvidence(messages, quoted, { home, fs });
  return found.map(({ messageId, file, path }) => ({ messageId, file, isThere: path !== null }));
}

async function jobFor(
  { task, attempt, earlier, interrupted }: Allotted,
  pool: string,
  files: PoolJob["files"],
  outputs: readonly CarriedOutput[],
): Promise<PoolJob> {
  const { config, keys } = settings.current;
  const environment = { home, env: process.env, keys };
  const isOwnersWords = (["teller", "planner"] as const).every((role) =>
    chainOf(role, config, environment).ids.every((id) => id === "offline"),
  );
  return {
    protocol: POOLS_PROTOCOL,
    task,
    attempt,
    earlier,
    interrupted,
    timeoutSec: definitionOf(task).timeoutSec(config),
    autonomy: await autonomyOf(task),
    isOwnersWords,
    answers: await answersTo(pool, task, fs, cache),
    taskLimit: config.budget.task,
    spentBefore: spentEarlier(task, { usageLog, cache, nowMs }),
    rules: await rules.read(),
    files,
    outputs: outputs.map(({ path: _, ...output }) => output),
  };
}

async function autonomyOf(task: Task): Promise<PoolJob["autonomy"]> {
  return (await isOlderThanAutonomy(task, cache)) ? "full" : settings.current.config.autonomy;
}

const unfit = new Set<string>();
async function noteSeen(pool: PoolRecord, beat: PoolBeat): Promise<void> {
  const { name } = pool;
  if (beat.protocol !== POOLS_PROTOCOL && !unfit.has(name)) {
    unfit.add(name);
    log.warn("a pool has another version: update it", { pool: name, version: beat.version });
  }
  await presence.note(pool, beat);
}

const client = connectTo(url, { waits: false });
client.on("error", onEngineError);
const holder = holdHome(
  client,
  holderKey(identity.id),
  `${hostname()} ${own.bootId} ${homeHash(home)}`,
  (other) => log.warn("another machine serves a copy of this home; nothing is dispatched here", { other }),
  onEngineError,
);

const heard = new PendingChanges();
const heartbeat = new Heartbeat(home, "dispatcher");
let rereadAtMs = 0;
let lookedAtMs = Number.NEGATIVE_INFINITY;
const loop = runLoop({
  tickMs: config.tickMs,
  async tick() {
    const at = performance.now();
    const isFull = at >= rereadAtMs;
    const changes = heard.take();
    const looksAtAll = isFull || at - lookedAtMs >= config.tickMs;
    if (looksAtAll) lookedAtMs = at;
    await cache.refresh(nowMs(), isFull, looksAtAll ? undefined : changes);
    // Their records never change: they are read when one comes or goes, and in each complete reading.
    if (isFull || changes.has(POOLS)) {
      const pools = await readPools(fs);
      await dispatcher.connect(pools);
      presence.keep(new Set(pools.map(({ name }) => name)));
    }
    if (isFull) rereadAtMs = at + config.rereadSec * 1_000;
    if (!holder.holds) return;
    if (changes.has(SIGNALS)) dispatcher.steer();
    await dispatcher.tick();
  },
  onError,
  onRest: (ms) => heartbeat.beat(ms),
});
nudge = () => loop.nudge();
const stopWatching = keepHome({
  home,
  log,
  dirs: WATCHED.dispatcher,
  onChange: (dir, name) => {
    // It writes that view itself.
    if (`${dir}/${name}` === POOLS_SEEN_PATH) return;
    heard.note(dir, name);
    loop.nudge();
  },
  everyMs: config.rereadSec * 1_000,
});
const endWitness = keepWitness(home, "dispatcher", log);
onShutdown(async () => {
  stopWatching();
  settings.close();
  await loop.stop();
  holder.stop();
  await dispatcher.close();
  client.disconnect();
  log.audit({ event: "dispatcher_stopped" });
  endWitness();
}, log);
writeRole(home, "dispatcher");
log.audit({ event: "dispatcher_started" });
announceReady();
