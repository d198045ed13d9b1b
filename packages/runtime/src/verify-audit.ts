/**
 * Proves of the chain of a role that no line was cut out, changed or put in (SPEC N1). What it cannot prove is that the
 * newest lines are all there: whoever wants that notes the head that it names, and looks for it again later.
 */
import { hashOf, PRUNED_EVENT, parseAuditLine } from "./audit-chain.ts";
import { trailFiles } from "./audit-trail.ts";
import type { ProcessRole } from "./role-record.ts";

/** Breaks that are named; after so many the rest is only counted. */
const PROBLEMS_MAX = 20;

export interface Verified {
  actor: ProcessRole;
  files: number;
  lines: number;
  /** Numbers of the first and the last line; 0 where there is none. */
  from: number;
  to: number;
  /** The hash of the last line. */
  head: string;
  /** Lines that a crash cut off in the middle, after which the chain goes on. */
  torn: number;
  /** One sentence for each place where the chain is broken; empty when it is whole. */
  problems: string[];
  breaks: number;
}

/** Reads the whole chain of a role. Throws what the disk throws, and for a compressed file whose bytes are damaged. */
export function verifyAudit(home: string, actor: ProcessRole): Verified {
  const found: Verified = { actor, files: 0, lines: 0, from: 0, to: 0, head: "", torn: 0, problems: [], breaks: 0 };
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
        found.torn++;
        continue;
      }
      const place = `${name}:${at + 1}: line ${line.seq}`;
      if (line.actor !== actor) tell(`${place} was written by the ${line.actor}`);
      if (found.lines === 0) {
        found.from = line.seq;
        start = { seq: line.seq, previousHash: line.previousHash };
      } else if (line.seq !== found.to + 1) tell(`${place} follows line ${found.to}`);
      else if (line.previousHash !== found.head) tell(`${place} does not fit line ${found.to}, which was changed`);
      if (line.event === PRUNED_EVENT) released.set(Number(line.detail?.through), String(line.detail?.hash));
      found.lines++;
      found.to = line.seq;
      found.head = hashOf(text);
    }
  }
  const isWholeStart = start.seq === 1 && start.previousHash === "";
  if (!isWholeStart && released.get(start.seq - 1) !== start.previousHash)
    tell(`what came before line ${start.seq} is gone, and the chain does not say that it was let go`);
  return found;
}
