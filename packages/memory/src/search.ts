/**
 * Memory is plain Markdown, and searching it never needs an index: every source is read and scanned (SPEC E1, E5).
 * A hit is a paragraph or a list item, not a file, so that what is put before a role is what it asked for.
 */
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/error-code";
import { STOP_WORDS, tokenize } from "./tokenize.ts";

export const HITS_MAX = 5;
export const HIT_CHARS_MAX = 300;
/** Bounds of one search: what lies beyond is not read. The newest notes come first, so it is the oldest that are not. */
export const NOTES_MAX = 2_000;
export const DOCS_MAX = 300;
export const DOCS_DEPTH_MAX = 6;
export const SOURCE_BYTES_MAX = 1_048_576;

/** Characters kept before the first found word where a long text is cut. */
const LEAD_CHARS = 60;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const HEADING = /^#{1,6}\s+(.*?)[\s#]*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;
const MONTH_FILE = /^\d{4}-\d{2}\.md$/;
const DAY_FILE = /^(\d{4}-\d{2})-\d{2}\.md$/;
/** Codes with which the user's own files say "not for you": such a document is no reason to fail a turn. */
const NOT_READABLE = ["EACCES", "EPERM", "ELOOP"];

export interface MemoryHit {
  /** Where it was found: `memory.md`, `memory/2026-01-28-deploy.md`, `docs/conventions.md`. */
  source: string;
  text: string;
  /** Higher is better; comparable within one answer only. */
  score: number;
}

interface Unit {
  source: string;
  text: string;
  words: ReadonlySet<string>;
}

interface Source {
  name: string;
  path: string;
}

/**
 * The paragraphs and list items that share most words with `query`, rare words first, at most `limit` and each cut to
 * 300 characters. Equal ones keep the order of SPEC E1: long-term memory, notes, summaries, the workspace's documents.
 */
export async function searchMemory({
  home,
  workDir,
  query,
  limit = HITS_MAX,
}: {
  home: string;
  workDir: string;
  query: string;
  limit?: number;
}): Promise<MemoryHit[]> {
  const wanted = wordsToFind(query);
  if (wanted.length === 0) return [];
  const units: Unit[] = [];
  for (const source of await listSources(home, workDir)) units.push(...(await readUnits(source)));
  return rank(units, wanted).slice(0, limit);
}

/** Stop words only count where the query has nothing else. */
function wordsToFind(query: string): string[] {
  const words = [...new Set(tokenize(query))];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : words;
}

function rank(units: Unit[], wanted: string[]): MemoryHit[] {
  const weights = new Map(wanted.map((word) => [word, rarity(word, units)]));
  return units
    .map(({ source, text, words }) => {
      const found = wanted.filter((word) => words.has(word));
      const score = found.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
      return { source, text: excerpt(text, found), score };
    })
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score);
}

/** A word that few units have tells more; one that all have still tells something, so a single note can be found. */
function rarity(word: string, units: Unit[]): number {
  const holders = units.filter((unit) => unit.words.has(word)).length;
  return Math.log(1 + units.length / Math.max(holders, 1));
}

function excerpt(text: string, found: string[]): string {
  if (text.length <= HIT_CHARS_MAX) return text;
  const lower = text.toLowerCase();
  const first = Math.min(...found.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  const isInHead = !Number.isFinite(first) || first + LEAD_CHARS < HIT_CHARS_MAX;
  const start = isInHead ? 0 : first - LEAD_CHARS;
  const cut = text.slice(start, start + HIT_CHARS_MAX);
  return `${start > 0 ? "…" : ""}${cut}${start + HIT_CHARS_MAX < text.length ? "…[truncated]" : ""}`;
}

async function listSources(home: string, workDir: string): Promise<Source[]> {
  const notes = (await listMarkdown(join(home, "memory"))).reverse().slice(0, NOTES_MAX);
  const summaries = (await listMarkdown(join(home, "memory", "summary"))).reverse();
  const months = new Set(summaries.filter((name) => MONTH_FILE.test(name)).map((name) => name.slice(0, 7)));
  const shown = summaries.filter((name) => !months.has(DAY_FILE.exec(name)?.[1] ?? "")).slice(0, NOTES_MAX);
  return [
    { name: "memory.md", path: join(home, "memory.md") },
    ...notes.map((name) => ({ name: `memory/${name}`, path: join(home, "memory", name) })),
    ...shown.map((name) => ({ name: `memory/summary/${name}`, path: join(home, "memory", "summary", name) })),
    { name: "MEMORY.md", path: join(workDir, "MEMORY.md") },
    ...(await listDocuments(workDir)),
  ];
}

/** The Markdown files directly in `dir`, by name; names begin with dates, so the last is the newest. */
async function listMarkdown(dir: string): Promise<string[]> {
  const entries = await list(dir);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => entry.name)
    .sort();
}

/** The workspace's docs/, by name and not through links, so that two searches look at the same files. */
async function listDocuments(workDir: string): Promise<Source[]> {
  const documents: Source[] = [];
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
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", ...NOT_READABLE)) return [];
    throw error;
  }
}

async function readUnits({ name, path }: Source): Promise<Unit[]> {
  const text = await read(path);
  return splitUnits(text).map((unit) => ({ source: name, text: unit, words: new Set(tokenize(unit)) }));
}

async function read(path: string): Promise<string> {
  try {
    const info = await stat(path);
    return info.isFile() && info.size <= SOURCE_BYTES_MAX ? await readFile(path, "utf8") : "";
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", ...NOT_READABLE)) return "";
    throw error;
  }
}

/** Paragraphs and list items as one line each. A heading belongs to what follows it; comments are not for readers. */
export function splitUnits(markdown: string): string[] {
  const units: string[] = [];
  let heading = "";
  let lines: string[] = [];
  const close = () => {
    const text = lines.join(" ").trim();
    lines = [];
    if (text === "") return;
    units.push(heading === "" ? text : `${heading}: ${text}`);
    heading = "";
  };
  for (const line of markdown.replace(COMMENT, "").split(/\r?\n/)) {
    const title = HEADING.exec(line)?.[1];
    if (line.trim() === "" || title !== undefined || LIST_ITEM.test(line)) close();
    if (title !== undefined) heading = title;
    else lines.push(line.replace(LIST_ITEM, "").trim());
  }
  close();
  if (heading !== "") units.push(heading);
  return units;
}
