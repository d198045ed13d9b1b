/**
 * The files that memory is made of, in the order of SPEC E1: long-term, notes, summaries, the workspace's documents. Small metadata
 * calls are synchronous, as in the store.
 */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { PERSONA_PATH, PROFILE_PATH } from "@mimikit/store/disk/state";
import type { MemoryPlace, MemoryQuery } from "./memory-query.ts";

/** Bounds of one search: what lies beyond is not read. The newest notes come first, so it is the oldest that are not. */
export const NOTES_MAX = 2_000;
export const DOCS_MAX = 300;
export const DOCS_DEPTH_MAX = 6;
export const SOURCE_BYTES_MAX = 1_048_576;

const DATED = /(?:^|\/)(\d{4}-\d{2})(-\d{2})?(?!\d)[^/]*$/;
/** Codes with which the user's own files say "not for you": such a document is no reason to fail a search. */
const NOT_READABLE = ["EACCES", "EPERM", "ELOOP"];

export interface MemorySource {
  /** As a hit names it: `memory/2026-01-28-deploy.md`. */
  name: string;
  path: string;
}

/** The days that a source is about, `YYYY-MM-DD`. */
export interface Days {
  first: string;
  last: string;
}

/** Facts about the user and the assistant: every turn gets all of them, so that no search looks at them. */
export const TOLD = [PROFILE_PATH, PERSONA_PATH] as const;

/** All files that people may read as memory: what is told, and what is searched. */
export async function listReadable(place: MemoryPlace): Promise<MemorySource[]> {
  const told = TOLD.map((name) => ({ name, path: join(place.home, name) }));
  return [...told, ...(await listSources(place))];
}

/** Summarised files are gone: a day that stands beside the summary of its month is not in there yet. */
export async function listSources({ home, workDir }: MemoryPlace): Promise<MemorySource[]> {
  const [notes, summaries, documents] = await Promise.all([
    listNewest(join(home, "memory")),
    listNewest(join(home, "memory", "summary")),
    listDocuments(workDir),
  ]);
  return [
    { name: "memory.md", path: join(home, "memory.md") },
    ...notes.map((name) => ({ name: `memory/${name}`, path: join(home, "memory", name) })),
    ...summaries.map((name) => ({ name: `memory/summary/${name}`, path: join(home, "memory", "summary", name) })),
    { name: "MEMORY.md", path: join(workDir, "MEMORY.md") },
    ...documents,
  ];
}

/** Is there anything to search? */
export async function hasSources(place: MemoryPlace): Promise<boolean> {
  const sources = await listSources(place);
  if (sources.length > 2) return true;
  return (await Promise.all(sources.map(measureSource))).some((size) => size !== null);
}

/** Is there more than the two files of long-term memory? */
export async function hasNotes(place: MemoryPlace): Promise<boolean> {
  return (await listSources(place)).length > 2;
}

/** The text of a source and when it was changed; null where there is none, or it is a link, too large, or not for us. */
export async function readSource(source: MemorySource): Promise<{ text: string; changedMs: number } | null> {
  try {
    const size = await measureSource(source);
    if (size === null || size.bytes > SOURCE_BYTES_MAX) return null;
    return { text: await readFile(source.path, "utf8"), changedMs: size.changedMs };
  } catch (error) {
    if (isNoSource(error)) return null;
    throw error;
  }
}

/** The size of a source in bytes and when it was changed; null where there is none, or it is a link, or not for us. */
export async function measureSource({ path }: MemorySource): Promise<{ bytes: number; changedMs: number } | null> {
  try {
    const info = lstatSync(path);
    return info.isFile() ? { bytes: info.size, changedMs: info.mtimeMs } : null;
  } catch (error) {
    if (isNoSource(error)) return null;
    throw error;
  }
}

/** A text that changes whenever the file does. Null where there is no such file, or it is not for us. */
export function stampOf(path: string): string | null {
  try {
    const info = lstatSync(path, { throwIfNoEntry: false });
    return info === undefined ? null : `${info.ino} ${info.size} ${info.mtimeMs} ${info.ctimeMs}`;
  } catch (error) {
    if (isNoSource(error)) return null;
    throw error;
  }
}

/** Does `error` say that there is no such file, or that it is not for us? */
export function isNoSource(error: unknown): boolean {
  return hasCode(error, "ENOENT", "ENOTDIR", ...NOT_READABLE);
}

/** By the date in its name, which may be a whole month, or else by its last change (in UTC). */
export function daysOf(name: string, changedMs: number): Days {
  const [, month, day] = DATED.exec(name) ?? [];
  if (month === undefined) {
    const changed = new Date(changedMs).toISOString().slice(0, 10);
    return { first: changed, last: changed };
  }
  // No month has a day 99, and dates are compared as text.
  return day === undefined ? { first: `${month}-01`, last: `${month}-99` } : { first: month + day, last: month + day };
}

/** Does the query leave this source in? */
export function isAskedFor(name: string, days: Days, { sources, after, before }: MemoryQuery): boolean {
  if (after !== undefined && days.last < after) return false;
  if (before !== undefined && days.first > before) return false;
  return sources === undefined || sources.some((prefix) => name.startsWith(prefix));
}

/** The Markdown files directly in `dir`, the newest first, because their names begin with dates. */
async function listNewest(dir: string): Promise<string[]> {
  const entries = await list(dir);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => entry.name)
    .sort()
    .reverse()
    .slice(0, NOTES_MAX);
}

/** The workspace's docs/, by name and not through links, so that two searches look at the same files. */
async function listDocuments(workDir: string): Promise<MemorySource[]> {
  const documents: MemorySource[] = [];
  async function descend(name: string, depth: number): Promise<void> {
    const entries = await list(join(workDir, name));
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (documents.length >= DOCS_MAX || entry.name.startsWith(".")) continue;
      const below = `${name}/${entry.name}`;
      if (entry.isDirectory() && depth < DOCS_DEPTH_MAX) await descend(below, depth + 1);
      else if (entry.isFile() && entry.name.endsWith(".md"))
        documents.push({ name: below, path: join(workDir, below) });
    }
  }
  await descend("docs", 1);
  return documents;
}

async function list(dir: string): Promise<Dirent[]> {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (isNoSource(error)) return [];
    throw error;
  }
}
