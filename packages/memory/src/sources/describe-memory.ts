/** Describes memory: how many files of each kind, which of them are the newest, and how it is searched. */
import type { MemoryStatus } from "@mimikit/protocol/wire/api";
import { hasRipgrep } from "./grep.ts";
import type { MemoryPlace } from "./memory-query.ts";
import { listReadable, measureSource, TOLD } from "./sources.ts";

/** In the order of SPEC E1. A source is of the first kind that it fits: its name, or the beginning of it. */
const KINDS = [...TOLD, "memory.md", "memory/summary/", "memory/", "MEMORY.md", "docs/"] as const;
const SHOWN = [...TOLD, "memory.md", "memory/", "memory/summary/", "MEMORY.md", "docs/"] as const;
const MONTH_SUMMARY = /^memory\/summary\/\d{4}-\d{2}\.md$/;

export type DescribedMemory = Pick<MemoryStatus, "sources" | "newestNote" | "newestSummaries" | "hasRipgrep">;

/** Throws what the disk throws, but for files that are not there or not for us. */
export async function describeMemory(place: MemoryPlace): Promise<DescribedMemory> {
  const counts = new Map(SHOWN.map((source) => [source, { source, files: 0, bytes: 0 }]));
  const names: string[] = [];
  for (const source of await listReadable(place)) {
    const bytes = (await measureSource(source))?.bytes ?? null;
    const kind = KINDS.find((each) => source.name.startsWith(each));
    const count = kind === undefined ? undefined : counts.get(kind);
    if (bytes === null || count === undefined) continue;
    names.push(source.name);
    count.files++;
    count.bytes += bytes;
  }
  const newest = (isMeant: (name: string) => boolean) => names.filter(isMeant).sort().at(-1);
  const isSummary = (name: string) => name.startsWith("memory/summary/");
  const month = newest((name) => MONTH_SUMMARY.test(name));
  const day = newest((name) => isSummary(name) && !MONTH_SUMMARY.test(name));
  return {
    sources: [...counts.values()].filter(({ files }) => files > 0),
    newestNote: newest((name) => name.startsWith("memory/") && !isSummary(name)) ?? null,
    newestSummaries: [day, month].filter((name) => name !== undefined),
    hasRipgrep: await hasRipgrep(),
  };
}
