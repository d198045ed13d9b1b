/**
 * Old months of the archive become one file each: the names stay known for ever, the directory stays small
 * (docs/file-protocol.md R3).
 */

import { turnId } from "@mimikit/protocol/base/id";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Archived, CompactedHeader } from "@mimikit/protocol/records/archive";
import { directoryOf, type FileSystem } from "@mimikit/store/disk/file-system";
import { createOnce } from "@mimikit/store/disk/record";
import { ARCHIVE, archivePath, COMPACTED, compactedPath } from "@mimikit/store/disk/state";
import { type ArchiveIndex, archivedId, COMPACTED_BYTES_MAX } from "@mimikit/store/state-cache/archive-index";

const DAY_MS = 86_400_000;
/** More records of a month make another part. */
const COMPACTED_RECORDS_MAX = 20_000;
const COMPACTED_CHARS_MAX = COMPACTED_BYTES_MAX / 4;

/**
 * Compacts every month that ended at least `minDays` days ago. The highest turn is never compacted. Cut off anywhere, it is
 * completed by the next call: the compacted file is created once, and a name goes only when it is in a durable compacted file.
 * @returns how many records left archive/.
 */
export async function compactArchive(
  fs: FileSystem,
  archiveIndex: ArchiveIndex,
  nowMs: number,
  minDays: number,
): Promise<number> {
  const months = await monthsToCompact(fs, archiveIndex, nowMs, minDays);
  let compacted = 0;
  for (const [month, ids] of months) {
    let left = await dropCompacted(fs, archiveIndex, ids);
    compacted += ids.length - left.length;
    for (let part = 1; left.length > 0; part++) {
      const { inPart, leftOut } = await compactPart(fs, month, part, left);
      await archiveIndex.reload();
      for (const id of inPart) await fs.unlink(archivePath(id));
      compacted += left.filter((id) => inPart.has(id)).length;
      left = left.filter((id) => !inPart.has(id) && !leftOut.has(id));
    }
  }
  return compacted;
}

/**
 * A name whose id is in a compacted file is a leftover of a compaction that was cut off, or was made once more by a
 * process that slept through all of it. The compaction that came first counts, so the name goes.
 * @returns the ids that no compacted file has.
 */
async function dropCompacted(fs: FileSystem, archiveIndex: ArchiveIndex, ids: readonly string[]): Promise<string[]> {
  await archiveIndex.reload();
  const again = ids.filter((id) => archiveIndex.isCompacted(id));
  if (again.length > 0) await fs.syncDir(COMPACTED);
  for (const id of again) await fs.unlink(archivePath(id));
  return ids.filter((id) => !archiveIndex.isCompacted(id));
}

async function monthsToCompact(
  fs: FileSystem,
  archiveIndex: ArchiveIndex,
  nowMs: number,
  minDays: number,
): Promise<Map<string, string[]>> {
  const months = new Map<string, string[]>();
  const newest = turnId(archiveIndex.settledTurn);
  for (const name of (await fs.list(ARCHIVE)).sort()) {
    const id = archivedId(name);
    if (id === null || id === newest) continue;
    const info = await fs.info(archivePath(id));
    if (info === null) continue;
    const month = new Date(info.mtimeMs).toISOString().slice(0, 7);
    if (endOf(month) + minDays * DAY_MS > nowMs) continue;
    const ids = months.get(month) ?? [];
    ids.push(id);
    months.set(month, ids);
  }
  return months;
}

function endOf(month: string): number {
  const [year, number] = month.split("-").map(Number);
  return Date.UTC(year ?? 0, number ?? 0, 1);
}

interface Part {
  /** The ids in this part, whichever process made it. */
  inPart: ReadonlySet<string>;
  /** Damaged records keep their names (docs/file-protocol.md R7); vanished ones are in another process's compacted file. */
  leftOut: ReadonlySet<string>;
}

/** Makes this part of the month, or finds the one that was made before. */
async function compactPart(fs: FileSystem, month: string, part: number, ids: string[]): Promise<Part> {
  const path = compactedPath(month, part);
  const leftOut = new Set<string>();
  if (!(await fs.exists(path))) {
    const lines = new Map<string, string>();
    let chars = 0;
    for (const id of ids) {
      if (lines.size >= COMPACTED_RECORDS_MAX || chars >= COMPACTED_CHARS_MAX) break;
      const line = await readLine(fs, id);
      if (line === null) leftOut.add(id);
      else lines.set(id, line);
      chars += line?.length ?? 0;
    }
    if (lines.size === 0) return { inPart: new Set(), leftOut };
    const header = CompactedHeader.parse({ kind: "fold", month, ids: [...lines.keys()] });
    await createOnce(fs, path, `${JSON.stringify(header)}\n${[...lines.values()].join("\n")}\n`);
  }
  const text = (await fs.read(path, COMPACTED_BYTES_MAX)) ?? "";
  const made = parseRecord(CompactedHeader, text.slice(0, text.indexOf("\n")), {
    bytes: COMPACTED_BYTES_MAX,
    depth: 4,
  });
  await fs.syncDir(directoryOf(path));
  return { inPart: new Set(made.ids), leftOut };
}

/** A record as one line; null when there is none, or when it is damaged. */
async function readLine(fs: FileSystem, id: string): Promise<string | null> {
  try {
    const text = await fs.read(archivePath(id));
    return text === null ? null : JSON.stringify(parseRecord(Archived, text));
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}
