/** A nudge when a record may have come: only speed, never the truth, because the kernel drops events silently. */
import { watch } from "node:fs";
import { join } from "node:path";
import { ROLES } from "@mimikit/protocol/role";
import { ARCHIVE, INBOX, QUESTIONS, queueOf, resultsOf, runningOf, SIGNALS, STREAMS, TRIGGERS } from "./state.ts";

/** The directories whose changes a role may want to hear of. */
export const WATCHED = {
  supervisor: [INBOX, TRIGGERS, QUESTIONS, ...ROLES.map(resultsOf)],
  workers: [SIGNALS, ...ROLES.map(queueOf), ...ROLES.map(resultsOf)],
  gateway: [
    INBOX,
    TRIGGERS,
    QUESTIONS,
    ...ROLES.map(queueOf),
    ...ROLES.map(runningOf),
    ...ROLES.map(resultsOf),
    ARCHIVE,
    STREAMS,
  ],
} as const;

/**
 * Calls `onChange` soon after something changed in one of `dirs`.
 * @returns stops watching.
 */
export function watchState(
  home: string,
  dirs: readonly string[],
  onChange: (dir: string, name: string | null) => void,
): () => void {
  const watchers = dirs.map((dir) => {
    const watcher = watch(join(home, dir), { persistent: false }, (_event, name) => onChange(dir, name));
    // A watch that breaks costs speed only: the tick goes on looking.
    watcher.on("error", () => watcher.close());
    return watcher;
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}
