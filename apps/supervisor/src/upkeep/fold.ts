/**
 * Old months of the archive become one file each: the names stay known for ever, the directory stays small
 * (docs/file-protocol.md R3).
 */

import { turnId } from "@mimikit/protocol/base/id";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Archived, FoldHeader } from "@mimikit/protocol/records/archive";
import { directoryOf, type FileSystem } from "@mimikit/store/disk/file-system";
import { createOnce } from "@mimikit/store/disk/record";
import { ARCHIVE, archivePath, FOLDED, foldPath } from "@mimikit/store/disk/state";
import { archivedId, FOLD_BYTES_MAX, type Ledger } from "@mimikit/store/mirror/ledger";

const DAY_MS = 86_400_000;
/** More records of a month make another part. */
const FOLD_RECORDS_MAX = 20_000;
const FOLD_CHARS_MAX = FOLD_BYTES_MAX / 4;

/**
 * Folds every month that ended at least `foldDays` days ago. The highest turn is never folded. Cut off anywhere, it is
 * completed by the next call: the fold is created once, and a name goes only when it is in a durable fold.
 * @returns how many records left archive/.
 */
export async function foldArchive(fs: FileSystem, ledger: Ledger, nowMs: number, foldDays: number): Promise<number> {
  const months = await foldableMonths(fs, ledger, nowMs, foldDays);
  let folded = 0;
  for (const [month, ids] of months) {
    let left = await dropFolded(fs, ledger, ids);
    folded += ids.length - left.length;
    for (let part = 1; left.length > 0; part++) {
      const { inPart, unfoldable } = await foldPart(fs, month, part, left);
      await ledger.reload();
      for (const id of inPart) await fs.unlink(archivePath(id));
      folded += left.filter((id) => inPart.has(id)).length;
      left = left.filter((id) => !inPart.has(id) && !unfoldable.has(id));
    }
  }
  return folded;
}

/**
 * A name whose id is in a compacted file is a leftover of a compaction that was cut off, or was made once more by a
 * process that slept through all of it. The compaction that came first counts, so the name goes.
 * @returns the ids that no fold has.
 */
async function dropFolded(fs: FileSystem, ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  await ledger.reload();
  const again = ids.filter((id) => ledger.isFolded(id));
  if (again.length > 0) await fs.syncDir(FOLDED);
  for (const id of again) await fs.unlink(archivePath(id));
  return ids.filter((id) => !ledger.isFolded(id));
}

async function foldableMonths(
  fs: FileSystem,
  ledger: Ledger,
  nowMs: number,
  foldDays: number,
): Promise<Map<string, string[]>> {
  const months = new Map<string, string[]>();
  const newest = turnId(ledger.settledTurn);
  for (const name of (await fs.list(ARCHIVE)).sort()) {
    const id = archivedId(name);
    if (id === null || id === newest) continue;
    const info = await fs.info(archivePath(id));
    if (info === null) continue;
    const month = new Date(info.mtimeMs).toISOString().slice(0, 7);
    if (endOf(month) + foldDays * DAY_MS > nowMs) continue;
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
  unfoldable: ReadonlySet<string>;
}

/** Makes this part of the month, or finds the one that was made before. */
async function foldPart(fs: FileSystem, month: string, part: number, ids: string[]): Promise<Part> {
  const path = foldPath(month, part);
  const unfoldable = new Set<string>();
  if (!(await fs.exists(path))) {
    const lines = new Map<string, string>();
    let chars = 0;
    for (const id of ids) {
      if (lines.size >= FOLD_RECORDS_MAX || chars >= FOLD_CHARS_MAX) break;
      const line = await readLine(fs, id);
      if (line === null) unfoldable.add(id);
      else lines.set(id, line);
      chars += line?.length ?? 0;
    }
    if (lines.size === 0) return { inPart: new Set(), unfoldable };
    const header = FoldHeader.parse({ kind: "fold", month, ids: [...lines.keys()] });
    await createOnce(fs, path, `${JSON.stringify(header)}\n${[...lines.values()].join("\n")}\n`);
  }
  const text = (await fs.read(path, FOLD_BYTES_MAX)) ?? "";
  const made = parseRecord(FoldHeader, text.slice(0, text.indexOf("\n")), { bytes: FOLD_BYTES_MAX, depth: 4 });
  await fs.syncDir(directoryOf(path));
  return { inPart: new Set(made.ids), unfoldable };
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
