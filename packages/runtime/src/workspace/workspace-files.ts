/**
 * The files that conditions see (SPEC D1): for each path or glob a text that changes whenever the files do. Only names,
 * times and sizes are looked at, never what is inside. The state directory is not there: it changes with everything we
 * do. Nothing is watched and nothing looked at that no condition asks about.
 */
import { lstat, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { type ChangedFile, lookAtGlob, type PathPattern, type Pattern, readPattern, Unseen, unseen } from "./glob.ts";
import { PathWatch, type WatchedPath } from "./watch-paths.ts";

/** Between two walks of one glob, whatever changes meanwhile: a walk costs more than a look at one file. */
export const WALK_EVERY_MS_MIN = 250;
/** And this many times as long as the last walk took. */
const WALK_REST_FACTOR = 10;
/** Between two nudges, however many files change. */
const NUDGE_EVERY_MS_MIN = 100;
const STATS_AT_ONCE = 32;

export interface WorkspaceFilesOptions {
  workDir: string;
  /** The state directory. */
  home: string;
  /** With these, files are watched, and globs are only walked when something has changed. */
  watch?: {
    /** They are walked again after so many milliseconds all the same. */
    rereadMs: number;
    /** Something that was asked for may have changed. */
    onChange(): void;
    /** Something cannot be looked at, or not be watched: said once for as long as it is so. */
    onProblem(problem: string): void;
  };
}

/** A question under one name. */
interface Asked extends WatchedPath {
  /** The last walk's result and time; null before the first. */
  walked: { stamp: string | Unseen; changed: readonly ChangedFile[]; atMs: number; tookMs: number } | null;
  /** Something may have changed since it began. */
  isStale: boolean;
  /** Why it cannot be looked at, as it was said last; null where it can. */
  problem: string | null;
}

export class WorkspaceFiles {
  private readonly options: WorkspaceFilesOptions;
  private readonly watch: PathWatch | null;
  private readonly asked = new Map<string, Asked>();
  private nudge: { timer: NodeJS.Timeout; dueMs: number } | null = null;
  private nudgedMs = Number.NEGATIVE_INFINITY;
  /** The state directory, under all names that are known of it. */
  private homes: readonly string[] | null = null;

  constructor(options: WorkspaceFilesOptions) {
    const { watch } = options;
    this.options = options;
    this.watch =
      watch === undefined
        ? null
        : new PathWatch({
            isHidden: (path) => this.isState(path),
            onChange: (name) => this.noteChange(name),
            onProblem: watch.onProblem,
          });
  }

  /**
   * The stamps of these paths and globs, "" where there is nothing; what cannot be looked at now is left out. A question
   * of an earlier call that is not repeated is forgotten. Never throws for what the disk says.
   */
  async stampsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    this.homes ??= await this.namesOfHome();
    this.remember(paths);
    const stamps = new Map<string, string>();
    const entries = [...this.asked];
    for (let i = 0; i < entries.length; i += STATS_AT_ONCE) {
      const some = entries.slice(i, i + STATS_AT_ONCE);
      const seen = await Promise.all(some.map(([, each]) => this.look(each)));
      for (const [k, [name, each]] of some.entries()) {
        const stamp = seen[k];
        if (typeof stamp === "string") stamps.set(name, stamp);
        this.report(name, each, stamp instanceof Unseen ? stamp.message : null);
      }
    }
    // A tree too large to walk is too large to watch. Changes before a watch begins are seen by the read after it.
    this.watch?.follow(new Map(entries.filter(([name]) => stamps.has(name))));
    return stamps;
  }

  /**
   * The files of this path or glob that changed after a moment, newest first, relative to the workspace where they are in it. A file that
   * is asked for by its own path is always one of them. @param sinceMs milliseconds since the epoch.
   */
  changedSince(name: string, sinceMs: number): string[] {
    const asked = this.asked.get(name);
    if (asked === undefined || asked.pattern === null) return [name];
    const changed = asked.walked?.changed.filter(({ atMs }) => atMs > sinceMs) ?? [];
    return changed.map(({ path }) => this.shown(join(asked.path, path)));
  }

  private shown(path: string): string {
    const below = relative(this.options.workDir, path);
    return isBelow(this.options.workDir, path) ? below.split(sep).join("/") : path;
  }

  /** Has something changed below this glob since the walk that its stamp is from? The next walk is put off then; a file is looked at each time. */
  isMoving(path: string): boolean {
    const asked = this.asked.get(path);
    return asked !== undefined && asked.pattern !== null && asked.isStale;
  }

  /** Stops all watches, and sends no notice. */
  async close(): Promise<void> {
    clearTimeout(this.nudge?.timer);
    await this.watch?.close();
  }

  private remember(paths: readonly string[]): void {
    const names = new Set(paths);
    for (const name of this.asked.keys()) if (!names.has(name)) this.asked.delete(name);
    for (const name of names) {
      if (this.asked.has(name)) continue;
      const { base, pattern } = readPattern(name);
      this.asked.set(name, { path: this.absolute({ base }), pattern, walked: null, isStale: false, problem: null });
    }
  }

  private absolute({ base }: Pick<PathPattern, "base">): string {
    return isAbsolute(base) ? join(base) : join(this.options.workDir, base);
  }

  private async look(asked: Asked): Promise<string | Unseen> {
    const { pattern, walked } = asked;
    if (pattern !== null && walked !== null && !this.isWalkDue(asked, walked)) return walked.stamp;
    const path = await nameOf(asked.path);
    if (path instanceof Unseen) return path;
    // A link to the state directory leads nowhere, either.
    if (this.isState(asked.path) || this.isState(path)) return "";
    return pattern === null ? stampOfPath(path) : this.walk(asked, path, pattern);
  }

  private isWalkDue({ isStale }: Asked, { atMs, tookMs }: NonNullable<Asked["walked"]>): boolean {
    const { watch } = this.options;
    const sinceMs = performance.now() - atMs;
    const restMs = Math.max(WALK_EVERY_MS_MIN, tookMs * WALK_REST_FACTOR);
    const isWanted = watch === undefined || isStale || sinceMs >= watch.rereadMs;
    if (isWanted && sinceMs < restMs) this.nudgeIn(restMs - sinceMs);
    return isWanted && sinceMs >= restMs;
  }

  private async walk(asked: Asked, path: string, pattern: Pattern): Promise<string | Unseen> {
    const startMs = performance.now();
    // Changes during a walk may be on either side of it: it walks again.
    asked.isStale = false;
    let seen: { stamp: string | Unseen; changed: readonly ChangedFile[] };
    try {
      seen = await lookAtGlob(path, pattern, (each) => this.isState(each));
    } catch (error) {
      if (!(error instanceof Unseen)) throw error;
      seen = { stamp: error, changed: [] };
    }
    const atMs = performance.now();
    asked.walked = { ...seen, atMs, tookMs: atMs - startMs };
    return seen.stamp;
  }

  private noteChange(name: string): void {
    const asked = this.asked.get(name);
    if (asked === undefined) return;
    asked.isStale = true;
    this.nudgeIn(0);
  }

  /** The first of many changes is told at once, and the others together. */
  private nudgeIn(ms: number): void {
    const { watch } = this.options;
    const nowMs = performance.now();
    const dueMs = Math.max(nowMs + ms, this.nudgedMs + NUDGE_EVERY_MS_MIN);
    if (watch === undefined || (this.nudge !== null && this.nudge.dueMs <= dueMs)) return;
    clearTimeout(this.nudge?.timer);
    const tell = () => {
      this.nudge = null;
      this.nudgedMs = performance.now();
      watch.onChange();
    };
    this.nudge = { dueMs, timer: setTimeout(tell, dueMs - nowMs).unref() };
  }

  private report(name: string, asked: Asked, problem: string | null): void {
    if (problem !== null && problem !== asked.problem)
      this.options.watch?.onProblem(`the condition on ${JSON.stringify(name)} is not known to hold: ${problem}`);
    asked.problem = problem;
  }

  private isState(path: string): boolean {
    return (this.homes ?? [this.options.home]).some((home) => isBelow(home, path));
  }

  private async namesOfHome(): Promise<string[]> {
    const { home } = this.options;
    const name = await nameOf(home);
    if (name instanceof Unseen) throw name;
    return [home, name];
  }
}

/** The real name of a path; what is not there has none but its own, and so has what the next look will say more of. */
async function nameOf(path: string): Promise<string | Unseen> {
  try {
    return await realpath(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG")) return path;
    return unseen(path, error);
  }
}

async function stampOfPath(path: string): Promise<string | Unseen> {
  try {
    const info = await stat(path);
    return `${info.mtimeMs}-${info.size}-${info.ino}`;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return stampOfLink(path);
    return unseen(path, error);
  }
}

/** Nothing is at the end of the path; it may be a link that leads nowhere. */
async function stampOfLink(path: string): Promise<string | Unseen> {
  try {
    await lstat(path);
    return "dangling";
  } catch (error) {
    return hasCode(error, "ENOENT", "ENOTDIR") ? "" : unseen(path, error);
  }
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}
