/**
 * Notifications for the paths that conditions ask about, and for no others. They are only speed: what is there is looked
 * at anyway, and a watch that cannot be had costs nothing but that.
 */
import { basename, relative, sep } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { type FSWatcher, watch } from "chokidar";
import { GLOB_DEPTH_MAX, isWalked, type Pattern } from "./glob.ts";

/** More paths are looked at without notifications. */
export const WATCHED_PATHS_MAX = 256;

export interface WatchedPath {
  /** Absolute: what is watched, and what is below it. */
  path: string;
  /** The pattern that counts; null if that is the path itself. */
  pattern: Pattern | null;
}

export interface PathWatchOptions {
  /** Directories whose changes are irrelevant. */
  isHidden(path: string): boolean;
  /** Something asked for under this name may have changed. */
  onChange(name: string): void;
  /** Said once for each reason. */
  onProblem(problem: string): void;
}

export class PathWatch {
  private readonly options: PathWatchOptions;
  /** By the name that was asked for; null where there is none to be had. */
  private readonly watchers = new Map<string, FSWatcher | null>();
  private readonly closing = new Set<Promise<void>>();
  private readonly told = new Set<string>();

  constructor(options: PathWatchOptions) {
    this.options = options;
  }

  /** Watches these, by the names that changes are told under, and whatever was watched before no more. */
  follow(targets: ReadonlyMap<string, WatchedPath>): void {
    for (const name of this.watchers.keys()) if (!targets.has(name)) this.drop(name);
    for (const [name, target] of targets) {
      if (this.watchers.has(name) || this.options.isHidden(target.path)) continue;
      if (this.watchers.size < WATCHED_PATHS_MAX) this.watchers.set(name, this.open(name, target));
      else this.tell(`more than ${WATCHED_PATHS_MAX} paths; the others are found out about a little later`);
    }
  }

  /** Resolves when nothing is watched any more. */
  async close(): Promise<void> {
    for (const name of this.watchers.keys()) this.drop(name);
    await Promise.all(this.closing);
  }

  private open(name: string, { path, pattern }: WatchedPath): FSWatcher {
    const { isHidden, onChange } = this.options;
    const watcher = watch(path, {
      ignored: (each, info) => isHidden(each) || (pattern !== null && isLeftOut(path, each, pattern, info)),
      // A path that is a directory changes with the names in it.
      depth: pattern === null ? 0 : Math.min(pattern.levels, GLOB_DEPTH_MAX),
      followSymlinks: pattern === null,
      ignoreInitial: true,
      ignorePermissionErrors: true,
      persistent: false,
      // Waiters want a change at once; that one file replaces another is a change, too.
      atomic: false,
    });
    watcher.on("all", () => onChange(name));
    // Between the last look and now something may have changed.
    watcher.on("ready", () => onChange(name));
    watcher.on("error", (problem) => {
      const error = problem instanceof Error ? problem : new Error(String(problem));
      if (this.watchers.get(name) !== watcher) return;
      const code = "code" in error ? String(error.code) : error.message;
      const hint = hasCode(error, "ENOSPC", "EMFILE") ? ", the system has no room for more" : "";
      this.tell(`${code}${hint}; changes are found out about a little later`);
      this.drop(name);
      // It stays without one for as long as it is asked for: the next one would fail like this.
      this.watchers.set(name, null);
    });
    return watcher;
  }

  private drop(name: string): void {
    const watcher = this.watchers.get(name);
    this.watchers.delete(name);
    if (watcher === null || watcher === undefined) return;
    const closed = watcher.close().finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }

  private tell(problem: string): void {
    if (this.told.has(problem)) return;
    this.told.add(problem);
    this.options.onProblem(`files cannot be watched: ${problem}`);
  }
}

/** Paths that no walk would reach, or count. `info` is not always known. */
function isLeftOut(
  base: string,
  path: string,
  pattern: Pattern,
  info: { isDirectory(): boolean; isFile(): boolean } | undefined,
): boolean {
  const below = relative(base, path).replaceAll(sep, "/");
  if (below === "" || below.startsWith("../") || below === "..") return false;
  if (info?.isFile() === true) return !pattern.isMatch(below);
  const isDirectory = info?.isDirectory() === true;
  return isDirectory && !isWalked(basename(path), below.split("/").length, pattern);
}
