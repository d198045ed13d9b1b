/** The fate of each message of a trial: a pure reading of its journals. */
import type { Reply } from "./assistants/assistant.ts";
import type { Entry } from "./journal.ts";
import { repliesIn } from "./words.ts";

/** An answer that took longer than this, the time that the service was down left out, is late. */
export const LATE_MS = 30_000;

export interface Verdict {
  kills: number;
  sent: number;
  /** The assistant said that it had them. */
  taken: number;
  /** It did not: it was down, or was killed before it had said so. */
  unconfirmed: number;
  /** Taken, and without an answer when everything was calm. */
  lost: number;
  /**
   * Of these, those that were not answered either when they were sent again under their own ids; null where the assistant's own
   * page does not do that.
   */
  lostAfterSendingAgain: number | null;
  answered: number;
  /** Their answer stands more than once in the conversation. */
  doubled: number;
  /** Taken and answered, but only after `LATE_MS`; null where the assistant keeps no times. */
  late: number | null;
  modelCalls: number;
  /** Milliseconds from a kill until a client could send again: the median, and the most. */
  readyMs: { median: number; most: number };
}

/** @param journals of a trial, one for each home. */
export function judge(...journals: readonly (readonly Entry[])[]): Verdict {
  const fates = journals.map(fatesIn);
  const sum = (count: (fates: Fates) => number) => fates.reduce((total, each) => total + count(each), 0);
  const sumKnown = (count: (fates: Fates) => number | null) =>
    fates.every((each) => count(each) === null) ? null : sum((each) => count(each) ?? 0);
  const downMs = fates.flatMap((each) => each.downMs).sort((a, b) => a - b);
  return {
    kills: sum(({ kills }) => kills),
    sent: sum(({ sent }) => sent),
    taken: sum(({ taken }) => taken),
    unconfirmed: sum(({ unconfirmed }) => unconfirmed),
    lost: sum(({ lost }) => lost),
    lostAfterSendingAgain: sumKnown(({ lostAfterSendingAgain }) => lostAfterSendingAgain),
    answered: sum(({ answered }) => answered),
    doubled: sum(({ doubled }) => doubled),
    late: sumKnown(({ late }) => late),
    modelCalls: sum(({ modelCalls }) => modelCalls),
    readyMs: { median: downMs[Math.floor(downMs.length / 2)] ?? 0, most: downMs.at(-1) ?? 0 },
  };
}

/** Counts of one home, and the milliseconds that it was down after each kill. */
interface Fates extends Omit<Verdict, "readyMs"> {
  downMs: number[];
}

function fatesIn(entries: readonly Entry[]): Fates {
  const of = <Is extends Entry["is"]>(is: Is) =>
    entries.filter((entry): entry is Extract<Entry, { is: Is }> => entry.is === is);
  const replies = of("calm").at(-1)?.replies ?? [];
  const later = of("sent again").at(-1)?.replies;
  const answers = answersIn(replies);
  const downs = downsOf(entries);
  const taken = of("taken");
  const waits = taken.map(({ nonce, atMs }) => {
    const answered = answers.get(nonce)?.at(0);
    return typeof answered === "number" ? answered - atMs - downWithin(downs, atMs, answered) : null;
  });
  const hasTimes = replies.some(({ atMs }) => atMs !== null);
  return {
    kills: of("killed").length,
    sent: of("sent").length,
    taken: taken.length,
    unconfirmed: of("unconfirmed").length,
    lost: missing(taken, answers),
    lostAfterSendingAgain: later === undefined ? null : missing(taken, answersIn(later)),
    answered: answers.size,
    doubled: [...answers.values()].filter(({ length }) => length > 1).length,
    late: hasTimes ? waits.filter((ms) => ms !== null && ms > LATE_MS).length : null,
    modelCalls: of("model").reduce((sum, { calls }) => sum + calls, 0),
    downMs: downs.map(({ fromMs, toMs }) => toMs - fromMs),
  };
}

/** When each nonce was said, once for each reply that says it. */
function answersIn(replies: readonly Reply[]): Map<string, (number | null)[]> {
  const answers = new Map<string, (number | null)[]>();
  for (const { text, atMs } of replies)
    for (const nonce of new Set(repliesIn(text))) answers.set(nonce, [...(answers.get(nonce) ?? []), atMs]);
  return answers;
}

function missing(taken: readonly { nonce: string }[], answers: ReadonlyMap<string, unknown>): number {
  return taken.filter(({ nonce }) => !answers.has(nonce)).length;
}

interface Down {
  fromMs: number;
  toMs: number;
}

/** From each kill until it was ready again. */
function downsOf(entries: readonly Entry[]): Down[] {
  const downs: Down[] = [];
  let fromMs: number | null = null;
  for (const { is, atMs } of entries) {
    if (is === "killed") fromMs ??= atMs;
    if (is !== "ready" || fromMs === null) continue;
    downs.push({ fromMs, toMs: atMs });
    fromMs = null;
  }
  return downs;
}

function downWithin(downs: readonly Down[], fromMs: number, toMs: number): number {
  return downs.reduce((sum, down) => sum + Math.max(0, Math.min(toMs, down.toMs) - Math.max(fromMs, down.fromMs)), 0);
}
