/**
 * Reads the chains of all roles and says what they prove (SPEC N1, docs/audit.md): from which line to which a chain is
 * whole and unchanged without the token, up to which line another process has seen it, and from where on nothing of that
 * is known. A holder of the token who can write all files can write another log; nothing in the files shows that.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tryJson } from "@mimikit/protocol/base/json";
import type { AuditLine } from "@mimikit/protocol/records/audit";
import { auditKeyOf } from "../home/audit-key.ts";
import { HomeError, readToken } from "../home/home.ts";
import { ACTORS, type ProcessRole, readRole } from "../process/role-record.ts";
import { MISSING_EVENT, PRUNED_EVENT, parseAuditLine, REKEYED_EVENT } from "./audit-chain.ts";
import { auditFile, readCurrents } from "./audit-files.ts";
import { trailFiles } from "./audit-trail.ts";
import { type ArchivedTurn, LoggedWork } from "./compare-archive.ts";
import { Head, readHead } from "./head-note.ts";
import { hashOf, keyOfLine, type LineKey } from "./keyed-line.ts";
import { WITNESS_EVENT } from "./witness.ts";

/** Breaks that are named; after so many the rest is only counted. */
const PROBLEMS_MAX = 20;

/** Lines of one kind that follow each other. */
export interface Stretch {
  from: number;
  to: number;
  /** The time of the last of them. */
  toAt: string;
}

export interface Verified {
  actor: ProcessRole;
  files: number;
  lines: number;
  /** Numbers of the first and the last line; 0 where there is none. */
  from: number;
  to: number;
  /** The times of these two lines; empty where there is none. */
  fromAt: string;
  toAt: string;
  /** The hash of the last line. */
  head: string;
  /** Beginnings of lines that a crash cut off in the middle, after which the chain goes on with the same number. */
  torn: number;
  /** Lines at the beginning that have no code, because an earlier version wrote them; null where there are none. */
  unkeyed: Stretch | null;
  /** Lines that are keyed with another token than that of now; null where there are none. */
  otherToken: Stretch | null;
  /** The last line that another process, or the note of a clean stop, has seen as it is; 0 for none. */
  witnessedTo: number;
  /** One sentence for each place where the chain is broken; empty when it is whole. */
  problems: string[];
  breaks: number;
}

/** All chains, and their comparison with the archive. */
export interface VerifiedTrail {
  chains: Verified[];
  /** The log should have the applied turns from this number on; Infinity where it has none. */
  turnsFrom: number;
  /**
   * One sentence for each turn or task without its line.
   * @param turns those of the archive from `turnsFrom` on, listed before the chains were read.
   */
  missing(turns: readonly ArchivedTurn[]): string[];
}

/** A chain while it is read. */
interface Chain extends Verified {
  /** Each line by its number. */
  hashes: Map<number, string>;
  /** Lines of other chains that this one has seen. */
  seen: { of: ProcessRole; head: Head; at: string }[];
}

/** Reads all chains of a home. Throws what the disk throws, and for a compressed file whose bytes are damaged. */
export function verifyTrail(home: string): VerifiedTrail {
  const key = keyOf(home);
  // Before the lines: a note that is written meanwhile is of a later one.
  const notes = ACTORS.map((actor) => readHead(home, actor, key));
  const currents = readCurrents(home);
  const work = new LoggedWork();
  const chains = ACTORS.map((actor) => readChain(home, actor, key, currents[actor], work));
  for (const chain of chains) {
    // A role opens its file before it says who it is.
    if (chain.lines === 0 && readRole(home, chain.actor) !== null && !existsSync(join(home, auditFile(chain.actor))))
      tell(chain, `${auditFile(chain.actor)} was removed: the ${chain.actor} has run here, and there is no line of it`);
    const noted = notes[ACTORS.indexOf(chain.actor)] ?? null;
    if (noted !== null) compareHeads(chain, [{ by: "note of the last line", head: noted }]);
    for (const witness of chains) {
      const seen = witness.seen.filter(({ of }) => of === chain.actor);
      compareHeads(
        chain,
        seen.map(({ head, at }) => ({ by: `${witness.actor} at ${at}`, head })),
      );
    }
  }
  return {
    chains: chains.map(({ hashes: _, seen: __, ...verified }) => verified),
    turnsFrom: work.turnsFrom(),
    missing: (turns) => work.missing(turns),
  };
}

/** The chain of one role, compared with those of the others. Throws as `verifyTrail` does. */
export function verifyAudit(home: string, actor: ProcessRole): Verified {
  return verifyTrail(home).chains[ACTORS.indexOf(actor)] as Verified;
}

/** null where there is no token that can be read. */
function keyOf(home: string): string | null {
  try {
    return auditKeyOf(readToken(home));
  } catch (error) {
    if (error instanceof HomeError) return null;
    throw error;
  }
}

function tell(chain: Verified, problem: string): void {
  chain.breaks++;
  if (chain.problems.length < PROBLEMS_MAX) chain.problems.push(problem);
}

function readChain(home: string, actor: ProcessRole, key: string | null, current: string, work: LoggedWork): Chain {
  const chain: Chain = {
    actor,
    files: 0,
    lines: 0,
    from: 0,
    to: 0,
    fromAt: "",
    toAt: "",
    head: "",
    torn: 0,
    unkeyed: null,
    otherToken: null,
    witnessedTo: 0,
    problems: [],
    breaks: 0,
    hashes: new Map(),
    seen: [],
  };
  /** The end of the removed part by the chain's own entry: its last line, and that line's hash. */
  const released = new Map<number, string>();
  let start = { seq: 1, previousHash: "" };
  const keys = new KeyOrder(chain);
  for (const { name, read } of trailFiles(home, actor, current)) {
    chain.files++;
    for (const [at, text] of read().split("\n").entries()) {
      if (text === "") continue;
      const line = parseAuditLine(text);
      if (line === null) {
        if (isTorn(text, actor, chain.lines === 0 ? null : chain.to + 1)) chain.torn++;
        else tell(chain, `${name}:${at + 1} is no line of the audit log: it was put in or damaged`);
        continue;
      }
      const place = `${name}:${at + 1}: line ${line.seq}`;
      if (line.actor !== actor) tell(chain, `${place} was written by the ${line.actor}`);
      if (chain.lines === 0) {
        chain.from = line.seq;
        chain.fromAt = line.timestamp;
        start = { seq: line.seq, previousHash: line.previousHash };
      } else if (line.seq !== chain.to + 1) tell(chain, `${place} follows line ${chain.to}`);
      else if (line.previousHash !== chain.head)
        tell(chain, `${place} does not fit line ${chain.to}, which was changed`);
      const keyed = keyOfLine(text, key);
      keys.note(line, keyed, place);
      if (line.event === PRUNED_EVENT) released.set(Number(line.detail?.through), String(line.detail?.hash));
      if (line.event === MISSING_EVENT && keyed === "keyed") tell(chain, missingSentence(place, line));
      if (line.event === WITNESS_EVENT && keyed !== "unkeyed") chain.seen.push(...headsIn(line));
      work.note(line, keyed !== "unkeyed");
      chain.lines++;
      chain.to = line.seq;
      chain.toAt = line.timestamp;
      chain.head = hashOf(text);
      chain.hashes.set(line.seq, chain.head);
    }
  }
  const isWholeStart = start.seq === 1 && start.previousHash === "";
  if (!isWholeStart && released.get(start.seq - 1) !== start.previousHash)
    tell(chain, `the lines before line ${start.seq} are gone, and the chain does not record their removal`);
  return chain;
}

function missingSentence(place: string, { detail, timestamp }: AuditLine): string {
  return `${place} says that at the start of ${timestamp} the file ended with line ${detail?.after}, though line ${detail?.noted} had been written, or another line in its place`;
}

/**
 * The order in which lines may be keyed: first those of an earlier version without a code, then those of an earlier token, then those
 * of the token of now. Anything else was changed or put in.
 */
class KeyOrder {
  private readonly chain: Verified;
  private isKeyed = false;
  private wrong: Stretch | null = null;

  constructor(chain: Verified) {
    this.chain = chain;
  }

  note({ seq, timestamp, event, detail }: AuditLine, key: LineKey, place: string): void {
    const { chain } = this;
    const extended = (stretch: Stretch | null) => ({ from: stretch?.from ?? seq, to: seq, toAt: timestamp });
    if (key === "keyed") {
      const other = chain.otherToken;
      const isTold = event === REKEYED_EVENT && detail?.isReplaced === true;
      if (!this.isKeyed && other !== null && !isTold) {
        chain.otherToken = null;
        tell(chain, `${linesText(other)} are not as they were written: they were changed, or put in without the token`);
      }
      this.isKeyed = true;
      this.wrong = null;
    } else if (this.isKeyed || (key === "unkeyed" && chain.otherToken !== null)) {
      // Of a row of them only the first is told.
      if (this.wrong === null)
        tell(
          chain,
          key === "foreign"
            ? `${place} is not as it was written: it was changed, or put in without the token`
            : `${place} has no code, though lines before it have one: it was written without the token, or by an earlier version`,
        );
      this.wrong = extended(this.wrong);
    } else if (key === "unkeyed") chain.unkeyed = extended(chain.unkeyed);
    else chain.otherToken = extended(chain.otherToken);
  }
}

/** `line 3`, `lines 3 to 7`. */
export function linesText({ from, to }: Pick<Stretch, "from" | "to">): string {
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}

function headsIn({ detail = {}, timestamp }: AuditLine): Chain["seen"] {
  return ACTORS.flatMap((of) => {
    const head = Head.safeParse(detail[of]).data;
    return head === undefined ? [] : [{ of, head, at: timestamp }];
  });
}

/** Compares a chain with the heads that a witness has seen: the first line that differs now, and how far it went. */
function compareHeads(chain: Chain, seen: readonly { by: string; head: Head }[]): void {
  const isOther = ({ head }: { head: Head }) => chain.hashes.has(head.seq) && chain.hashes.get(head.seq) !== head.hash;
  const other = seen.find(isOther);
  if (other !== undefined)
    tell(chain, `${chain.actor}: line ${other.head.seq} is not the one that the ${other.by} saw: it was rewritten`);
  const highest = seen.reduce<(typeof seen)[number] | null>(
    (max, each) => (each.head.seq > (max?.head.seq ?? 0) ? each : max),
    null,
  );
  if (highest !== null && highest.head.seq > chain.to)
    tell(
      chain,
      chain.lines === 0
        ? `${auditFile(chain.actor)} has no line, and the ${highest.by} saw line ${highest.head.seq}: it was removed or emptied`
        : `${chain.actor}: the chain ends with line ${chain.to}, and the ${highest.by} saw line ${highest.head.seq}: the end was cut off`,
    );
  for (const { head } of seen)
    if (chain.hashes.get(head.seq) === head.hash) chain.witnessedTo = Math.max(chain.witnessedTo, head.seq);
}

/**
 * Is this as much of a line as was written when the process or the power failed? A power failure leaves zeros where
 * nothing was written. @param next the number that the line would have; null if unknown.
 */
function isTorn(text: string, actor: ProcessRole, next: number | null): boolean {
  const written = text.replaceAll("\0", "");
  const head = `{"timestamp":"0-0-0T0:0:0.0Z","seq":0,"actor":"${actor}","event":"`;
  const masked = written.replace(/\d+/g, "0");
  if (head.startsWith(masked)) return true;
  const seq = Number(/"seq":(\d+),/.exec(written)?.[1]);
  // Zeros after a whole line: its newline was not written, and the role that starts next writes the line again.
  const isCutOff = tryJson(written) === undefined || written !== text;
  return masked.startsWith(head) && (next === null || seq === next) && isCutOff;
}
