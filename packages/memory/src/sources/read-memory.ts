/** Memory as people read it: its files by name, and the text of one. */
import type { MemoryFile, MemoryText } from "@mimikit/protocol/wire/api";
import type { MemoryPlace } from "./memory-query.ts";
import { listReadable, measureSource, readSource } from "./sources.ts";

/** Throws what the disk throws, but for files that are not there or not for us. */
export async function listMemory(place: MemoryPlace): Promise<MemoryFile[]> {
  const files: MemoryFile[] = [];
  for (const source of await listReadable(place)) {
    const size = await measureSource(source);
    if (size !== null) files.push({ name: source.name, bytes: size.bytes, changedAt: momentOf(size.changedMs) });
  }
  return files;
}

/**
 * @param name as `listMemory` says it: whatever else a path may say is no name.
 * @returns null where there is no such file, or one that no search reads: a link, or more than 1 MB.
 */
export async function readMemory(place: MemoryPlace, name: string): Promise<MemoryText | null> {
  const source = (await listReadable(place)).find((each) => each.name === name);
  const read = source === undefined ? null : await readSource(source);
  if (read === null) return null;
  return { name, bytes: Buffer.byteLength(read.text), changedAt: momentOf(read.changedMs), text: read.text };
}

const momentOf = (ms: number) => new Date(ms).toISOString();
