/**
 * Records of a state directory, or of a copy of its records, that no process could read. Each costs itself: a backup holds the others,
 * and a restore puts them back.
 */
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Archived } from "@mimikit/protocol/records/archive";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { restoreDirectories } from "@mimikit/store/disk/restore-directories";
import { ARCHIVE, ATTACHMENTS, COMPACTED } from "@mimikit/store/disk/state";
import { archivedId, COMPACTED_BYTES_MAX, headerOf, isCompactedName } from "@mimikit/store/state-cache/archive-index";
import { StateCache } from "@mimikit/store/state-cache/state-cache";

/** Nothing is written, so no process needs a name in tmp/. */
const INCARNATION = "reader";

export interface Damaged {
  /** From the state directory on; of a record in a compacted month with its id behind it, as `archive/folded/2026-10.jsonl: t-000007`. */
  path: string;
  reason: string;
}

/**
 * Reads every record. Makes the directories that are missing; throws what the disk throws.
 * @param token verifies the commands that carry authority.
 * @param home has the attachments, where `root` holds only links to the records of that home.
 */
export async function findDamaged(root: string, token: string, home = root): Promise<Damaged[]> {
  restoreDirectories(root);
  const files = openDisk(home, INCARNATION);
  const fs = root === home ? files : withAttachments(openDisk(root, INCARNATION), files);
  const damaged: Damaged[] = [];
  const onBadArchive = (path: string, reason: string) => void damaged.push({ path, reason });
  const cache = new StateCache(fs, { token, durable: false, onBadArchive });
  await cache.refresh(Date.now(), true);
  damaged.push(...cache.unreadable().map(({ path, reason }) => ({ path, reason })));
  for (const name of await fs.list(ARCHIVE)) {
    if (archivedId(name) === null) continue;
    const path = `${ARCHIVE}/${name}`;
    const reason = await reasonAgainst(async () => parseRecord(Archived, (await fs.read(path)) ?? ""));
    if (reason !== null) damaged.push({ path, reason });
  }
  for (const name of (await fs.list(COMPACTED)).filter(isCompactedName))
    damaged.push(...(await damagedInMonth(fs, `${COMPACTED}/${name}`)));
  return damaged;
}

async function damagedInMonth(fs: FileSystem, path: string): Promise<Damaged[]> {
  let ids: string[] = [];
  let lines: string[] = [];
  const reason = await reasonAgainst(async () => {
    const [first = "", ...rest] = ((await fs.read(path, COMPACTED_BYTES_MAX)) ?? "").split("\n");
    ids = headerOf(first).ids;
    lines = rest;
  });
  if (reason !== null) return [{ path, reason }];
  const damaged: Damaged[] = [];
  for (const [at, id] of ids.entries()) {
    const wrong = await reasonAgainst(() => parseRecord(Archived, lines[at] ?? ""));
    if (wrong !== null) damaged.push({ path: `${path}: ${id}`, reason: wrong });
  }
  return damaged;
}

/** Why it cannot be read; null where it can. */
async function reasonAgainst(read: () => unknown): Promise<string | null> {
  try {
    await read();
    return null;
  } catch (error) {
    if (error instanceof BadJson) return error.message;
    throw error;
  }
}

/** A link to a record is another name of its file, which is no reason against it; and files of messages are in the home alone. */
function withAttachments(records: FileSystem, files: FileSystem): FileSystem {
  const of = (path: string) => (path.startsWith(`${ATTACHMENTS}/`) ? files : records);
  return {
    ...records,
    exists: (path) => of(path).exists(path),
    read: (path, bytesMax) => of(path).read(path, bytesMax),
    async info(path) {
      const info = await of(path).info(path);
      return info === null || of(path) === files ? info : { ...info, links: info.links - 1 };
    },
  };
}
