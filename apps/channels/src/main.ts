/**
 * The process of the channels: it runs only where one is set up, and is a client of the state directory like the gateway.
 * `main.ts describe` says which channels there are, `main.ts check <name>` tries what comes on stdin, for the command line.
 */
import { text as readAll } from "node:stream/consumers";
import { createLog, hideInLogs } from "@mimikit/runtime/audit/log";
import { keepWitness } from "@mimikit/runtime/audit/witness";
import { loadConfig } from "@mimikit/runtime/config/config";
import { readChannels } from "@mimikit/runtime/config/secrets";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { HomeError, readToken, resolveHome } from "@mimikit/runtime/home/home";
import { completeHome, keepHome } from "@mimikit/runtime/keep-home";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { announceReady } from "@mimikit/runtime/process/announce-ready";
import { Heartbeat } from "@mimikit/runtime/process/heartbeat";
import { ownIdentity } from "@mimikit/runtime/process/identity";
import { runLoop } from "@mimikit/runtime/process/loop";
import { openHere } from "@mimikit/runtime/process/open-here";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { waitForAdoption } from "@mimikit/runtime/process/wait-for-adoption";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { openDisk } from "@mimikit/store/disk/disk";
import { WATCHED } from "@mimikit/store/disk/watch";
import { PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { CHANNELS } from "./channels/index.ts";
import { ChannelError } from "./contract/channel.ts";
import { ConversationReader } from "./send/conversation.ts";
import { problemOf, ServedChannel, writeUnstarted } from "./serve-channel.ts";

const CHECK_MS_MAX = 20_000;
/** The first pause after a channel could not be started, and the longest, in ms. */
const START_MS_MIN = 1_000;
const START_MS_MAX = 60_000;

const [, , request, wanted = ""] = process.argv;
if (request === "describe") {
  const kinds = await Promise.all(Object.values(CHANNELS).map((load) => load()));
  console.log(JSON.stringify(kinds.map(({ open: _open, ...facts }) => facts)));
} else if (request === "check") console.log(JSON.stringify(await check(wanted)));
else await serve();

/** Could this channel be used with these fields? */
async function check(name: string): Promise<{ about: string } | { problem: string }> {
  try {
    useProxy(loadConfig(resolveHome(process.env).home, process.env).config.proxy, process.env);
    const kind = await CHANNELS[name]?.();
    if (kind === undefined) return { problem: `there is no channel ${name}` };
    const channel = await kind.open(JSON.parse(await readAll(process.stdin)));
    return { about: await channel.about(AbortSignal.timeout(CHECK_MS_MAX)) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function serve(): Promise<void> {
  const { home, adopted } = await openHere(process.env);
  await waitForSingleton(home, "channels", () =>
    createLog(home, "channels", loadConfig(home, process.env).config.logLevel).warn(
      "another process has the channels of this home; waiting for it to end",
    ),
  );
  if (!adopted) await waitForAdoption(home, process.env, "channels");
  const { config } = loadConfig(home, process.env);
  // Only now: the chain of the audit log goes on from the last line of the one before.
  const log = createLog(home, "channels", config.logLevel);
  const token = readToken(home);
  const identity = ownIdentity();
  const nowMs = () => Date.now();
  const fs = openDisk(home, `channels-${identity.pid}-${identity.startTime}`, () => completeHome(home, log));
  const onError = (error: unknown) => log.error("channels", { error });
  const cache = new StateCache(fs, {
    token,
    durable: false,
    onBadArchive: (path, reason) => log.warn("a record of the archive cannot be read", { path, reason }),
  });
  const conversation = await ConversationReader.load(cache, nowMs());
  await conversation.refresh(nowMs(), true);
  const secrets = readSecrets();
  let nudge = () => {};
  const settings = watchConfig(home, process.env, (loaded) => {
    useProxy(loaded.config.proxy, process.env);
    // PM2 starts it again with those of now.
    if (JSON.stringify(readSecrets()) !== JSON.stringify(secrets)) process.kill(process.pid, "SIGTERM");
    nudge();
  });
  const served = new Map<string, ServedChannel>();
  const retries = new Map<string, NodeJS.Timeout>();
  let isEnding = false;
  for (const [name, fields] of Object.entries(secrets)) await start(name, fields);

  const heard = new PendingChanges();
  const heartbeat = new Heartbeat(home, "channels");
  let rereadAtMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const loop = runLoop({
    tickMs: config.tickMs,
    async tick() {
      // Notifications that come together make one refresh.
      await new Promise((resolve) => setImmediate(resolve));
      const at = performance.now();
      const isFull = at - rereadAtMs >= config.rereadSec * 1_000;
      const changes = heard.take();
      const looksAtAll = isFull || changes.size === 0 || at - lookedAtMs >= config.tickMs;
      await conversation.refresh(nowMs(), isFull, looksAtAll ? undefined : changes);
      if (looksAtAll) lookedAtMs = at;
      if (isFull) rereadAtMs = at;
      const items = await conversation.items();
      const { notify } = settings.current.config.channels;
      for (const [name, channel] of served)
        await channel.note(items, notify === undefined || notify.includes(name), conversation);
    },
    onError,
    onRest: (ms) => heartbeat.beat(ms),
  });
  nudge = () => loop.nudge();
  const stopWatching = keepHome({
    home,
    log,
    dirs: WATCHED.channels,
    onChange: (dir, name) => {
      heard.note(dir, name);
      loop.nudge();
    },
    everyMs: config.rereadSec * 1_000,
  });
  const endWitness = keepWitness(home, "channels", log);
  onShutdown(async () => {
    stopWatching();
    settings.close();
    isEnding = true;
    for (const retry of retries.values()) clearTimeout(retry);
    await loop.stop();
    await Promise.all([...served.values()].map((channel) => channel.stop()));
    log.audit({ event: "channels_stopped" });
    endWitness();
  }, log);
  writeRole(home, "channels");
  log.audit({ event: "channels_started", detail: { channels: [...served.keys()] } });
  announceReady();

  function readSecrets(): ReturnType<typeof readChannels> {
    try {
      return readChannels(home, process.env);
    } catch (error) {
      if (!(error instanceof HomeError)) throw error;
      log.error(error.message);
      return {};
    }
  }

  /** One that cannot be started holds up no other, and is tried again. @param failures so far. */
  async function start(name: string, fields: Readonly<Record<string, string>>, failures = 0): Promise<void> {
    hideInLogs(Object.values(fields));
    try {
      const kind = await CHANNELS[name]?.();
      if (kind === undefined) throw new ChannelError("refused", "this version has no such channel");
      const channel = await kind.open(fields);
      const parts = { kind, channel, home, fs, token, cache, log, nowMs, onChange: () => nudge() };
      const started = await ServedChannel.start(parts);
      if (isEnding) return await started.stop();
      served.set(name, started);
      nudge();
    } catch (error) {
      if (failures === 0) log.error("a channel could not be started", { channel: name, error });
      const state = error instanceof ChannelError ? error.kind : "unreachable";
      const at = new Date(nowMs()).toISOString();
      await writeUnstarted(fs, name, { at, state, detail: problemOf(error), waiting: 0 }).catch((failed: unknown) =>
        log.debug("the state of a channel could not be written", { channel: name, error: failed }),
      );
      if (isEnding) return;
      const ms = Math.min(START_MS_MAX, START_MS_MIN * 2 ** failures);
      retries.set(name, setTimeout(() => void start(name, fields, failures + 1).catch(onError), ms).unref());
    }
  }
}
