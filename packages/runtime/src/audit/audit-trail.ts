/** The audit lines of all roles, over finished files and those being written, as pages and as one stream in order of time. */

import type { AuditLine } from "@mimikit/protocol/records/audit";
import type { AuditAnswer } from "@mimikit/protocol/wire/api";
import { ACTORS, type ProcessRole } from "../process/role-record.ts";
import { parseAuditLine } from "./audit-chain.ts";
import { auditFile, readCurrent, readRotated, rotatedFiles } from "./audit-files.ts";

/** One audit file, oldest first in a trail. */
export interface TrailFile {
  name: string;
  /** The number of its first line; Infinity where nothing is written yet. */
  firstSeq: number;
  read(): string;
}

/**
 * The files of a role at this moment. The file that is being written is read now, before the others are listed, so that
 * a line that moves meanwhile is not missed; a finished file that holds the same lines is left out.
 * @param current the text of the file that is being written, where that was read before.
 */
export function trailFiles(home: string, actor: ProcessRole, current = readCurrent(home, actor)): TrailFile[] {
  const currentSeq = firstSeqOf(current);
  const files = rotatedFiles(home, actor)
    .filter(({ firstSeq }) => firstSeq < currentSeq)
    .map(({ name, firstSeq }) => ({ name, firstSeq, read: () => readRotated(home, name) }));
  return [...files, { name: auditFile(actor), firstSeq: currentSeq, read: () => current }];
}

/** Where a reader is in each chain: the number of the last line that it has seen, 0 for none. */
export type Position = Record<ProcessRole, number>;

const POSITION = /^s(\d{1,15})\.w(\d{1,15})\.g(\d{1,15})(?:\.c(\d{1,15}))?(?:\.d(\d{1,15}))?$/;

/** Before the first line of all. */
export const START: Position = { supervisor: 0, workers: 0, gateway: 0, channels: 0, dispatcher: 0 };

/** A position as readers hand it back: `s12.w3.g7`, and `s12.w3.g7.c2` where channels have said something, `.d4` where the dispatcher has. */
export function positionText({ supervisor, workers, gateway, channels, dispatcher }: Position): string {
  return `s${supervisor}.w${workers}.g${gateway}${channels > 0 ? `.c${channels}` : ""}${dispatcher > 0 ? `.d${dispatcher}` : ""}`;
}

/** null for what is no position. */
export function parsePosition(text: string): Position | null {
  const match = POSITION.exec(text);
  if (match === null) return null;
  const [, supervisor = 0, workers = 0, gateway = 0, channels = 0, dispatcher = 0] = match.map((digits) =>
    Number(digits ?? 0),
  );
  return { ...START, supervisor, workers, gateway, channels, dispatcher };
}

/** The first `count` lines of these roles after a position. Throws what the disk throws. */
export function readAfter(home: string, after: Position, count: number, actors = ACTORS): AuditAnswer {
  const found = actors.map((actor) => linesAfter(home, actor, after[actor], count));
  const entries = inOrder(found).slice(0, count);
  const next = { ...after };
  for (const { actor, seq } of entries) next[actor] = seq;
  return { entries, next: positionText(next), previous: previousOf(entries, after, actors) };
}

/** The last `count` lines of these roles before a position, or the newest of all. Throws what the disk throws. */
export function readBefore(home: string, before: Position | null, count: number, actors = ACTORS): AuditAnswer {
  const found = actors.map((actor) => linesBefore(home, actor, before?.[actor] ?? Infinity, count));
  const entries = inOrder(found).slice(-count);
  const next: Position = { ...START };
  // Lines that are left out of the page are older than all of it, so a reader that goes on after it has not missed them.
  for (const [at, actor] of actors.entries())
    next[actor] = before === null ? (found[at]?.at(-1)?.seq ?? 0) : Math.max(0, before[actor] - 1);
  return { entries, next: positionText(next), previous: previousOf(entries, next, actors) };
}

/** Every line that there is, in order of time. Throws what the disk throws. */
export function readWholeTrail(home: string): AuditLine[] {
  return inOrder(ACTORS.map((actor) => linesAfter(home, actor, 0, Infinity)));
}

/** `before` of what is in front of these lines: exclusive, so one more than the last line that has not been shown. */
function previousOf(entries: readonly AuditLine[], shown: Position, actors: readonly ProcessRole[]): string | null {
  const before: Position = { ...START };
  for (const actor of actors) before[actor] = entries.find((entry) => entry.actor === actor)?.seq ?? shown[actor] + 1;
  return actors.every((actor) => before[actor] <= 1) ? null : positionText(before);
}

function linesAfter(home: string, actor: ProcessRole, after: number, count: number): AuditLine[] {
  const files = trailFiles(home, actor);
  const lines: AuditLine[] = [];
  for (const [at, file] of files.entries()) {
    const following = files[at + 1];
    // All that is in this file comes before the first line of the next one.
    const isRead = following !== undefined && following.firstSeq <= after + 1;
    if (isRead) continue;
    for (const text of file.read().split("\n")) {
      if (seqIn(text) <= after) continue;
      const line = parseAuditLine(text);
      if (line !== null) lines.push(line);
      if (lines.length >= count) return lines;
    }
  }
  return lines;
}

function linesBefore(home: string, actor: ProcessRole, before: number, count: number): AuditLine[] {
  const lines: AuditLine[] = [];
  for (const file of trailFiles(home, actor).reverse()) {
    if (lines.length >= count) break;
    if (file.firstSeq >= before) continue;
    for (const text of file.read().split("\n").reverse()) {
      if (lines.length >= count) break;
      const seq = seqIn(text);
      if (seq === 0 || seq >= before) continue;
      const line = parseAuditLine(text);
      if (line !== null) lines.push(line);
    }
  }
  return lines.reverse();
}

/** The number of a line without reading all of it; 0 for what has none. */
function seqIn(text: string): number {
  return Number(/^\{"timestamp":"[^"]{1,40}","seq":(\d{1,15}),/.exec(text)?.[1] ?? 0);
}

function firstSeqOf(text: string): number {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const seq = seqIn(text.slice(from, end === -1 ? text.length : end));
    if (seq > 0) return seq;
    if (end === -1) break;
    from = end + 1;
  }
  return Infinity;
}

/** By time; the lines of one chain stay in their order, whatever the clock did. */
function inOrder(chains: readonly (readonly AuditLine[])[]): AuditLine[] {
  const places = chains.map((lines) => ({ lines, at: 0 }));
  const merged: AuditLine[] = [];
  for (;;) {
    let oldest: { place: (typeof places)[number]; line: AuditLine } | undefined;
    for (const place of places) {
      const line = place.lines[place.at];
      if (line !== undefined && (oldest === undefined || line.timestamp < oldest.line.timestamp))
        oldest = { place, line };
    }
    if (oldest === undefined) return merged;
    merged.push(oldest.line);
    oldest.place.at++;
  }
}
