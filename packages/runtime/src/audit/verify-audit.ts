/**
 * Reads the chain of a role and says from which line to which it is whole: between them no line was cut out, changed or put
 * in (SPEC N1). It cannot know of lines after the last one, of the last line itself, of a chain that is missing as a whole,
 * and of one that somebody has calculated anew: there is no secret in it. Whoever notes the head that it names, and finds it
 * again later, knows of everything up to there.
 */
import { tryJson } from "@mimikit/protocol/base/json";
import type { ProcessRole } from "../process/role-record.ts";
import { hashOf, PRUNED_EVENT, parseAuditLine } from "./audit-chain.ts";
import { trailFiles } from "./audit-trail.ts";

/** Breaks that are named; after so many the rest is only counted. */
const PROBLEMS_MAX = 20;

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
  /** One sentence for each place where the chain is broken; empty when it is whole. */
  problems: string[];
  breaks: number;
}

/** Reads the whole chain of a role. Throws what the disk throws, and for a compressed file whose bytes are damaged. */
export function verifyAudit(home: string, actor: ProcessRole): Verified {
  const found: Verified = {
    actor,
    files: 0,
    lines: 0,
    from: 0,
    to: 0,
    fromAt: "",
    toAt: "",
    head: "",
    torn: 0,
    problems: [],
    breaks: 0,
  };
  /** What the chain says it has let go of: the last line of it, and that line's hash. */
  const released = new Map<number, string>();
  let start = { seq: 1, previousHash: "" };
  const tell = (problem: string) => {
    found.breaks++;
    if (found.problems.length < PROBLEMS_MAX) found.problems.push(problem);
  };
  for (const { name, read } of trailFiles(home, actor)) {
    found.files++;
    for (const [at, text] of read().split("\n").entries()) {
      if (text === "") continue;
      const line = parseAuditLine(text);
      if (line === null) {
        if (isTorn(text, actor, found.lines === 0 ? null : found.to + 1)) found.torn++;
        else tell(`${name}:${at + 1} is no line of the audit log: it was put in or damaged`);
        continue;
      }
      const place = `${name}:${at + 1}: line ${line.seq}`;
      if (line.actor !== actor) tell(`${place} was written by the ${line.actor}`);
      if (found.lines === 0) {
        found.from = line.seq;
        found.fromAt = line.timestamp;
        start = { seq: line.seq, previousHash: line.previousHash };
      } else if (line.seq !== found.to + 1) tell(`${place} follows line ${found.to}`);
      else if (line.previousHash !== found.head) tell(`${place} does not fit line ${found.to}, which was changed`);
      if (line.event === PRUNED_EVENT) released.set(Number(line.detail?.through), String(line.detail?.hash));
      found.lines++;
      found.to = line.seq;
      found.toAt = line.timestamp;
      found.head = hashOf(text);
    }
  }
  const isWholeStart = start.seq === 1 && start.previousHash === "";
  if (!isWholeStart && released.get(start.seq - 1) !== start.previousHash)
    tell(`what came before line ${start.seq} is gone, and the chain does not say that it was let go`);
  return found;
}

/**
 * Is this as much of a line as was written when the process or the power failed? A power failure leaves zeros where nothing
 * was written. @param next the number that the line would have; null where nobody knows.
 */
function isTorn(text: string, actor: ProcessRole, next: number | null): boolean {
  const written = text.replaceAll("\0", "");
  const head = `{"timestamp":"0-0-0T0:0:0.0Z","seq":0,"actor":"${actor}","event":"`;
  const masked = written.replace(/\d+/g, "0");
  if (head.startsWith(masked)) return true;
  const seq = Number(/"seq":(\d+),/.exec(written)?.[1]);
  return masked.startsWith(head) && (next === null || seq === next) && tryJson(written) === undefined;
}
