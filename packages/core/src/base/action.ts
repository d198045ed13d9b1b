/** The next steps of the supervisor, as data. Each action may be repeated or cut off at any write: doing it again completes it. */

import type { Approval } from "@mimikit/protocol/approvals/approval";
import type { Role } from "@mimikit/protocol/base/role";
import type { Signal } from "@mimikit/protocol/base/signal";
import type {
  EndedTrigger,
  Note,
  ResultSummary,
  RetryPermit,
  SkippedOccurrences,
} from "@mimikit/protocol/records/archive";
import type { MergeChange, TriggerEdit, UndoableChange } from "@mimikit/protocol/records/change";
import type { MemoryTarget } from "@mimikit/protocol/records/effect";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type {
  AgainCommand,
  AnswerCommand,
  CancelCommand,
  ClearCommand,
  CommandOf,
  CommandWithOutcome,
  Event,
  InboxCommand,
  Message,
  RestartCommand,
  RetryCommand,
  RevokeCommand,
  SteerCommand,
  StopCommand,
  UndoCommand,
} from "@mimikit/protocol/records/inbox";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { DependentTask, Trigger, TriggerRecord } from "@mimikit/protocol/records/trigger";

/**
 * A change of a document that people edit too; it carries its id, so that it is made once (docs/file-protocol.md R10).
 */
export type DocumentEdit =
  | {
      document: "memory";
      id: string;
      at: string;
      content: string;
      longTerm: boolean;
      target?: MemoryTarget | undefined;
    }
  | {
      document: "entry";
      id: string;
      path: string;
      entry: string;
      to: string | undefined;
      /** Made instead if there is no such entry any more: the new text is not lost. */
      otherwise?: Extract<DocumentEdit, { document: "memory" }>;
      /** Made as well: what the entry says is forgotten where it was said, too. */
      said?: Extract<DocumentEdit, { document: "memory" }>;
    }
  | { document: "backlog"; id: string; op: "add" | "done" | "remove"; item: string };

/** A command that asks for an edit. */
export type NoteCommand = CommandOf<"memory-add" | "memory-edit" | "backlog-edit">;

/**
 * Everything that applying a result means, in the order in which it is done
 * (docs/file-protocol.md#the-life-of-a-message step 5).
 */
export interface Settlement {
  result: Result;
  tasks: Task[];
  triggers: TriggerRecord[];
  questions: Question[];
  /** Records with which its triggers can be undone. */
  changes: UndoableChange[];
  /** The next versions of what the verdicts of a batch are about. */
  versions: TriggerRecord[];
  edits: DocumentEdit[];
  /** Shorter texts that later turns read in place of results; the first one of a task counts. */
  summaries: ResultSummary[];
  /** Tasks that the result cancels. */
  cancels: string[];
  events: Event[];
  /** The messages that the turn consumed; archived before the turn itself. */
  messages: string[];
  /** The command that the turn carries out. */
  commands: (ClearCommand | RetryCommand)[];
  consumedEvents: string[];
  reports: string[];
}

/** A record that can go; `outages` are attempts of an open task, in running/, that others of the same outage stand for. */
export type Removal =
  | { from: "inbox" | "signals" | "questions"; id: string }
  | { from: "triggers"; id: string; version: number }
  | { from: "queue" | "results"; role: Role; id: string }
  | { from: "running" | "outages"; role: Role; id: string; attempt: number; isJoined?: true };

export type Action =
  /** Give a dropped file its id and its place. */
  | { type: "adopt"; path: string; command: InboxCommand }
  /** Set aside a file that is no record. */
  | { type: "quarantine"; path: string; reason: string; inode: number }
  /** Answer a cancel command; with `taskId`, mark that task and everything below it as cancelled. */
  | {
      type: "cancel";
      command: CancelCommand;
      taskId: string | null;
      outcome: string;
      change?: UndoableChange | undefined;
    }
  /** Tell a task what the user says to it or, where nothing runs, make a message of it. */
  | { type: "steer"; command: SteerCommand; taskId: string | null; outcome: string }
  /** A steering message that no run received before its task ended becomes a message. */
  | { type: "unheard"; signal: Signal; message: Message }
  /** End a turn with `result`, or cancel a task; null for both where nothing runs. */
  | { type: "stop"; command: StopCommand; taskId: string | null; result: Result | null; outcome: string }
  /** End a task without running it (again). */
  | { type: "finish"; result: Result }
  | { type: "settle"; settlement: Settlement }
  /** A dependent task becomes a task under its own id. */
  | { type: "fire"; task: Task }
  /** A trigger that a user asked for; `change` is what it can be undone with. */
  | { type: "create-trigger"; trigger: Trigger; change?: UndoableChange | undefined }
  /** The next version of a trigger: the first writer has decided. */
  | { type: "advance"; trigger: DependentTask | Trigger; change?: UndoableChange | undefined }
  /** The decision of a trigger version is carried out. */
  | { type: "carry-out"; trigger: Trigger; tasks: Task[]; events: Event[]; skips: SkippedOccurrences[] }
  /** A trigger is over. */
  | { type: "end-trigger"; trigger: Trigger; outcome: EndedTrigger["outcome"] }
  /** A batch of semantic conditions. */
  | { type: "evaluate"; task: Task }
  /** The messages of a note's turns go into memory; the first writer of the note has decided. */
  | { type: "note"; note: Note; messages: HistoryMessage[] }
  /** Old notes, or the days of an old month, are to be summed up. */
  | { type: "roll-up"; task: Task }
  /** The first step of an improvement. */
  | { type: "improve"; task: Task }
  /** Put a question to the user. */
  | { type: "ask"; question: Question }
  /** The first writer of a closed question has decided. */
  | { type: "close-question"; closed: ClosedQuestion }
  /** The Teller is told what became of a question, where it is to know; then the record of the question goes. */
  | { type: "conclude-question"; id: string; event: Event | null }
  /** An answer that finds its question closed, or none at all, is a message. */
  | { type: "answer-late"; command: AnswerCommand; message: Message; outcome: string }
  /** A task that was cut off may run again, or goes on with what the owner has said to its call; `approval` is what that allows for good. */
  | { type: "permit"; permit: RetryPermit; approval?: Approval }
  /** An approval is revoked: such commands ask again. */
  | { type: "revoke"; command: RevokeCommand }
  /** The user has agreed to a restart: it becomes a command like any other. */
  | { type: "order-restart"; command: Omit<RestartCommand, "mac"> }
  /** A command whose effect is durable, or that cannot be granted. */
  /** An ended task is done once more, as this one. */
  | { type: "again"; command: AgainCommand; task: Task }
  | { type: "answer-command"; command: CommandWithOutcome; outcome: string }
  /** Make the requested edit, and report its outcome. */
  | { type: "note-down"; command: NoteCommand; edit: DocumentEdit }
  /** Undo a change of a document or of the settings, as far as it was not changed since, and report the outcome. */
  | { type: "undo"; command: UndoCommand; change: Exclude<UndoableChange, TriggerEdit | MergeChange> }
  /** Take a merged improvement back: a task, because git is touched by the pool alone. */
  | { type: "unmerge"; task: Task }
  /** A change was undone, by this command or by one before it. */
  | { type: "conclude-undo"; command: UndoCommand; outcome: string }
  /** A system event for the Teller that follows from no record. */
  | { type: "tell"; event: Event }
  | { type: "wake"; turn: Task }
  /** Start the processes again, once (docs/file-protocol.md R11). */
  | { type: "restart"; command: RestartCommand }
  /** Drop what is applied, after the archive is durable. */
  | { type: "remove"; removals: Removal[] };
