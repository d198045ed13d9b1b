/** What the gateway does by itself: look at the state directory, follow streams, and let go of clients that are gone. */

import type { Log } from "@mimikit/runtime/audit/log";
import type { Config } from "@mimikit/runtime/config/config";
import { keepHome } from "@mimikit/runtime/keep-home";
import { runLoop } from "@mimikit/runtime/process/loop";
import { STREAMS } from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { Heard } from "@mimikit/store/mirror/heard";
import type { Sessions } from "./auth/sessions.ts";
import type { Live } from "./live/live.ts";

const HEARTBEAT_MS = 30_000;

export interface UpkeepParts {
  home: string;
  config: Pick<Config, "tickMs" | "rereadSec">;
  live: Live;
  sessions: Sessions;
  log: Log;
}

/** Starts the loops. @returns stops them; it resolves when the last tick has ended. */
export function startUpkeep({ home, config, live, sessions, log }: UpkeepParts): () => Promise<void> {
  let rereadAtMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const heard = new Heard();
  const looks = runLoop({
    tickMs: config.tickMs,
    tick: async () => {
      // What is notified together is one look.
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
