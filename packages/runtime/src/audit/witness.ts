/**
 * Each role witnesses the chains of the others: it says in its own chain which line was their last, so that one chain
 * cannot be cut off or calculated again without the others (docs/audit.md#witnesses). A line is made durable before it
 * is witnessed: after a power failure no chain is missing a line that another one has seen.
 */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AuditLine } from "@mimikit/protocol/records/audit";
import { hasCode } from "@mimikit/store/disk/error-code";
import { ACTORS, type ProcessRole } from "../process/role-record.ts";
import { parseAuditLine } from "./audit-chain.ts";
import { auditFile } from "./audit-files.ts";
import type { Head } from "./head-note.ts";
import { hashOf } from "./keyed-line.ts";
import type { Log, RoleLog } from "./log.ts";

/** The event of a witness line; its detail has the last line of each other chain that has changed, under the name of its role. */
export const WITNESS_EVENT = "audit_witnessed";
const WITNESS_EVERY_MS = 60_000;
/** The last line is looked for in this much of the end of a file, in bytes. */
const END_BYTES_MAX = 1_048_576;

/** A file as it was when it was last looked at, in bytes, and the last line that was seen in it. */
interface Seen {
  ino: number;
  size: number;
  seq: number;
}

/** Looks at the other chains every minute. @returns ends that: looks once more, and notes the head of the own chain. */
export function keepWitness(
  home: string,
  actor: ProcessRole,
  log: Pick<RoleLog, "audit" | "endAudit" | "warn">,
): () => void {
  const look = createWitness(home, actor, log);
  const timer = setInterval(look, WITNESS_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    look();
    log.endAudit();
  };
}

/** @returns writes a witness line, if another chain has changed since by anything but a witness line. It never throws. */
export function createWitness(home: string, actor: ProcessRole, log: Pick<Log, "audit" | "warn">): () => void {
  const others = ACTORS.filter((other) => other !== actor);
  const seen = new Map<ProcessRole, Seen>();

  function look(): void {
    const heads: Partial<Record<ProcessRole, Head>> = {};
    for (const other of others) {
      try {
        const head = newHeadOf(join(home, auditFile(other)), seen.get(other), (now) => seen.set(other, now));
        if (head !== null) heads[other] = head;
      } catch (error) {
        log.warn("the audit log of another process cannot be witnessed", { other, error });
      }
    }
    if (Object.keys(heads).length > 0) log.audit({ event: WITNESS_EVENT, detail: heads });
  }
  return look;
}

/**
 * The last line of a file, durable, if there is another line after the one that was `seen` than a witness line; null otherwise.
 * Throws what the disk throws.
 */
function newHeadOf(path: string, seen: Seen | undefined, note: (now: Seen) => void): Head | null {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined || (seen?.ino === info.ino && seen.size === info.size)) return null;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP")) return null;
    throw error;
  }
  try {
    const { ino, size } = fstatSync(file);
    const lines = wholeLines(readEnd(file, seen?.ino === ino ? Math.min(seen.size, size) : 0, size));
    const last = lines.at(-1);
    if (last === undefined) return null;
    const since = lines.filter(({ line }) => line.seq > (seen?.seq ?? 0));
    const isNew = since.some(({ line }) => line.event !== WITNESS_EVENT);
    if (isNew) fsyncSync(file);
    note({ ino, size, seq: last.line.seq });
    return isNew ? { seq: last.line.seq, hash: hashOf(last.text) } : null;
  } finally {
    closeSync(file);
  }
}

/** Lines that end in a newline: another one may not be written to its end yet. */
function wholeLines(text: string): { text: string; line: AuditLine }[] {
  return text
    .split("\n")
    .slice(0, -1)
    .flatMap((each) => {
      const line = parseAuditLine(each);
      return line === null ? [] : [{ text: each, line }];
    });
}

function readEnd(file: number, read: number, size: number): string {
  const from = Math.max(read, size - END_BYTES_MAX);
  const bytes = Buffer.alloc(size - from);
  const count = readSync(file, bytes, 0, bytes.length, from);
  return bytes.toString("utf8", 0, count);
}
