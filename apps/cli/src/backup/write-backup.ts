/**
 * A backup is one .tar.gz of the state directory, taken while everything runs. First the records, as they were at one
 * instant; then the documents, which may be newer, as after a crash before the records that belong to them: what was
 * done to a document is marked in it and is not done again (docs/file-protocol.md R10). Files that a start makes again
 * are left out.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  createWriteStream,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { auditFile, readCurrents } from "@mimikit/runtime/audit/audit-files";
import { trailFiles } from "@mimikit/runtime/audit/audit-trail";
import { CONFIG_FILE } from "@mimikit/runtime/config/config-file";
import { withoutAddressSecrets } from "@mimikit/runtime/config/describe-settings";
import { PROVIDER_FOLDERS } from "@mimikit/runtime/config/providers";
import { HomeError, IGNORE_FILE, readToken } from "@mimikit/runtime/home/home";
import { VERSION } from "@mimikit/runtime/home/version";
import { ACTORS } from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";
import {
  AUDIT,
  COMPACTED,
  COPIES,
  isMonthIndex,
  JOINED_POOL_PATH,
  LOCKS,
  MCP_LOGINS_PATH,
  MCP_PATH,
  POOLS,
  PUSH,
  QUARANTINE,
  SECRETS_PATH,
  STREAMS,
  TEMPORARY,
  TRY_NOW_PATH,
  WEB_SESSIONS,
} from "@mimikit/store/disk/state";
import { pack } from "tar-stream";
import { z } from "zod";
import { t } from "../i18n/language.ts";
import { type Damaged, findDamaged } from "./find-damaged.ts";
import { RECORD_DIRECTORIES, stageRecords } from "./stage-records.ts";
import { addFile } from "./tar.ts";

/** The first file of a backup says what it is. */
export const MANIFEST = "mimikit-backup.json";
export const Manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAt: z.iso.datetime(),
  hasSecrets: z.boolean(),
  /** Records that could not be read when the backup was made. Absent in the backups of 0.3 and earlier, which verified none. */
  damaged: z.array(z.object({ path: z.string(), reason: z.string() })).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** Files that let somebody in: here, or where the agent CLIs have signed in. Pairing codes are in locks/, which is never taken along. */
export const SECRET_PATHS: readonly string[] = [
  "token",
  SECRETS_PATH,
  MCP_PATH,
  MCP_LOGINS_PATH,
  WEB_SESSIONS,
  PUSH,
  JOINED_POOL_PATH,
  ...PROVIDER_FOLDERS,
];
/**
 * Left out of a backup: files that a start creates again, and files that belong to this machine alone. Pools are among them, because a restored home
 * has another epoch and must invite them again.
 */
export const LEFT_OUT: readonly string[] = [
  TEMPORARY,
  LOCKS,
  COPIES,
  STREAMS,
  TRY_NOW_PATH,
  IGNORE_FILE,
  POOLS,
  "pm2",
  "cache",
];
/** The files of settings: an address in one of them may hold a password, which an owner has written there by hand. */
const SETTINGS: readonly string[] = [CONFIG_FILE, "config.last-good.json", "config.noticed.yaml"];
const UNFINISHED = /\.(tmp|next|new)$/;
const READ_BYTES = 262_144;
/** Maximum size of a record and of a quarantined file, bytes; no process can read a longer one. */
const DAMAGED_BYTES_MAX = RECORD_BYTES_MAX;
/** A larger file of which the disk holds less than 1/16 is sparse: it would be written as zeros for hours. */
const SPARSE_BYTES_MIN = 1_073_741_824;
const SPARSE_RATIO = 16;
const BLOCK_BYTES = 512;

export interface Written {
  file: string;
  bytes: number;
  files: number;
  sha256: string;
  manifest: Manifest;
  /** Records that cannot be read; they are in the backup as they are, but for `cut`. */
  damaged: Damaged[];
  /** Files of which the backup has nothing, or only the beginning, because they are larger than anything that Mimikit writes. */
  cut: Damaged[];
}

/** Where this process writes a backup until it is complete. */
export const unfinishedOf = (file: string) => `${file}.${process.pid}.partial`;

/**
 * @param stage an empty directory on the disk of `home`, which the caller removes.
 * @throws what the disk throws, EEXIST where `file` is there already; then nothing of it is left.
 */
export async function writeBackup(home: string, file: string, stage: string, withSecrets: boolean): Promise<Written> {
  const unfinished = unfinishedOf(file);
  const createdAt = new Date().toISOString();
  const records = stageRecords(home, stage);
  const damaged = await findDamaged(stage, tokenOf(home), home);
  const manifest: Manifest = { format: 1, version: VERSION, createdAt, hasSecrets: withSecrets, damaged };
  const isRecord = new Set(records);
  const cut: Damaged[] = [];
  const sha = createHash("sha256");
  let files = 0;
  let bytes = 0;

  const archive = pack();

  async function fill(): Promise<void> {
    await addText(MANIFEST, `${JSON.stringify(manifest)}\n`);
    for (const path of records) await addIfThere(path, join(stage, path));
    const currents = readCurrents(home);
    for (const role of ACTORS) {
      for (const { name, read } of trailFiles(home, role, currents[role])) {
        const text = read();
        if (text !== "") await addText(name, text);
      }
    }
    for (const path of documentsOf(home, withSecrets)) await addIfThere(path, join(home, path));
    archive.finalize();
  }

  async function addText(path: string, text: string): Promise<void> {
    files++;
    const content = Buffer.from(text);
    await addFile(archive, { path, size: content.length, mtimeMs: Date.now() }, [content]);
  }

  async function addIfThere(path: string, source: string): Promise<void> {
    const opened = openIfThere(source);
    if (opened === null) return;
    try {
      const info = fstatSync(opened);
      if (!info.isFile()) return;
      if (!withSecrets && SETTINGS.includes(path))
        return await addText(path, withoutAddressSecrets(readFileSync(opened, "utf8")));
      const { size, mtimeMs } = info;
      const most = bytesMaxOf(path, info);
      if (size > most) cut.push({ path, reason: t("it has {size} bytes, of which {most} are kept", { size, most }) });
      if (most === 0 && size > 0) return;
      files++;
      await addFile(archive, { path, size: Math.min(size, most), mtimeMs }, bytesOf(opened, Math.min(size, most)));
    } finally {
      closeSync(opened);
    }
  }

  /** How many bytes of a file the backup takes. */
  function bytesMaxOf(path: string, { size, blocks }: Stats): number {
    if (isRecord.has(path) && !path.startsWith(`${COMPACTED}/`)) return DAMAGED_BYTES_MAX;
    if (path.startsWith(`${QUARANTINE}/`)) return DAMAGED_BYTES_MAX;
    return size > SPARSE_BYTES_MIN && size > blocks * BLOCK_BYTES * SPARSE_RATIO ? 0 : size;
  }

  const filled = fill();
  // The writer of the archive gets the error.
  filled.catch((error: Error) => archive.destroy(error));
  try {
    await pipeline(
      archive,
      createGzip(),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          sha.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(unfinished, { mode: 0o600, flags: "wx" }),
    );
    await filled;
    sync(unfinished);
    // Not a rename: a backup that is there is not lost to a new one.
    linkSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return { file, bytes, files, sha256: sha.digest("hex"), manifest, damaged, cut };
}

/** Nothing is signed with none. */
function tokenOf(home: string): string {
  try {
    return readToken(home);
  } catch (error) {
    if (error instanceof HomeError) return "";
    throw error;
  }
}

/** Everything else in the home, the files of a folder before those of the folders in it: notes before their summaries. */
function documentsOf(home: string, withSecrets: boolean): string[] {
  const audit = ACTORS.map(auditFile);
  // A backup unpacked by hand has its first file here: there is one in each.
  const skipped = new Set([
    MANIFEST,
    ...LEFT_OUT,
    ...RECORD_DIRECTORIES,
    ...audit,
    AUDIT,
    ...(withSecrets ? [] : SECRET_PATHS),
  ]);
  const walk = (dir: string): string[] => {
    const entries = entriesOf(join(home, dir)).map((entry) => ({
      entry,
      path: dir === "" ? entry.name : `${dir}/${entry.name}`,
    }));
    const wanted = entries.filter(({ path }) => !skipped.has(path) && !UNFINISHED.test(path) && !isMonthIndex(path));
    return [
      ...wanted.filter(({ entry }) => entry.isFile()).map(({ path }) => path),
      ...wanted.filter(({ entry }) => entry.isDirectory()).flatMap(({ path }) => walk(path)),
    ];
  };
  return walk("");
}

function entriesOf(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** As much of a file as it has now: one that grows meanwhile is taken up to here. @param size in bytes. */
function* bytesOf(opened: number, size: number): Generator<Buffer> {
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(READ_BYTES, size - at));
    const count = readSync(opened, piece, 0, piece.length, at);
    // It was cut short meanwhile: the rest of what was promised is zeros.
    yield count === 0 ? piece : piece.subarray(0, count);
    at += count === 0 ? piece.length : count;
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
