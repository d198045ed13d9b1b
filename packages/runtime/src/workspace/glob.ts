/**
 * A glob as a condition has it (SPEC D1): where it begins, how deep it looks, what it matches; and a walk that comes to
 * an end however large the place is. `*`, `?`, `[a-z]` and `{a,b}` stay within one name, `**` is any number of
 * directories; a name that begins with a dot is matched only where the glob says the dot.
 */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import picomatch from "picomatch";
import { matchGlob } from "./match-glob.ts";

/** Files that one glob may match. */
export const GLOB_FILES_MAX = 5_000;
/** Names that are looked at to find them. */
export const GLOB_ENTRIES_MAX = 20_000;
/** Directories below the one that a glob begins in. */
export const GLOB_DEPTH_MAX = 32;
/** Directories skipped by default: huge and irrelevant; a glob sees them only if it begins inside of one. */
const SKIPPED_DIRECTORIES = ["node_modules", ".git"];
const STATS_AT_ONCE = 32;
const STAMP_CHARS = 32;

/** Groups of patterns are left out: they are rare in globs, and common in names. */
const SYNTAX = { nonegate: true, noparen: true, unescape: true };
/** A dot at the beginning of a name, also within a choice. */
const SAYS_DOT = /(?:^|[/{,[\\])\./;

/** The path of a condition. `pattern` is null for a plain path. */
export interface PathPattern {
  /** The path, or the directory that the glob begins in; relative to the workspace, or absolute. */
  base: string;
  pattern: Pattern | null;
}

export interface Pattern {
  /** How many directories below `base` it may look into, one in the other. */
  levels: number;
  /** It may match in directories whose names begin with a dot. */
  seesHidden: boolean;
  /** @param path below `base`, divided by `/`. */
  isMatch(path: string): boolean;
}

/** It cannot be said what is there; the message says why. */
export class Unseen extends Error {}

/** Reads what stands in a condition. A name with brackets in it is matched by itself, too. */
export function readPattern(path: string): PathPattern {
  const { base, glob, isGlob } = picomatch.scan(path, SYNTAX);
  if (!isGlob) return { base, pattern: null };
  const isMatch = matchGlob(glob);
  return {
    base,
    pattern: {
      levels: glob.includes("**") ? Number.POSITIVE_INFINITY : glob.split("/").length - 1,
      seesHidden: SAYS_DOT.test(glob),
      isMatch: (below) => below === glob || isMatch(below),
    },
  };
}

/** May this directory, `depth` below the one that the glob begins in, hold what it matches? */
export function isWalked(name: string, depth: number, { levels, seesHidden }: Pattern): boolean {
  if (SKIPPED_DIRECTORIES.includes(name) || depth > levels) return false;
  return seesHidden || !name.startsWith(".");
}

interface Directory {
  path: string;
  /** Below the base, with a `/` at its end; empty for the base itself. */
  below: string;
  depth: number;
}

/** Files of a glob whose last change is known, at most. */
const CHANGED_MAX = 100;

/** A file, and when its content or its name last changed, milliseconds since the epoch. */
export interface ChangedFile {
  path: string;
  atMs: number;
}

export interface GlobLook {
  /** A text that changes whenever a file that the glob matches is created, written or removed; "" where it matches none. */
  stamp: string;
  /** The files that changed last, below the base, newest first. */
  changed: ChangedFile[];
}

/**
 * The files that a glob matches.
 * Links to directories are not followed. Throws `Unseen` where there is too much to see, or something cannot be read.
 * @param isHidden directories that are not there for conditions.
 */
export async function lookAtGlob(
  base: string,
  pattern: Pattern,
  isHidden: (path: string) => boolean,
): Promise<GlobLook> {
  const found: { below: string; path: string; isLink: boolean }[] = [];
  const waiting: Directory[] = [{ path: base, below: "", depth: 0 }];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await entriesOf(next.path);
    seen += entries.length;
    if (seen > GLOB_ENTRIES_MAX) throw new Unseen(`it would have to look at more than ${GLOB_ENTRIES_MAX} names`);
    for (const entry of entries) {
      const path = join(next.path, entry.name);
      const below = next.below + entry.name;
      if (entry.isDirectory()) {
        const depth = next.depth + 1;
        if (!isWalked(entry.name, depth, pattern) || isHidden(path)) continue;
        if (depth > GLOB_DEPTH_MAX)
          throw new Unseen(`it would have to look more than ${GLOB_DEPTH_MAX} directories deep`);
        waiting.push({ path, below: `${below}/`, depth });
      } else if ((entry.isFile() || entry.isSymbolicLink()) && pattern.isMatch(below)) {
        found.push({ below, path, isLink: entry.isSymbolicLink() });
        if (found.length > GLOB_FILES_MAX) throw new Unseen(`it matches more than ${GLOB_FILES_MAX} files`);
      }
    }
  }
  const seenFiles: (ChangedFile & { stamp: string })[] = [];
  for (let i = 0; i < found.length; i += STATS_AT_ONCE)
    seenFiles.push(...(await Promise.all(found.slice(i, i + STATS_AT_ONCE).map(lookAtMatch))).flat());
  if (seenFiles.length === 0) return { stamp: "", changed: [] };
  const stamps = seenFiles.map(({ stamp }) => stamp).sort();
  const stamp = createHash("sha256").update(stamps.join("\0")).digest("hex").slice(0, STAMP_CHARS);
  const newest = seenFiles.sort((a, b) => b.atMs - a.atMs || (a.path < b.path ? -1 : 1)).slice(0, CHANGED_MAX);
  return { stamp, changed: newest.map(({ path, atMs }) => ({ path, atMs })) };
}

/** A directory that is not there, or is none any more, is empty. */
async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw unseen(directory, error);
  }
}

/** One, or none where there is no such file. */
async function lookAtMatch({ below, path, isLink }: { below: string; path: string; isLink: boolean }) {
  try {
    const info = await stat(path);
    if (info.isDirectory()) return [];
    const { mtimeMs, ctimeMs, size, ino } = info;
    return [{ path: below, atMs: Math.max(mtimeMs, ctimeMs), stamp: `${below} ${mtimeMs}-${size}-${ino}` }];
  } catch (error) {
    // A link that leads nowhere is there; a file that is gone meanwhile is not.
    if (hasCode(error, "ENOENT", "ENOTDIR"))
      return isLink ? [{ path: below, atMs: 0, stamp: `${below} dangling` }] : [];
    throw unseen(path, error);
  }
}

/** The disk's error about a path, as a reason. */
export function unseen(path: string, error: unknown): Unseen {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return new Unseen(`${path} cannot be read (${code})`);
}
