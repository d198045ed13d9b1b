/** A nudge when a record may have come: only speed, never the truth, because the kernel drops events silently. */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { Role } from "@mimikit/protocol/base/role";
import { hasCode } from "./error-code.ts";
import { directoryOf } from "./file-system.ts";
import {
  ARCHIVE,
  DIRECTORIES,
  HOOKS,
  INBOX,
  POOLS,
  QUESTIONS,
  queueOf,
  resultsOf,
  runningOf,
  SIGNALS,
  STREAMS,
  TRIGGERS,
} from "./state.ts";

/** The directories whose changes a role may want to hear of. */
export const WATCHED = {
  supervisor: [INBOX, TRIGGERS, QUESTIONS, ...Role.options.map(runningOf), ...Role.options.map(resultsOf)],
  workers: [TRIGGERS, QUESTIONS, SIGNALS, ...Role.options.map(queueOf), ...Role.options.map(resultsOf), HOOKS],
  gateway: [
    INBOX,
    TRIGGERS,
    QUESTIONS,
    ...Role.options.map(queueOf),
    ...Role.options.map(runningOf),
    ...Role.options.map(resultsOf),
    ARCHIVE,
    STREAMS,
  ],
  dispatcher: [SIGNALS, queueOf("worker"), runningOf("worker"), resultsOf("worker"), POOLS],
  channels: [QUESTIONS, queueOf("teller"), runningOf("teller"), resultsOf("teller"), ARCHIVE],
} as const;

/** The directories in which those of the state are. */
const PARENTS: ReadonlySet<string> = new Set(DIRECTORIES.map(directoryOf));

/** So long after the last of them, a removal one by one is over. */
const REMOVAL_QUIET_MS = 100;

export interface StateWatchOptions {
  /** Something changed in `dir`, or may have. */
  onChange(dir: string, name: string | null): void;
  /** A directory of the state was removed, or is there again. Its watches are renewed when this returns. */
  onReplaced(): void;
  /** The system has no notifications left (inotify's limits). That costs speed only: the tick goes on looking. */
  onProblem(error: unknown): void;
}

/**
 * Calls back soon after something changed in one of `dirs`, and after any directory of the state came or went: a watch of a
 * directory that was removed hears nothing of the one that takes its place.
 * @returns stops watching.
 */
export function watchState(
  home: string,
  dirs: readonly string[],
  { onChange, onReplaced, onProblem }: StateWatchOptions,
): () => void {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  function watchOne(dir: string, onEvent: (event: string, name: string | null) => void): void {
    try {
      const watcher = watch(join(home, dir), { persistent: false }, onEvent);
      // A watch that breaks costs speed only: the tick goes on looking.
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch (error) {
      // It is not there just now; that it is there again is heard from the directory above it.
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  function watchAll(): void {
    for (const watcher of watchers.splice(0)) watcher.close();
    try {
      for (const dir of dirs) watchOne(dir, (_event, name) => onChange(dir, name));
      for (const parent of PARENTS)
        watchOne(parent, (event, name) => {
          const path = parent === "." ? `${name}` : `${parent}/${name}`;
          // One that is watched need not be there from the start.
          if (event !== "rename" || !(DIRECTORIES.includes(path) || dirs.includes(path))) return;
          clearTimeout(timer);
          timer = setTimeout(watchAnew, REMOVAL_QUIET_MS).unref();
        });
    } catch (error) {
      onProblem(error);
    }
  }

  function watchAnew(): void {
    onReplaced();
    watchAll();
    // Changes before it was watched.
    for (const dir of dirs) onChange(dir, null);
  }

  watchAll();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
