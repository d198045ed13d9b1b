/**
 * The audit file of a role is a chain of lines with one writer (SPEC N1). It goes on from the last good line, over
 * restarts and rotated files; what a crash tore off stays where it is, unread. A line that was written is never moved:
 * a file is finished by giving it another name, and a finished file is only removed when its compressed form is durable,
 * or when the chain itself says that it was let go. So a kill between any two steps loses no line.
 */
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { tryJson } from "@mimikit/protocol/base/json";
import { type AuditEvent, AuditLine } from "@mimikit/protocol/records/audit";
import { syncDirectory } from "@mimikit/store/disk/sync-directory";
import { auditKeyOf, isLaterToken } from "../home/audit-key.ts";
import { HomeError } from "../home/home.ts";
import type { ProcessRole } from "../process/role-record.ts";
import { auditFile, type RotatedFile, readCurrent, readRotated, rotatedFiles, rotatedName } from "./audit-files.ts";
import { readHead, writeHead } from "./head-note.ts";
import { hashOf, keyed, keyOfLine, type LineKey } from "./keyed-line.ts";

/** A file is finished when it is this long, or when its day is over (UTC). */
export const AUDIT_FILE_BYTES_MAX = 10 * 1_048_576;
/** Finished files are kept this long, */
export const AUDIT_DAYS_MAX = 30;
/** and this many bytes of them for each role: 500 MB of the three that always run. */
export const AUDIT_BYTES_MAX = 166 * 1_048_576;

/** The last good line is looked for in this much of the end of the file, the first in as much of its beginning. */
const END_BYTES_MAX = 1_048_576;
const DAY_MS = 86_400_000;
/** The entry of the chain before finished files are removed: `through` is the last line of them, `hash` its hash. */
export const PRUNED_EVENT = "audit_pruned";

/**
 * The event after another program changed the file of a chain while it was written, in a new file or in the one that is
 * there now: `file`, whether it `was` removed, replaced, shortened or lengthened, and `after`, the number of the last
 * line that was written before.
 */
export const REOPENED_EVENT = "audit_file_reopened";
/** The first line with a code, in a chain that an earlier version began: the lines up to `after` have none. */
export const KEYED_EVENT = "audit_keyed";
/**
 * The first line that is keyed with this token, in a chain whose line `after` is not: it was keyed with an earlier token
 * if `isReplaced`, else it was changed.
 */
export const REKEYED_EVENT = "audit_key_changed";
/** The first line after a start, where the chain ends before the line that was noted as its last: `file`, that line `noted`, and `after`. */
export const MISSING_EVENT = "audit_lines_missing";

/** The place of a line in the chain, given by the line before it. */
export interface ChainPosition {
  seq: number;
  previousHash: string;
}

export interface AuditChain {
  /**
   * Appends the line that each of `writes` makes for its place, with its code, all in one write.
   * @returns the lines, with a newline between them.
   * @throws CutShort where the disk took only some of them, or none.
   */
  append(...writes: ((position: ChainPosition) => string)[]): string;
  /** Makes the chain durable and notes its head, if this process wrote to it. Throws what the disk throws. */
  noteHead(): void;
}

/** Not all lines could be appended: `written` of them were, and stay; `cause` is what the disk threw. */
export class CutShort extends Error {
  readonly written: number;
  constructor(written: number, cause: unknown) {
    super("not all audit lines could be written", { cause });
    this.written = written;
  }
}

export interface AuditChainOptions {
  home: string;
  actor: ProcessRole;
  /** The token of the home, from which the key of the lines is derived. */
  token: string;
  /** Says on the chain that something was done with it. */
  note(event: AuditEvent): void;
  /** The lines are written, but something beside them failed: finished files are compressed or removed with the next one. */
  onProblem(error: unknown): void;
  nowMs?: () => number;
  fileBytesMax?: number;
  bytesMax?: number;
}

/** Throws when the audit file cannot be opened or is no regular file. Only the one role of the home may append. */
export function openAuditChain(options: AuditChainOptions): AuditChain {
  const { home, actor, token, note, onProblem, nowMs = Date.now, fileBytesMax = AUDIT_FILE_BYTES_MAX } = options;
  const key = auditKeyOf(token);
  const path = join(home, auditFile(actor));
  let { file, inode, size, first, tail } = openAt(path);
  const end = endOf(tail, key) ?? endOfRotated(home, actor, key);
  let position = end?.position ?? { seq: 1, previousHash: "" };
  let endsInNewline = isWhole(tail);
  let isBegun = false;
  let isNoted = false;
  let isSwept = false;
  let sweeping = Promise.resolve();

  /** The chain may have something to say of what was there before it is gone on with. */
  function begin(): void {
    const after = position.seq - 1;
    const head = readHead(home, actor, key);
    if (end?.key === "foreign")
      note({ event: REKEYED_EVENT, detail: { file: auditFile(actor), after, isReplaced: isLaterToken(home, token) } });
    else if (end?.key === "unkeyed") note({ event: KEYED_EVENT, detail: { after } });
    if (head !== null && (head.seq > after || (head.seq === after && head.hash !== end?.position.previousHash)))
      note({ event: MISSING_EVENT, detail: { file: auditFile(actor), noted: head.seq, after } });
  }

  function noteHead(): void {
    if (!isNoted) return;
    fsyncSync(file);
    writeHead(home, actor, key, { seq: position.seq - 1, hash: position.previousHash });
  }

  function finishFile(): void {
    if (first === undefined) return;
    const target = join(home, rotatedName(actor, first.seq, first.day));
    // Only if an old file was put into the place of this one: then both are kept, and `verify` tells.
    if (existsSync(target) || existsSync(`${target}.gz`)) return;
    const next = `${path}.next`;
    const opened = openForAppending(next);
    try {
      // After a power failure the end of a finished file must not be missing, nor, below, the next one be without its name.
      fsyncSync(file);
      renameSync(path, target);
      renameSync(next, path);
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    closeSync(file);
    file = opened;
    ({ ino: inode, size } = fstatSync(file));
    first = undefined;
    endsInNewline = true;
    isSwept = false;
    syncDirectory(dirname(target));
    syncDirectory(dirname(path));
  }

  /** The file was taken away or changed: the chain goes on in the file that is there now, and says so. */
  function reopen(was: "removed" | "replaced" | "shortened" | "lengthened"): void {
    const opened = openAt(path);
    closeSync(file);
    ({ file, inode, size, first } = opened);
    endsInNewline = isWhole(opened.tail);
    note({ event: REOPENED_EVENT, detail: { file: auditFile(actor), was, after: position.seq - 1 } });
  }

  const isDue = (size: number) => first !== undefined && (size >= fileBytesMax || first.day !== dayOfMs(nowMs()));

  function append(...writes: ((position: ChainPosition) => string)[]): string {
    if (!isBegun) {
      isBegun = true;
      begin();
      return append(...writes);
    }
    // An inode that is open is given to no other file.
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info?.ino !== inode || info.size !== size) {
      const isSame = info?.ino === inode;
      reopen(info === undefined ? "removed" : !isSame ? "replaced" : info.size < size ? "shortened" : "lengthened");
      return append(...writes);
    }
    if (isDue(size)) finishFile();
    const positions: ChainPosition[] = [position];
    const lines = writes.map((write, at) => {
      const { seq } = positions[at] as ChainPosition;
      const line = keyed(write(positions[at] as ChainPosition), key);
      positions.push({ seq: seq + 1, previousHash: hashOf(line) });
      return line;
    });
    put(lines, positions);
    if (!isSwept) {
      isSwept = true;
      const limits = { nowMs: nowMs(), bytesMax: options.bytesMax ?? AUDIT_BYTES_MAX };
      sweeping = sweeping.then(() => sweep({ home, actor, note, ...limits })).catch(onProblem);
    }
    return lines.join("\n");
  }

  /** @param positions the place of each line, and of the one after them. */
  function put(lines: readonly string[], positions: readonly ChainPosition[]): void {
    const bytes = Buffer.from(`${endsInNewline ? "" : "\n"}${lines.join("\n")}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(file, bytes, written);
    } catch (error) {
      // The disk is full in mid-line. A whole line stays, because another process may have seen it; what is there of the next
      // one is undone, so that no number appears twice.
      const newlines = bytes.toString("latin1", 0, written).split("\n").length - 1;
      const count = Math.max(0, newlines - (endsInNewline ? 0 : 1));
      const kept = count === 0 ? 0 : bytes.lastIndexOf("\n", written - 1) + 1;
      if (count > 0) goOnAfter(count, kept, positions);
      takeBack(written - kept);
      throw new CutShort(count, error);
    }
    goOnAfter(lines.length, written, positions);
  }

  function goOnAfter(count: number, bytesWritten: number, positions: readonly ChainPosition[]): void {
    const isFirst = first === undefined;
    size += bytesWritten;
    endsInNewline = true;
    first ??= { seq: position.seq, day: dayOfMs(nowMs()) };
    position = positions[count] as ChainPosition;
    try {
      // A file that is there and has no line is never what a power failure left.
      if (isFirst) fsyncSync(file);
      if (isNoted) return;
      isNoted = true;
      noteHead();
    } catch (error) {
      onProblem(error);
    }
  }

  function takeBack(torn: number): void {
    const endedInNewline = endsInNewline;
    size += torn;
    endsInNewline &&= torn === 0;
    ftruncateSync(file, size - torn);
    size -= torn;
    endsInNewline = endedInNewline;
  }

  return { append, noteHead };
}

/** An audit line; null for what is none, such as the rest of a line that a crash tore off. */
export function parseAuditLine(text: string): AuditLine | null {
  return AuditLine.safeParse(tryJson(text)).data ?? null;
}

function dayOfMs(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The file of a chain, and what is in it. */
function openAt(path: string) {
  const file = openForAppending(path);
  const { ino: inode, size } = fstatSync(file);
  return { file, inode, size, first: firstIn(readPart(file, 0)), tail: readEnd(file) };
}

/** Does a line that is appended to this begin on a line of its own? */
function isWhole(tail: string): boolean {
  return tail === "" || tail.endsWith("\n");
}

function openForAppending(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = openSync(path, flags, 0o600);
  const info = fstatSync(file);
  if (info.size === 0) syncDirectory(dirname(path));
  if (info.isFile()) return file;
  closeSync(file);
  throw new HomeError(`${path} is not a regular file: move it away`);
}

function readEnd(file: number): string {
  const { size } = fstatSync(file);
  return readPart(file, Math.max(0, size - END_BYTES_MAX));
}

function readPart(file: number, from: number): string {
  const bytes = Buffer.alloc(Math.min(fstatSync(file).size - from, END_BYTES_MAX));
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(file, bytes, read, bytes.length - read, from + read);
    if (count === 0) break;
    read += count;
  }
  return bytes.toString("utf8", 0, read);
}

/** The place after the last line of a chain, and how that line is keyed. */
interface End {
  position: ChainPosition;
  key: LineKey;
}

function endOf(text: string, key: string): End | null {
  for (const line of text.split("\n").reverse()) {
    const parsed = line === "" ? null : parseAuditLine(line);
    if (parsed !== null)
      return { position: { seq: parsed.seq + 1, previousHash: hashOf(line) }, key: keyOfLine(line, key) };
  }
  return null;
}

/** The file was finished and nothing was written since: the chain goes on from the newest finished one. */
function endOfRotated(home: string, actor: ProcessRole, key: string): End | null {
  for (const { name } of rotatedFiles(home, actor).reverse()) {
    const end = endOf(readRotated(home, name), key);
    if (end !== null) return end;
  }
  return null;
}

function firstIn(text: string): { seq: number; day: string } | undefined {
  const line = firstLineIn(text);
  return line === null ? undefined : { seq: line.seq, day: line.timestamp.slice(0, 10) };
}

function firstLineIn(text: string): AuditLine | null {
  for (const line of text.split("\n")) {
    const parsed = line === "" ? null : parseAuditLine(line);
    if (parsed !== null) return parsed;
  }
  return null;
}

interface Sweep {
  home: string;
  actor: ProcessRole;
  note(event: AuditEvent): void;
  nowMs: number;
  bytesMax: number;
}

/** Compresses what is finished and lets go of what is too old or too much. A sweep that was cut off is done again next time. */
async function sweep({ home, actor, note, nowMs, bytesMax }: Sweep): Promise<void> {
  for (const { name } of rotatedFiles(home, actor)) await compress(join(home, name));
  const files = rotatedFiles(home, actor);
  const kept = keptOf(home, files, nowMs, bytesMax);
  const gone = files.slice(0, files.length - kept.length);
  if (gone.length === 0) return;
  const [oldest] = kept;
  const next = firstLineIn(oldest === undefined ? readCurrent(home, actor) : readRotated(home, oldest.name));
  if (next === null) return;
  note({ event: PRUNED_EVENT, detail: { through: next.seq - 1, hash: next.previousHash, files: gone.length } });
  for (const { name } of gone) for (const path of [name, `${name}.gz`]) rmSync(join(home, path), { force: true });
}

/** The newest files that are young enough and not too many. */
function keptOf(home: string, files: readonly RotatedFile[], nowMs: number, bytesMax: number): RotatedFile[] {
  const oldestDay = dayOfMs(nowMs - AUDIT_DAYS_MAX * DAY_MS);
  const kept: RotatedFile[] = [];
  let bytes = 0;
  for (const file of [...files].reverse()) {
    bytes += statSync(join(home, `${file.name}.gz`), { throwIfNoEntry: false })?.size ?? 0;
    if (file.day < oldestDay || bytes > bytesMax) break;
    kept.unshift(file);
  }
  return kept;
}

/** The plain form goes only when the compressed one is complete and on the disk. */
async function compress(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const packed = `${path}.gz`;
  const unfinished = `${packed}.tmp`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
  syncFile(unfinished);
  renameSync(unfinished, packed);
  syncDirectory(dirname(packed));
  rmSync(path);
}

function syncFile(path: string): void {
  const file = openSync(path, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
