/** Old months of the archive become one file each: the names stay known for ever, the directory stays small (PROTOCOL R3). */
import { FoldHeader } from "@mimikit/protocol/archive";
import { turnId } from "@mimikit/protocol/id";
import { parseRecord } from "@mimikit/protocol/json";
import type { FileSystem } from "@mimikit/store/file-system";
import { FOLD_BYTES_MAX, type Ledger } from "@mimikit/store/ledger";
import { createOnce } from "@mimikit/store/record";
import { ARCHIVE, archivePath, foldPath } from "@mimikit/store/state";

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
    let left = ids;
    for (let part = 1; left.length > 0; part++) {
      const inPart = await foldPart(fs, month, part, left);
      await ledger.reload();
      for (const id of inPart) await fs.unlink(archivePath(id));
      folded += left.filter((id) => inPart.has(id)).length;
      left = await stillThere(fs, left);
    }
  }
  return folded;
}

async function stillThere(fs: FileSystem, ids: string[]): Promise<string[]> {
  const there: string[] = [];
  for (const id of ids) if (await fs.exists(archivePath(id))) there.push(id);
  return there;
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
    const id = name.slice(0, -".json".length);
    if (!name.endsWith(".json") || id === newest) continue;
    const info = await fs.info(archivePath(id));
    if (info === null) continue;
    const month = new Date(info.mtimeMs).toISOString().slice(0, 7);
    if (endOf(month) + foldDays * DAY_MS <= nowMs) months.set(month, [...(months.get(month) ?? []), id]);
  }
  return months;
}

function endOf(month: string): number {
  const [year, number] = month.split("-").map(Number);
  return Date.UTC(year ?? 0, number ?? 0, 1);
}

/** Makes this part of the month, or finds the one that somebody made before. Returns the ids in it. */
async function foldPart(fs: FileSystem, month: string, part: number, ids: string[]): Promise<Set<string>> {
  const path = foldPath(month, part);
  if (!(await fs.exists(path))) {
    const lines: string[] = [];
    const taken: string[] = [];
    let chars = 0;
    for (const id of ids.slice(0, FOLD_RECORDS_MAX)) {
      const text = await fs.read(archivePath(id));
      if (text === null) continue;
      const line = text.trim().replaceAll("\n", " ");
      if (chars + line.length > FOLD_CHARS_MAX) break;
      chars += line.length;
      lines.push(line);
      taken.push(id);
    }
    const header: FoldHeader = { kind: "fold", month, ids: taken };
    await createOnce(fs, path, `${JSON.stringify(header)}\n${lines.join("\n")}\n`);
  }
  const text = (await fs.read(path, FOLD_BYTES_MAX)) ?? "";
  const made = parseRecord(FoldHeader, text.slice(0, text.indexOf("\n")), { bytes: FOLD_BYTES_MAX, depth: 4 });
  await fs.syncDir(path.slice(0, path.lastIndexOf("/")));
  return new Set(made.ids);
}
