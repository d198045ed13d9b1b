/**
 * Where the audit lines of a role are: the file that is being written, and the finished ones in log/, whose names say
 * with which line they begin and of which day they are. A finished file is there in plain, compressed, or for a moment
 * both; readers take what there is.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { hasCode } from "@mimikit/store/disk/error-code";
import { AUDIT } from "@mimikit/store/disk/state";
import { ACTORS, type ProcessRole } from "../process/role-record.ts";

const AUDIT_FILES: Record<ProcessRole, string> = {
  supervisor: "log.jsonl",
  workers: "log.workers.jsonl",
  gateway: "log.gateway.jsonl",
  channels: "log.channels.jsonl",
  dispatcher: "log.dispatcher.jsonl",
};

/** The name of the audit file that a role writes, in the state directory. */
export const auditFile = (actor: ProcessRole) => AUDIT_FILES[actor];

/** More than a file can hold that was rotated in time; what is longer was not written by us. */
const UNPACKED_BYTES_MAX = 256 * 1_048_576;
const SEQ_DIGITS = 10;
const NAME = /^(supervisor|workers|gateway|channels|dispatcher)\.(\d{10,})\.(\d{4}-\d{2}-\d{2})\.jsonl(\.gz)?$/;

/** A finished audit file. */
export interface RotatedFile {
  /** Without the `.gz` that it may have: `log/workers.0000000001.2026-11-21.jsonl`, in the state directory. */
  name: string;
  /** The number of its first line. */
  firstSeq: number;
  /** The day of its first line, in UTC. */
  day: string;
}

/** The name of the file whose first line has this number and this day. */
export function rotatedName(actor: ProcessRole, firstSeq: number, day: string): string {
  return `${AUDIT}/${actor}.${String(firstSeq).padStart(SEQ_DIGITS, "0")}.${day}.jsonl`;
}

/** The finished files of a role, oldest first. */
export function rotatedFiles(home: string, actor: ProcessRole): RotatedFile[] {
  const files = new Map<string, RotatedFile>();
  for (const entry of namesIn(join(home, AUDIT))) {
    const match = NAME.exec(entry);
    if (match === null || match[1] !== actor) continue;
    const name = `${AUDIT}/${entry.replace(/\.gz$/, "")}`;
    files.set(name, { name, firstSeq: Number(match[2]), day: match[3] ?? "" });
  }
  return [...files.values()].sort((a, b) => a.firstSeq - b.firstSeq);
}

/** The text of a finished file; empty when it has been removed meanwhile. Throws what the disk throws, and for damaged bytes. */
export function readRotated(home: string, name: string): string {
  const path = join(home, name);
  const plain = readIfThere(path);
  if (plain !== null) return plain.toString("utf8");
  const packed = readIfThere(`${path}.gz`);
  return packed === null ? "" : gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX }).toString("utf8");
}

/** The text of the file that is being written; empty when there is none. */
export function readCurrent(home: string, actor: ProcessRole): string {
  return readIfThere(join(home, auditFile(actor)))?.toString("utf8") ?? "";
}

/**
 * The texts of the files that are being written, all of one instant: a line that speaks of a line of another chain is not in it
 * without that one. Throws what the disk throws.
 */
export function readCurrents(home: string): Record<ProcessRole, string> {
  const pathOf = (actor: ProcessRole) => join(home, auditFile(actor));
  for (;;) {
    const files = ACTORS.map((actor) => openIfThere(pathOf(actor)));
    try {
      // The sizes are of one instant if none has changed while all of them were asked for.
      const stamp = () => files.map((file) => (file === null ? null : fstatSync(file).size));
      let sizes = stamp();
      for (let again = stamp(); again.join() !== sizes.join(); again = stamp()) sizes = again;
      const isStill = (actor: ProcessRole, at: number) => {
        const file = files[at] ?? null;
        const there = lstatSync(pathOf(actor), { throwIfNoEntry: false })?.ino;
        return there === (file === null ? undefined : fstatSync(file).ino);
      };
      // Else one was finished meanwhile, and the next one begun.
      if (!ACTORS.every(isStill)) continue;
      const texts = ACTORS.map((actor, at) => [actor, readUpTo(files[at] ?? null, sizes[at] ?? 0)]);
      return Object.fromEntries(texts) as Record<ProcessRole, string>;
    } finally {
      for (const file of files) if (file !== null) closeSync(file);
    }
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** @param size in bytes. */
function readUpTo(file: number | null, size: number): string {
  const bytes = Buffer.alloc(size);
  let read = 0;
  while (file !== null && read < size) {
    const count = readSync(file, bytes, read, size - read, read);
    if (count === 0) break;
    read += count;
  }
  return bytes.toString("utf8", 0, read);
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
