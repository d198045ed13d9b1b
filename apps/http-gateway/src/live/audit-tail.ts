/**
 * Audit lines of the processes, sent as they are written: each once, from the first look on. A file that was finished
 * between two looks is read to its end where it is kept then.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import type { AuditLine } from "@mimikit/protocol/records/audit";
import { parseAuditLine } from "@mimikit/runtime/audit/audit-chain";
import { auditFile } from "@mimikit/runtime/audit/audit-files";
import { parsePosition, readAfter, readBefore, START } from "@mimikit/runtime/audit/audit-trail";
import { ACTORS, type ProcessRole } from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";

const NEWLINE = 0x0a;
/** The bytes of one role that are read, and so sent, at once; the rest comes with the next look. */
const READ_BYTES_MAX = 131_072;
/** Lines of a finished file that are told at once. A client that missed more has `GET /api/audit`. */
const LINES_MAX = 500;
/** Lines from before the first look that are shown on request. */
const EARLIER_LINES_MAX = 500;

type OnProblem = (actor: ProcessRole, error: unknown) => void;

export class AuditTail {
  private readonly chains: readonly ChainTail[];
  private readonly onProblem: OnProblem;
  /** The last problem of a role, so that it is reported once. */
  private readonly problems = new Map<ProcessRole, string>();

  /**
   * @param onProblem is told when the lines of a role cannot be read, and why: damaged bytes, or what the disk says.
   * @param onEarlier is given the last lines from before the first look, which are no news.
   */
  constructor(home: string, onProblem: OnProblem, onEarlier: (line: AuditLine) => void) {
    this.chains = ACTORS.map((actor) => new ChainTail(home, actor, onEarlier));
    this.onProblem = onProblem;
  }

  /** The lines that came since the last call, in order of time; none at the first. A role that cannot be read has none. */
  read(): AuditLine[] {
    return this.chains
      .flatMap((chain) => this.linesOf(chain))
      .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
  }

  private linesOf(chain: ChainTail): AuditLine[] {
    try {
      const lines = chain.read();
      this.problems.delete(chain.actor);
      return lines;
    } catch (error) {
      const reason = String(error);
      if (this.problems.get(chain.actor) !== reason) this.onProblem(chain.actor, error);
      this.problems.set(chain.actor, reason);
      return [];
    }
  }
}

/** The audit lines of one role. */
class ChainTail {
  readonly actor: ProcessRole;
  private readonly home: string;
  /** The number of the last line that was told; undefined before the first look. */
  private seq: number | undefined;
  private inode = 0;
  private offset = 0;
  private torn: Buffer = Buffer.alloc(0);
  private readonly onEarlier: (line: AuditLine) => void;

  constructor(home: string, actor: ProcessRole, onEarlier: (line: AuditLine) => void) {
    this.home = home;
    this.actor = actor;
    this.onEarlier = onEarlier;
  }

  /** Throws what the disk throws, and for damaged bytes. */
  read(): AuditLine[] {
    if (this.isAsRead()) return [];
    const file = this.open();
    if (file === null) {
      // A file written from now on is news from its first line.
      this.seq ??= 0;
      return [];
    }
    try {
      const info = fstatSync(file);
      if (!info.isFile()) return [];
      if (this.seq === undefined) return this.begin(info);
      const isSame = info.ino === this.inode && info.size >= this.offset && this.endsAsRead(file);
      const finished = isSame ? [] : this.startOver(info);
      return this.fresh([...finished, ...this.readNew(file, info)]);
    } finally {
      closeSync(file);
    }
  }

  /** Is the file as it was when all of it was read? An inode is given to no other file while this one is there. */
  private isAsRead(): boolean {
    const info = lstatSync(join(this.home, auditFile(this.actor)), { throwIfNoEntry: false });
    return this.seq !== undefined && info?.ino === this.inode && info.size === this.offset;
  }

  /** Is the last byte that was read still there? It is not where the end was cut off and other lines follow. */
  private endsAsRead(file: number): boolean {
    const last = Buffer.alloc(1);
    if (this.offset === 0 || readSync(file, last, 0, 1, this.offset - 1) === 0) return this.offset === 0;
    return last[0] === (this.torn.at(-1) ?? NEWLINE);
  }

  /** Existing lines are no news. */
  private begin({ ino, size }: Stats): [] {
    [this.inode, this.offset] = [ino, size];
    const { entries, next } = readBefore(this.home, null, EARLIER_LINES_MAX, [this.actor]);
    this.seq = parsePosition(next)?.[this.actor] ?? 0;
    for (const line of entries) this.onEarlier(line);
    return [];
  }

  /** Another file is in the place of the one that was read. @returns what that one still held. */
  private startOver({ ino }: Stats): AuditLine[] {
    [this.inode, this.offset, this.torn] = [ino, 0, Buffer.alloc(0)];
    const after = { ...START, [this.actor]: this.seq ?? 0 };
    return readAfter(this.home, after, LINES_MAX, [this.actor]).entries;
  }

  /** Lines with a number that is not higher were told before. */
  private fresh(lines: readonly AuditLine[]): AuditLine[] {
    return lines.filter(({ seq }) => {
      if (seq <= (this.seq ?? 0)) return false;
      this.seq = seq;
      return true;
    });
  }

  /** Whole lines only: a torn last one waits for its end. */
  private readNew(file: number, { size }: Stats): AuditLine[] {
    const wanted = Math.min(size - this.offset, READ_BYTES_MAX);
    if (wanted <= 0) return [];
    const bytes = Buffer.alloc(wanted);
    const count = readSync(file, bytes, 0, wanted, this.offset);
    this.offset += count;
    const all = Buffer.concat([this.torn, bytes.subarray(0, count)]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    this.torn = all.length - end > RECORD_BYTES_MAX ? Buffer.alloc(0) : all.subarray(end);
    if (end === 0) return [];
    return all
      .toString("utf8", 0, end - 1)
      .split("\n")
      .flatMap((line) => parseAuditLine(line) ?? []);
  }

  /** Null while nothing was written yet, or if there is a link or a socket: nothing of ours to tell. */
  private open(): number | null {
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      return openSync(join(this.home, auditFile(this.actor)), flags);
    } catch (error) {
      if (hasCode(error, "ENOENT", "ELOOP", "ENXIO")) return null;
      throw error;
    }
  }
}
