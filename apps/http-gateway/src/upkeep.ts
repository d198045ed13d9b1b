/** What the gateway does by itself: look at the state directory, follow streams, and let go of clients that are gone. */
import type { Config } from "@mimikit/runtime/config";
import type { Log } from "@mimikit/runtime/log";
import { runLoop } from "@mimikit/runtime/loop";
import { STREAMS } from "@mimikit/store/state";
import { WATCHED, watchState } from "@mimikit/store/watch";
import type { Live } from "./live.ts";
import type { Sessions } from "./sessions.ts";

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
  const looks = runLoop({
    tickMs: config.tickMs,
    tick: async () => {
      const nowMs = performance.now();
      const full = nowMs - rereadAtMs >= config.rereadSec * 1_000;
      await live.tick(full);
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
  const stopWatching = watch(home, log, (dir) => (dir === STREAMS ? streams : looks).nudge());
  return async () => {
    stopWatching();
    await Promise.all([looks.stop(), streams.stop(), heartbeats.stop()]);
  };
}

/** The system may have no notifications left (inotify's limits). That costs speed only: the tick goes on looking. */
function watch(home: string, log: Log, onChange: (dir: string) => void): () => void {
  try {
    return watchState(home, WATCHED.gateway, onChange);
  } catch (error) {
    log.warn("changes of the state directory are not notified", { error });
    return () => undefined;
  }
}
