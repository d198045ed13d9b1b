/**
 * The state directory in memory. Directories are read in the order in which a record moves through them, so that one
 * in motion is seen at least once; a record is read once, because it never changes.
 */
import type { AttemptFacts, UnreadableFile } from "@mimikit/core/base/snapshot";
import type { AttachedFile, AttachmentOrder } from "@mimikit/protocol/base/attachment";
import { ID_PATTERN } from "@mimikit/protocol/base/id-pattern";
import { BadJson, isCutOff, parseJson, parseRecord, UnfinishedJson } from "@mimikit/protocol/base/json";
import type { TaskKind } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { Signal } from "@mimikit/protocol/base/signal";
import { UndoableChange } from "@mimikit/protocol/records/change";
import { Claim, FailedAttempt, type Identity, Joined } from "@mimikit/protocol/records/claim";
import { DroppedCommand, InboxCommand, isIdOf, needsSignature } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { type DependentTask, type Trigger, TriggerRecord } from "@mimikit/protocol/records/trigger";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { findAttachments, UnknownAttachment } from "../attachments/attachments.ts";
import { droppedId } from "../disk/dropped-file.ts";
import type { FileInfo, FileSystem } from "../disk/file-system.ts";
import { isSigned } from "../disk/sign.ts";
import {
  CHANGES,
  INBOX,
  inboxPath,
  QUESTIONS,
  queueOf,
  recordIn,
  resultsOf,
  runningOf,
  SIGNALS,
  TRIGGERS,
} from "../disk/state.ts";
import { ArchiveIndex } from "./archive-index.ts";
import { AttemptCache, type AttemptRecord, type RunningEntry } from "./attempt-cache.ts";
import { Collection, type CollectionOptions } from "./collection.ts";
import { Groups } from "./groups.ts";
import type { ChangedNames } from "./pending-changes.ts";
import { TriggerVersions } from "./trigger-versions.ts";

type InboxEntry = { command: InboxCommand } | { dropped: InboxCommand };

export type { AttemptRecord };

export interface StateCacheOptions {
  /** Verifies the commands that carry authority. */
  token: string;
  /**
   * Sync what presupposes nothing of its own before it is seen here (docs/file-protocol.md R4): not for processes that only read, nor
   * for the pool, whose results hold the task that they are of.
   */
  durable: boolean;
  /** Does the owner of a claim live? Not given: everybody counts as alive. */
  isAlive?(owner: Identity): boolean;
  /** A damaged record in archive/, where it stays. */
  onBadArchive(path: string, reason: string): void;
}

/** The records of all directories, kept up as they come and go: a refresh costs as much as has changed, whatever else is there. */
export class StateCache {
  readonly archiveIndex: ArchiveIndex;
  private readonly commands = new Map<string, InboxCommand>();
  private readonly drops = new Map<string, InboxCommand>();
  private readonly versions = new TriggerVersions();
  private readonly dependentsByParent = new Groups<DependentTask>(({ task }) => [task.parentId]);
  private readonly questionEntries: Collection<Question>;
  private readonly signalEntries: Collection<Signal>;
  private readonly changeEntries: Collection<UndoableChange>;
  private readonly tasks = new Map<string, Task>();
  private readonly tasksBy = {
    kind: new Groups<Task>(({ kind }) => [kind]),
    trigger: new Groups<Task>(({ triggerId }) => [triggerId]),
    parent: new Groups<Task>(({ parentId }) => [parentId]),
  };
  private readonly running = new AttemptCache();
  private readonly ended = new Map<string, Result>();
  private readonly all: Collection<unknown>[];
  private readonly isAlive: (owner: Identity) => boolean;
  /** There was no look yet, or one was cut off: what it was to look at is not known any more. */
  private isBehind = true;
  private readonly watchers: ((id: string) => void)[] = [];

  constructor(fs: FileSystem, options: StateCacheOptions) {
    const { durable } = options;
    this.isAlive = options.isAlive ?? (() => true);
    const touch = (id: string) => this.touch(id);
    this.archiveIndex = new ArchiveIndex(fs, options.onBadArchive, touch);
    const records = <T>(
      dir: string,
      decode: CollectionOptions<T>["decode"],
      onChange?: NonNullable<CollectionOptions<T>["onChange"]>,
      mayBeLost: (record: T) => boolean = () => false,
      isForeign: (record: T) => boolean = () => false,
    ) =>
      new Collection({
        fs,
        dir,
        ...(durable && { mustLast: (record: T) => !mayBeLost(record) }),
        decode,
        isForeign,
        hasDrops: dir === INBOX,
        ...(onChange !== undefined && { onChange }),
      });
    const inbox = records(
      INBOX,
      (stem, text, info) => decodeInbox(stem, text, info, options.token, fs),
      (stem, entry, before) => this.noteCommand(stem, entry, before),
      // A turn holds its messages whole: they are there with it, or are as if they had never come.
      (entry) => "command" in entry && entry.command.kind === "message",
      // Its id follows from the file: another one would be said once more.
      (entry) => "dropped" in entry,
    );
    const triggers = records(TRIGGERS, decodeTrigger, (_stem, trigger, before) => {
      for (const each of [before, trigger]) if (each !== undefined) touch(this.noteTrigger(each, each === trigger));
    });
    this.questionEntries = records(QUESTIONS, (stem, text) => named(stem, parseRecord(Question, text)), touch);
    this.signalEntries = records(SIGNALS, (stem, text) => named(stem, parseRecord(Signal, text)));
    this.changeEntries = records(CHANGES, (stem, text) => named(stem, parseRecord(UndoableChange, text)));
    const roles = Role.options;
    const queues: Collection<Task>[] = roles.map((role) =>
      records(
        queueOf(role),
        (stem, text) => ofRole(role, named(stem, parseRecord(Task, text))),
        (id) => {
          this.noteTask(id, newest(queues, id));
          touch(id);
        },
      ),
    );
    const runnings = roles.map((role) =>
      records(
        runningOf(role),
        (stem, text, info) => decodeRunning(role, stem, text, info),
        (_stem, entry, before) => {
          for (const each of [before, entry]) if (each !== undefined) touch(this.running.change(each, each === entry));
        },
        // Anything that follows from an attempt is the same after it is gone: it runs again, and is ended or reported again under the same id.
        // Only a call that the owner is asked about may be another one then, and their answer would count for it.
        (entry) => !("failed" in entry) || entry.failed.asks === undefined,
      ),
    );
    const outcomes: Collection<Result>[] = roles.map((role) =>
      records(
        resultsOf(role),
        (stem, text) => decodeResult(role, stem, text),
        (id) => {
          put(this.ended, id, newest(outcomes, id));
          touch(id);
        },
      ),
    );
    this.all = [
      inbox,
      // The subject of a question was there before it, and is read after it.
      this.questionEntries,
      triggers,
      this.signalEntries,
      this.changeEntries,
      ...queues,
      ...runnings,
      ...outcomes,
    ];
  }

  /**
   * Looks at every directory again.
   * @param full list all of them, whatever they look like: the safety net.
   * @param heard look only at these, and from the first on that a record has left which is not known to be applied, at all that
   * come after it: where it went.
   * @returns whether anything came or went.
   */
  async refresh(nowMs: number, full = false, heard?: ChangedNames): Promise<boolean> {
    // An owner is dead only if it was so before the look began: all that it ever wrote about its attempt is seen now.
    for (const id of this.running.judge(this.isAlive)) this.touch(id);
    let changed = false;
    let looksAtAll = heard === undefined || this.isBehind;
    this.isBehind = true;
    for (const collection of this.all) {
      const names = looksAtAll ? null : heard?.get(collection.dir);
      if (names === undefined) continue;
      const isChanged = names === null ? await collection.refresh(nowMs, full) : await collection.lookAt(names, nowMs);
      changed ||= isChanged;
      const gone = collection.takeGone();
      looksAtAll ||= names === null ? gone.length > 0 : !(await this.areSettled(gone));
    }
    this.isBehind = false;
    return changed;
  }

  /** Are these records, by their stems, of what is in the archive? */
  private async areSettled(stems: readonly string[]): Promise<boolean> {
    for (const stem of stems) if (!(await this.archiveIndex.confirm(stem.replace(ATTEMPT_SUFFIX, "")))) return false;
    return true;
  }

  /**
   * @param hear is told the id of each command, task, trigger, question and archived name of which anything came, went or became something else,
   * in the middle of a look: it may only note it.
   */
  watch(hear: (id: string) => void): void {
    this.watchers.push(hear);
  }

  get inbox(): ReadonlyMap<string, InboxCommand> {
    return this.commands;
  }

  /** Dropped files by path, as the commands they will become. */
  get dropped(): ReadonlyMap<string, InboxCommand> {
    return this.drops;
  }

  /** The dependent tasks, by the id of their task. */
  get dependents(): ReadonlyMap<string, DependentTask> {
    return this.versions.dependents;
  }

  get triggers(): ReadonlyMap<string, Trigger> {
    return this.versions.triggers;
  }

  /** Versions that a newer one has replaced. */
  get staleVersions(): { id: string; version: number }[] {
    return this.versions.stale;
  }

  get questions(): ReadonlyMap<string, Question> {
    return this.questionEntries.entries;
  }

  /** Steering messages for running tasks, by the id of the command. */
  get signals(): ReadonlyMap<string, Signal> {
    return this.signalEntries.entries;
  }

  /** The changes that can be undone, by the id of the change. */
  get changes(): ReadonlyMap<string, UndoableChange> {
    return this.changeEntries.entries;
  }

  get queue(): ReadonlyMap<string, Task> {
    return this.tasks;
  }

  get results(): ReadonlyMap<string, Result> {
    return this.ended;
  }

  /**
   * The result that counts: the archived one. A late one, of a process that was held up, may stand beside it, and counts only where there is
   * none. Throws what the disk throws.
   */
  async resultOf(id: string): Promise<Result | null> {
    const archived = (await this.archiveIndex.confirm(id)) ? await this.archiveIndex.readResult(id) : null;
    return archived ?? this.ended.get(id) ?? null;
  }

  /** The queued tasks of these kinds. */
  queuedOf(...kinds: TaskKind[]): Task[] {
    return kinds.flatMap((kind) => [...this.tasksBy.kind.of(kind).values()]);
  }

  /** The queued tasks that come from a trigger. */
  queuedBy(triggerId: string): Iterable<Task> {
    return this.tasksBy.trigger.of(triggerId).values();
  }

  /** The queued tasks, and the dependent tasks, that a plan has made. */
  childrenOf(parentId: string): { tasks: Iterable<Task>; dependents: Iterable<DependentTask> } {
    return {
      tasks: this.tasksBy.parent.of(parentId).values(),
      dependents: this.dependentsByParent.of(parentId).values(),
    };
  }

  /** Every attempt in running/, by task, oldest first. */
  get attempts(): ReadonlyMap<string, AttemptRecord[]> {
    return this.running.records;
  }

  /** The attempts as facts. */
  get attemptFacts(): ReadonlyMap<string, AttemptFacts[]> {
    return this.running.facts;
  }

  /** The attempts of those tasks of which one has not said how it ended. */
  get unaccounted(): ReadonlyMap<string, AttemptFacts[]> {
    return this.running.unaccounted;
  }

  private touch(id: string): void {
    for (const hear of this.watchers) hear(id);
  }

  private noteCommand(stem: string, entry: InboxEntry | undefined, before: InboxEntry | undefined): void {
    for (const each of [before, entry]) {
      if (each === undefined) continue;
      if ("command" in each) {
        put(this.commands, stem, each === entry ? each.command : undefined);
        this.touch(stem);
      } else put(this.drops, recordIn(INBOX, stem), each === entry ? each.dropped : undefined);
    }
  }

  private noteTrigger(trigger: TriggerRecord, isThere: boolean): string {
    const { id } = trigger;
    const before = this.dependents.get(id);
    this.versions.change(trigger, isThere);
    this.dependentsByParent.replace(id, this.dependents.get(id), before);
    return id;
  }

  private noteTask(id: string, task: Task | undefined): void {
    const before = this.tasks.get(id);
    put(this.tasks, id, task);
    for (const groups of Object.values(this.tasksBy)) groups.replace(id, task, before);
  }

  unreadable(): UnreadableFile[] {
    return this.all.flatMap((collection) => collection.unreadable());
  }
}

function put<T>(map: Map<string, T>, id: string, value: T | undefined): void {
  if (value === undefined) map.delete(id);
  else map.set(id, value);
}

/** The record of an id in the last of the directories that have it. */
function newest<T>(collections: readonly Collection<T>[], id: string): T | undefined {
  return collections.findLast(({ entries }) => entries.has(id))?.entries.get(id);
}

function named<T extends { id: string }>(stem: string, record: T): T {
  if (record.id !== stem) throw new BadJson(`its id is ${record.id}, not ${stem}`);
  return record;
}

function decodeTrigger(stem: string, text: string): TriggerRecord {
  const trigger = parseRecord(TriggerRecord, text);
  if (`${trigger.id}.v${trigger.version}` !== stem) throw new BadJson("its name is not that of its version");
  return trigger;
}

function ofRole(role: Role, task: Task): Task {
  if (task.role !== role) throw new BadJson(`a ${task.role}'s task among the ${role}'s`);
  return task;
}

function decodeResult(role: Role, stem: string, text: string): Result {
  const result = named(stem, parseRecord(Result, text));
  named(stem, ofRole(role, result.task));
  return result;
}

/** Lives nowhere: a power loss has ended its process, whichever it was. */
const LOST_OWNER: Identity = { pid: 0x7fffffff, startTime: "lost", bootId: "lost" };
const ATTEMPT_SUFFIX = /\.a\d+(\.failed|\.joined)?$/;
const CLAIM_STEM = /^(.+)\.a([1-9]\d*)$/;

async function decodeRunning(
  role: Role,
  stem: string,
  text: string,
  info: () => Promise<FileInfo | null>,
): Promise<RunningEntry> {
  if (stem.endsWith(".failed")) {
    const failed = parseRecord(FailedAttempt, text);
    if (`${failed.id}.a${failed.attempt}.failed` !== stem) throw new BadJson("its name is not that of its attempt");
    return { role, failed };
  }
  if (stem.endsWith(".joined")) {
    const joined = parseRecord(Joined, text);
    if (`${joined.id}.a${joined.attempt}.joined` !== stem) throw new BadJson("its name is not that of its attempt");
    return { role, joined };
  }
  const claim = (await tornClaim(stem, text, info)) ?? parseRecord(Claim, text);
  if (`${claim.id}.a${claim.attempt}` !== stem) throw new BadJson("its name is not that of its attempt");
  return { role, claim };
}

/**
 * A claim that was not synced may be cut off by a power loss (docs/file-protocol.md R4), or be nothing but zeros: its name still says
 * whose attempt it was. Undefined for whatever else is there.
 */
async function tornClaim(stem: string, text: string, info: () => Promise<FileInfo | null>): Promise<Claim | undefined> {
  const [, id = "", number = ""] = CLAIM_STEM.exec(stem) ?? [];
  const attempt = Number(number);
  const [kept = ""] = text.split("\0", 1);
  const isTorn = !kept.endsWith("}\n") && (kept === "" || isBeginning(kept, `{"id":"${id}","attempt":${attempt},`));
  const file = isTorn && ID_PATTERN.test(id) ? await info() : null;
  return file === null ? undefined : { id, attempt, owner: LOST_OWNER, at: new Date(file.mtimeMs).toISOString() };
}

const isBeginning = (text: string, of: string) => text.startsWith(of) || of.startsWith(text);

const MARK = "\ufeff";
/** Bytes that are no UTF-8 are read as this. */
const REPLACED = "\ufffd";

/** The JSON in a file that any program may have written. Throws `BadJson`. */
async function parseWritten(stem: string, text: string, fs: FileSystem): Promise<unknown> {
  const json = text.startsWith(MARK) ? text.slice(MARK.length) : text;
  let value: unknown;
  let failure: unknown;
  try {
    value = parseJson(json);
  } catch (error) {
    if (error instanceof BadJson && isCutOff(json)) throw new UnfinishedJson(error.message);
    failure = error;
  }
  if (json.includes(REPLACED)) await fs.readText(inboxPath(stem));
  if (failure !== undefined) throw failure;
  return value;
}

async function decodeInbox(
  stem: string,
  text: string,
  info: () => Promise<FileInfo | null>,
  token: string,
  fs: FileSystem,
): Promise<InboxEntry> {
  const value = await parseWritten(stem, text, fs);
  const whole = InboxCommand.safeParse(value);
  if (whole.success && whole.data.id === stem && isIdOf(whole.data.kind, stem)) {
    const command = whole.data;
    if (!needsSignature(command) || isSigned(token, command)) return { command };
    if (command.kind !== "message") throw new BadJson(`a ${command.kind} needs the signature of the token`);
    // Any process may send something; the provider that answers it is the owner's to choose.
    const { answerBy: _by, pool: _pool, mac: _mac, ...said } = command;
    return { command: said };
  }
  const dropped = DroppedCommand.safeParse(value);
  if (!dropped.success) throw new BadJson(describeIssues(dropped.error));
  const file = await info();
  if (file === null) throw new BadJson("it vanished");
  if ((await fs.read(inboxPath(stem))) !== text) throw new UnfinishedJson("it is being written");
  // A hard link can bring in a file that its owner never meant as a message.
  if (file.links > 1) throw new BadJson("it is a hard link: copy the file instead");
  const named = { id: droppedId(stem, file), at: new Date(file.mtimeMs).toISOString() };
  const command = dropped.data;
  if (command.kind !== "message" || command.attachments === undefined)
    return { dropped: InboxCommand.parse({ ...command, ...named }) };
  return {
    dropped: InboxCommand.parse({ ...command, ...named, attachments: await attached(command.attachments, fs) }),
  };
}

/** A file that names what was never uploaded is no message. */
async function attached(orders: readonly AttachmentOrder[], fs: FileSystem): Promise<AttachedFile[] | undefined> {
  try {
    const files = await findAttachments(fs, orders);
    return files.length === 0 ? undefined : files;
  } catch (error) {
    if (error instanceof UnknownAttachment) throw new BadJson(error.message);
    throw error;
  }
}
