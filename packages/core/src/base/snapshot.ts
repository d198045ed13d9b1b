/** The facts that decisions are made of: what was on disk at one look. Nothing here reads a clock or a disk. */

import { ancestorsOf, cancelMark, turnNumber } from "@mimikit/protocol/base/id";
import type { TaskKind } from "@mimikit/protocol/base/kind";
import type { Report } from "@mimikit/protocol/base/report";
import type { Role } from "@mimikit/protocol/base/role";
import type { Signal } from "@mimikit/protocol/base/signal";
import type { Via } from "@mimikit/protocol/channels/via";
import type { Note } from "@mimikit/protocol/records/archive";
import type { UndoableChange } from "@mimikit/protocol/records/change";
import type { FailedAttempt } from "@mimikit/protocol/records/claim";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { DependentTask, Trigger } from "@mimikit/protocol/records/trigger";
import type { Facts } from "../conditions/condition.ts";
import type { SourceText } from "../memory/roll-up.ts";
import type { Ceiling, Limit, Spending } from "./budget.ts";
import type { MemoryBounds } from "./memory-bounds.ts";

/** One claim of a task: whether the process that made it still lives, and how it ended if it said so. */
export interface AttemptFacts {
  role: Role;
  attempt: number;
  ownerAlive: boolean;
  /** When it was claimed, ISO 8601; not known of a claim that is gone. */
  at?: string;
  /** The spending reserved for it until its cost is known (SPEC N2). */
  reserved?: Spending;
  failed?: FailedAttempt;
  /** The machine that has it; not set for this one. */
  pool?: string;
  /** A turn was begun beside it. */
  isJoined?: true;
}

/** How many attempts of a task have begun, by the number of the last: of those of an outage not all are kept. */
export function countAttempts(attempts: readonly Pick<AttemptFacts, "attempt">[] = []): number {
  return attempts.at(-1)?.attempt ?? 0;
}

/** Was this attempt cut off: by a crash, or because its pool was told to stop? That is no failure of the task. */
export function wasCutOff(attempt: AttemptFacts): boolean {
  if (attempt.failed !== undefined) return attempt.failed.failureReason === "interrupted";
  return !attempt.ownerAlive;
}

/** Has this attempt not said what it cost? It runs, was cut off, or has just handed in. */
export function isUnaccounted({ failed }: Pick<AttemptFacts, "failed">): boolean {
  return failed === undefined || failed.death !== undefined;
}

/** A file that is none of our records, as it has been since `sinceMs`. */
export interface UnreadableFile {
  path: string;
  reason: string;
  sinceMs: number;
  /** Which file it is: another may take its place. */
  inode: number;
  /** Its writer may not have finished: it ends in the middle, or has a temporary name. */
  isUnfinished?: true;
}

/** Which task a steer or a stop found; null where nothing ran. Archived with the command, so that it is decided once. */
export interface SteeringDecision {
  taskId: string | null;
}

/** The records that a rule may have to act upon now; all others are known to need nothing. */
export interface Attended {
  /** Queued tasks that end without the pool, were cut off, or are cancelled or applied. */
  tasks: ReadonlyMap<string, Task>;
  dependents: ReadonlyMap<string, DependentTask>;
  triggers: ReadonlyMap<string, Trigger>;
  attempts: ReadonlyMap<string, readonly AttemptFacts[]>;
}

export interface Snapshot {
  attention: Attended;
  /** Commands and events by id, settled ones that are not cleaned up yet included. */
  inbox: ReadonlyMap<string, InboxCommand>;
  /** Dropped files by path, completed to full commands. */
  dropped: ReadonlyMap<string, InboxCommand>;
  unreadable: readonly UnreadableFile[];
  /** The dependent tasks, by the id of their task. */
  dependents: ReadonlyMap<string, DependentTask>;
  /** The newest version of each trigger. */
  triggers: ReadonlyMap<string, Trigger>;
  /** Versions of triggers that a newer one has replaced. */
  staleVersions: readonly { id: string; version: number }[];
  /** Questions that are open, or closed and not cleaned up yet. */
  questions: ReadonlyMap<string, Question>;
  /** Steering messages for running tasks, by the id of the command. */
  signals: ReadonlyMap<string, Signal>;
  /** The changes that can be undone, by the id of the change. */
  changes: ReadonlyMap<string, UndoableChange>;
  /** Tasks of all roles by id. */
  queue: ReadonlyMap<string, Task>;
  /** Those of them that are of these kinds. */
  queuedOf(...kinds: TaskKind[]): Iterable<Task>;
  /** Those of them that come from a trigger. */
  queuedBy(triggerId: string): Iterable<Task>;
  /** Those of them, and the dependent tasks, that a plan has made. */
  childrenOf(parentId: string): { tasks: Iterable<Task>; dependents: Iterable<DependentTask> };
  /** Claims by task id, oldest first; also of tasks that are gone. */
  attempts: ReadonlyMap<string, readonly AttemptFacts[]>;
  /** Tasks whose machine has been silent for so long that the owner is asked. */
  silentAway: ReadonlySet<string>;
  results: ReadonlyMap<string, Result>;
  /** "Has this ever been settled?", from memory; execution confirms a no by name (docs/file-protocol.md R4). */
  isArchived(id: string): boolean;
  /** The final outcome of a task that a trigger waits for; undefined while it has none. */
  outcomeOf(taskId: string): Report | undefined;
  /** The result of an ended task that a user wants to be run again; undefined while it has none. */
  resultOf(taskId: string): Result | undefined;
  /** The steers that an ended task heard; undefined while it has no final outcome. */
  heardBy(taskId: string): ReadonlySet<string> | undefined;
  /** The decision about an archived command that is still in inbox/. */
  decisionOf(commandId: string): SteeringDecision | undefined;
  /** How a question that decisions depend on was closed; undefined while it is open, or if it was never asked. */
  closedQuestion(id: string): ClosedQuestion | undefined;
  /** The conversation around an open question; undefined where no message may be its answer, or it was asked too long ago. */
  talkAround?(questionId: string): TalkAround | undefined;
  /** The stamp of a path or glob that a condition asks about; see `Facts`. */
  stampOf(path: string): string | undefined;
  /** The files at a path or glob that changed after a moment; see `Facts`. */
  changedSince?(path: string, sinceMs: number): readonly string[];
  /** Has it stayed the same for so many seconds? See `Facts`. */
  hasSettled(path: string, settleSec: number): boolean;
  /** The IANA zone of the server: that of times that name none. */
  timeZone: string;
  /** The last batch of semantic conditions; null before the first. */
  evaluation: LastEvaluation | null;
  /** The progress of memory: what it holds of the conversation, and what is to go there. */
  memory: MemoryFacts;
  /** The ceiling that all spending has reached; null while there is room. */
  ceiling: Ceiling | null;
  /** How many plans one after the other may come of reports alone before the owner is asked. */
  ownOrdersMax: number;
  /** Today's cost of the work of a trigger. */
  spentByTrigger(id: string): Spending;
  /** The last applied turn that answers the user; null before the first, and if no command wants it answered again. */
  lastAnswer: Result | null;
  /** The highest number of an applied turn; 0 before the first. */
  settledTurn: number;
  /** The facts that self-improvement depends on (SPEC J1). */
  improving: Improving;
}

/** The conversation around a question. */
export interface TalkAround {
  /** The channel of the messages that the asking turn answered; none for the page, and for a turn without messages. */
  via?: Via;
  /** The Teller's words to the user in the turns after it. */
  since: readonly string[];
}

export interface Improving {
  /** Is it to begin by itself? */
  isEnabled: boolean;
  /** Does a model answer for the Worker and the Reviewer? Why not; null where they do. */
  lacks: string | null;
  /** Seconds of quiet before a look. */
  idleSec: number;
  /** Its daily limit, and what it has spent today. */
  limit: Limit;
  spent: Spending;
  /** The highest number of an improvement, in any state; 0 before the first. */
  number: number;
  /** How many of the last improvements came to nothing, one after the other, since the user last said something. */
  failures: number;
  /** When something last came in or was handed in, milliseconds since the epoch. */
  activeMs: number;
}

export interface LastEvaluation {
  number: number;
  /** When it was created, ISO 8601. */
  at: string;
  /** It has no outcome yet, or one that is not settled. */
  isOpen: boolean;
  /** How many of the last batches have failed, one after the other. */
  failures: number;
}

/** The messages of an applied turn; maybe none. */
export interface TurnSaid {
  turn: number;
  messages: readonly HistoryMessage[];
}

export interface MemoryFacts {
  bounds: MemoryBounds;
  /** The last note; `isKept` once its messages are durable in their file. Null before the first. */
  note: (Note & { isKept: boolean }) | null;
  /** The turns after those that are kept, without a gap, as far as they have been read. */
  said: readonly TurnSaid[];
  /** How many messages history.json holds, or will hold. */
  windowMessages: number;
  /** When the window was cut last, ISO 8601; null where that is long ago, or was never. */
  flushedAt: string | null;
  /** The oldest period that may be summed up now, by its next try, with its sources; null while there is none. */
  rollUp: {
    period: string;
    number: number;
    sources: readonly SourceText[];
    /** Of a month: the entries of memory.md. */
    remembered?: readonly string[];
  } | null;
}

/** The world as conditions see it. */
export function factsAt(snapshot: Snapshot, nowMs: number): Facts {
  const { timeZone } = snapshot;
  return {
    nowMs,
    timeZone,
    outcomeOf: (taskId) => snapshot.outcomeOf(taskId),
    isForgiven: () => false,
    stampOf: (path) => snapshot.stampOf(path),
    changedSince: (path, sinceMs) => snapshot.changedSince?.(path, sinceMs) ?? [],
    hasSettled: (path, settleSec) => snapshot.hasSettled(path, settleSec),
  };
}

/** Is this task, or a task above it, cancelled? (docs/file-protocol.md#the-life-of-a-task) */
export function isCancelled(snapshot: Pick<Snapshot, "isArchived">, id: string): boolean {
  return [id, ...ancestorsOf(id)].some((each) => snapshot.isArchived(cancelMark(each)));
}

/** Has a queued task no final outcome yet? */
export function isOpen({ results, isArchived }: Pick<Snapshot, "results" | "isArchived">, { id }: Task): boolean {
  return !results.has(id) && !isArchived(id);
}

/** Queued tasks that have no final outcome yet. @param among all of them where nothing else is said. */
export function openTasks(snapshot: Snapshot, among: Iterable<Task> = snapshot.queue.values()): Task[] {
  return [...among].filter((task) => isOpen(snapshot, task));
}

/** Dependent tasks that have neither fired nor ended. @param among all of them where nothing else is said. */
export function openDependents(
  snapshot: Snapshot,
  among: Iterable<DependentTask> = snapshot.dependents.values(),
): DependentTask[] {
  return [...among].filter(
    ({ id }) => !snapshot.queue.has(id) && !snapshot.results.has(id) && !snapshot.isArchived(id),
  );
}

/** Triggers that are not over. @param among all of them where nothing else is said. */
export function openTriggers(snapshot: Snapshot, among: Iterable<Trigger> = snapshot.triggers.values()): Trigger[] {
  return [...among].filter(({ id }) => !snapshot.isArchived(id));
}

/** Outcomes that are not applied yet. */
export function openResults(snapshot: Snapshot): Result[] {
  return [...snapshot.results.values()].filter((result) => !snapshot.isArchived(result.id));
}

/** The highest turn number that exists in any state. */
export function highestTurn(snapshot: Snapshot): number {
  let highest = snapshot.settledTurn;
  for (const { id } of snapshot.queuedOf("turn", "announcement")) highest = Math.max(highest, turnNumber(id));
  for (const id of snapshot.results.keys()) highest = Math.max(highest, turnNumber(id));
  return highest;
}

/** A half-written file is left alone for this long. */
export const UNREADABLE_GRACE_MS = 2_000;
/** A file in inbox/ that its writer may not have finished is left alone for this long after its last change. */
export const UNFINISHED_GRACE_MS = 15_000;
