/** Background work of the gateway: refresh the view of the state directory, follow streams, and let go of clients that are gone. */

import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "@mimikit/runtime/audit/log";
import type { Config } from "@mimikit/runtime/config/config";
import { keepHome } from "@mimikit/runtime/keep-home";
import { Heartbeat } from "@mimikit/runtime/process/heartbeat";
import { runLoop } from "@mimikit/runtime/process/loop";
import { STREAMS } from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import type { Sessions } from "./auth/sessions.ts";
import type { Live } from "./live/live.ts";
import type { Commands } from "./state/commands.ts";

const HEARTBEAT_MS = 30_000;
/** So long a look waits for those who wait for an answer, in milliseconds: a stream of commands must not keep all others from news. */
const LOOK_PUT_OFF_MS_MAX = 50;

export interface UpkeepParts {
  home: string;
  config: Pick<Config, "tickMs" | "rereadSec">;
  live: Pick<Live, "tick" | "readStreams" | "heartbeat">;
  sessions: Pick<Sessions, "isSignedIn">;
  commands: Pick<Commands, "atRest">;
  log: Log;
  /** How long a look waits for answers, in ms; LOOK_PUT_OFF_MS_MAX when not given. */
  putOffMs?: number;
}

/** Starts the loops. @returns stops them; it resolves when the last tick has ended. */
export function startUpkeep(parts: UpkeepParts): () => Promise<void> {
  const { home, config, live, sessions, commands, log, putOffMs = LOOK_PUT_OFF_MS_MAX } = parts;
  let rereadAtMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const heard = new PendingChanges();
  const heartbeat = new Heartbeat(home, "gateway");
  const looks = runLoop({
    tickMs: config.tickMs,
    tick: async () => {
      // Answers come first.
      await Promise.race([commands.atRest(), wait(putOffMs, undefined, { ref: false })]);
      // Notifications that come together make one refresh.
      await new Promise((resolve) => setImmediate(resolve));
      const nowMs = performance.now();
      const full = nowMs - rereadAtMs >= config.rereadSec * 1_000;
      const changes = heard.take();
      const all = changes.size === 0 || nowMs - lookedAtMs >= config.tickMs;
      await live.tick(full ? "full" : all ? "all" : changes);
      if (full || all) lookedAtMs = nowMs;
      if (full) rereadAtMs = nowMs;
    },
    onError: (error) => log.error("the state directory could not be read", { error }),
    onRest: (ms) => heartbeat.beat(ms),
  });
  const streams = runLoop({
    tickMs: config.tickMs,
    tick: async () => live.readStreams(),
    onError: (error) => log.error("a stream could not be read", { error }),
  });
  const heartbeats = runLoop({
    tickMs: HEARTBEAT_MS,
    tick: () => live.heartbeat((session) => sessions.isSignedIn(session, Date.now())),
    onError: (error) => log.error("the connections could not be checked", { error }),
  });
  const stopWatching = keepHome({
    home,
    log,
    dirs: WATCHED.gateway,
    onChange: (dir, name) => {
      if (dir === STREAMS) return streams.nudge();
      heard.note(dir, name);
      looks.nudge();
    },
    everyMs: config.rereadSec * 1_000,
  });
  return async () => {
    stopWatching();
    await Promise.all([looks.stop(), streams.stop(), heartbeats.stop()]);
  };
}
