/**
 * A backup is one .tar.gz of the state directory, taken while everything runs. First the records, as they were at one
 * instant; then the documents, which may be newer, as after a crash before the records that belong to them: what was
 * done to a document is marked in it and is not done again (PROTOCOL R10). What a start makes anew is left out.
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
  readSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { auditFile } from "@mimikit/runtime/audit-files";
import { trailFiles } from "@mimikit/runtime/audit-trail";
import { PROCESS_ROLES } from "@mimikit/runtime/role-record";
import { VERSION } from "@mimikit/runtime/version";
import { hasCode } from "@mimikit/store/error-code";
import { AUDIT, LOCKS, STREAMS, TEMPORARY, WEB_SESSIONS } from "@mimikit/store/state";
import { z } from "zod";
import { RECORD_DIRECTORIES, stageRecords } from "./stage-records.ts";
import { endOfArchive, fileHeader, padding } from "./tar.ts";

/** The first file of a backup says what it is. */
export const MANIFEST = "mimikit-backup.json";
export const Manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAt: z.iso.datetime(),
  hasSecrets: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;

/** What lets somebody in: here, or where the agent CLIs have signed in. Pairing codes are in locks/, which is never taken along. */
export const SECRET_PATHS: readonly string[] = ["token", WEB_SESSIONS, "codex", "claude"];
/** What a start makes anew, or what is of this machine only. */
export const LEFT_OUT: readonly string[] = [TEMPORARY, LOCKS, STREAMS, "pm2", "cache"];
const UNFINISHED = /\.(tmp|next|new)$/;
const READ_BYTES = 262_144;

export interface Written {
  file: string;
  bytes: number;
  files: number;
  sha256: string;
  manifest: Manifest;
}

/**
 * @param stage an empty directory on the disk of `home`, which the caller removes.
 * @throws what the disk throws, EEXIST where `file` is there already; then nothing of it is left.
 */
export async function writeBackup(home: string, file: string, stage: string, withSecrets: boolean): Promise<Written> {
  const unfinished = `${file}.${process.pid}.partial`;
  const createdAt = new Date().toISOString();
  const manifest: Manifest = { format: 1, version: VERSION, createdAt, hasSecrets: withSecrets };
  const records = stageRecords(home, stage);
  const sha = createHash("sha256");
  let files = 0;
  let bytes = 0;

  async function* archive(): AsyncGenerator<Buffer> {
    yield* textEntry(MANIFEST, `${JSON.stringify(manifest)}\n`);
    for (const path of records) yield* entry(path, join(stage, path));
    for (const role of PROCESS_ROLES) {
      for (const { name, read } of trailFiles(home, role)) {
        const text = read();
        if (text !== "") yield* textEntry(name, text);
      }
    }
    for (const path of documentsOf(home, withSecrets)) yield* entry(path, join(home, path));
    yield endOfArchive();
  }

  function* textEntry(path: string, text: string): Generator<Buffer> {
    files++;
    const content = Buffer.from(text);
    yield fileHeader(path, content.length, Date.now() / 1_000);
    yield content;
    yield padding(content.length);
  }

  /** As much of a file as it has now: one that grows meanwhile is taken up to here. */
  function* entry(path: string, source: string): Generator<Buffer> {
    const opened = openIfThere(source);
    if (opened === null) return;
    try {
      const info = fstatSync(opened);
      if (!info.isFile()) return;
      files++;
      yield fileHeader(path, info.size, info.mtimeMs / 1_000);
      for (let at = 0; at < info.size; ) {
        const piece = Buffer.alloc(Math.min(READ_BYTES, info.size - at));
        const count = readSync(opened, piece, 0, piece.length, at);
        // It was cut short meanwhile: the rest of what was promised is zeros.
        yield count === 0 ? piece : piece.subarray(0, count);
        at += count === 0 ? piece.length : count;
      }
      yield padding(info.size);
    } finally {
      closeSync(opened);
    }
  }

  try {
    await pipeline(
      Readable.from(archive()),
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
    sync(unfinished);
    // Not a rename: a backup that is there is not lost to a new one.
    linkSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return { file, bytes, files, sha256: sha.digest("hex"), manifest };
}

/** Everything else in the home, the files of a folder before those of the folders in it: notes before their summaries. */
function documentsOf(home: string, withSecrets: boolean): string[] {
  const audit = PROCESS_ROLES.map(auditFile);
  // Whoever has unpacked a backup by hand has its first file here: there is one in each.
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
    const wanted = entries.filter(({ path }) => !skipped.has(path) && !UNFINISHED.test(path));
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
