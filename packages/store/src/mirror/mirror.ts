/**
 * The state directory in memory. Directories are read in the order in which a record moves through them, so that one
 * in motion is seen at least once; a record is read once, because it never changes.
 */
import { createHash } from "node:crypto";
import type { Attempt } from "@mimikit/core/base/snapshot";
import type { AttachedFile, AttachmentOrder } from "@mimikit/protocol/base/attachment";
import { BadJson, describeIssues, parseJson, parseRecord } from "@mimikit/protocol/base/json";
import { Role } from "@mimikit/protocol/base/role";
import { Signal } from "@mimikit/protocol/base/signal";
import { Change } from "@mimikit/protocol/records/change";
import { Claim, FailedAttempt, type Identity } from "@mimikit/protocol/records/claim";
import { DROPPED_PREFIX, DroppedWish, isIdOf, needsSeal, Wish } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { type Link, type Standing, Trigger } from "@mimikit/protocol/records/trigger";
import { findAttachments, UnknownAttachment } from "../attachments/attachments.ts";
import type { FileInfo, FileSystem } from "../disk/file-system.ts";
import { isSealed } from "../disk/seal.ts";
import {
  CHANGES,
  INBOX,
  QUESTIONS,
  queueOf,
  recordIn,
  resultsOf,
  runningOf,
  SIGNALS,
  TRIGGERS,
} from "../disk/state.ts";
import { Collection, type CollectionOptions } from "./collection.ts";
import { Ledger } from "./ledger.ts";

type InboxEntry = { wish: Wish } | { dropped: Wish };
type RunningEntry = { role: Role } & ({ claim: Claim } | { failed: FailedAttempt });

/** One attempt of a task as it stands in running/. */
export interface AttemptRecord {
  role: Role;
  attempt: number;
  claim?: Claim;
  failed?: FailedAttempt;
}

export interface MirrorOptions {
  /** Verifies the wishes that carry authority. */
  token: string;
  /** Sync directories before their new records are acted upon; false for processes that only read. */
  durable: boolean;
  /** Does the owner of a claim live? Not given: everybody counts as alive. */
  isAlive?(owner: Identity): boolean;
  /** A damaged record in archive/, where it stays. */
  onBadArchive(path: string, reason: string): void;
}

export class Mirror {
  readonly ledger: Ledger;
  private readonly inboxEntries: Collection<InboxEntry>;
  private readonly triggerEntries: Collection<Trigger>;
  private readonly questionEntries: Collection<Question>;
  private readonly signalEntries: Collection<Signal>;
  private readonly changeEntries: Collection<Change>;
  private readonly queues: Collection<Task>[];
  private readonly runnings: Collection<RunningEntry>[];
  private readonly outcomes: Collection<Result>[];
  private readonly all: Collection<unknown>[];
  private readonly isAlive: (owner: Identity) => boolean;
  private dead: ReadonlySet<Claim> = new Set();

  constructor(fs: FileSystem, options: MirrorOptions) {
    const { durable } = options;
    this.isAlive = options.isAlive ?? (() => true);
    this.ledger = new Ledger(fs, options.onBadArchive);
    const records = <T>(dir: string, decode: CollectionOptions<T>["decode"]) =>
      new Collection({ fs, dir, durable, decode });
    this.inboxEntries = records(INBOX, (stem, text, info) => decodeInbox(stem, text, info, options.token, fs));
    this.triggerEntries = records(TRIGGERS, decodeTrigger);
    this.questionEntries = records(QUESTIONS, (stem, text) => named(stem, parseRecord(Question, text)));
    this.signalEntries = records(SIGNALS, (stem, text) => named(stem, parseRecord(Signal, text)));
    this.changeEntries = records(CHANGES, (stem, text) => named(stem, parseRecord(Change, text)));
    const roles = Role.options;
    this.queues = roles.map((role) =>
      records(queueOf(role), (stem, text) => ofRole(role, named(stem, parseRecord(Task, text)))),
    );
    this.runnings = roles.map((role) => records(runningOf(role), (stem, text) => decodeRunning(role, stem, text)));
    this.outcomes = roles.map((role) => records(resultsOf(role), (stem, text) => decodeResult(role, stem, text)));
    this.all = [
      this.inboxEntries,
      // What a question is about was there before it, and is looked at after it.
      this.questionEntries,
      this.triggerEntries,
      this.signalEntries,
      this.changeEntries,
      ...this.queues,
      ...this.runnings,
      ...this.outcomes,
    ];
  }

  /**
   * Looks at every directory again.
   * @param full list all of them, whatever they look like: the safety net.
   * @returns whether anything came or went.
   */
  async refresh(nowMs: number, full = false): Promise<boolean> {
    this.dead = new Set([...this.claims()].filter((claim) => !this.isAlive(claim.owner)));
    let changed = false;
    for (const collection of this.all) if ((await collection.refresh(nowMs, full)) !== null) changed = true;
    return changed;
  }

  get inbox(): ReadonlyMap<string, Wish> {
    return new Map(
      [...this.inboxEntries.entries].flatMap(([id, entry]) => ("wish" in entry ? [[id, entry.wish] as const] : [])),
    );
  }

  /** Dropped files by path, as the wishes they will become. */
  get dropped(): ReadonlyMap<string, Wish> {
    const entries = [...this.inboxEntries.entries];
    return new Map(
      entries.flatMap(([stem, entry]) => ("dropped" in entry ? [[recordIn(INBOX, stem), entry.dropped] as const] : [])),
    );
  }

  /** The newest version of each trigger; of a trigger whose versions are being replaced there may be several files. */
  private get newestTriggers(): Trigger[] {
    const newest = new Map<string, Trigger>();
    for (const trigger of this.triggerEntries.entries.values()) {
      const { version = 0 } = newest.get(trigger.id) ?? {};
      if (trigger.version > version) newest.set(trigger.id, trigger);
    }
    return [...newest.values()];
  }

  /** The links of chains, by the id of their task. */
  get links(): ReadonlyMap<string, Link> {
    return new Map(this.newestTriggers.flatMap((each) => (each.type === "link" ? [[each.id, each] as const] : [])));
  }

  get standing(): ReadonlyMap<string, Standing> {
    return new Map(this.newestTriggers.flatMap((each) => (each.type === "link" ? [] : [[each.id, each] as const])));
  }

  /** Versions that a newer one has replaced. */
  get staleVersions(): { id: string; version: number }[] {
    const newest = new Map(this.newestTriggers.map(({ id, version }) => [id, version]));
    return [...this.triggerEntries.entries.values()].flatMap(({ id, version }) =>
      version < (newest.get(id) ?? 0) ? [{ id, version }] : [],
    );
  }

  get questions(): ReadonlyMap<string, Question> {
    return this.questionEntries.entries;
  }

  /** What running tasks are told, by the id of the wish. */
  get signals(): ReadonlyMap<string, Signal> {
    return this.signalEntries.entries;
  }

  /** What can be taken back, by the id of the change. */
  get changes(): ReadonlyMap<string, Change> {
    return this.changeEntries.entries;
  }

  get queue(): ReadonlyMap<string, Task> {
    return merged(this.queues);
  }

  get results(): ReadonlyMap<string, Result> {
    return merged(this.outcomes);
  }

  /** Every attempt in running/, by task, oldest first. */
  get attempts(): ReadonlyMap<string, AttemptRecord[]> {
    const attempts = new Map<string, AttemptRecord[]>();
    for (const entry of this.runnings.flatMap((collection) => [...collection.entries.values()])) {
      const { id, attempt } = "claim" in entry ? entry.claim : entry.failed;
      const records = attempts.get(id) ?? [];
      attempts.set(id, records);
      let record = records.find((each) => each.attempt === attempt);
      if (record === undefined) {
        record = { role: entry.role, attempt };
        records.push(record);
      }
      if ("claim" in entry) record.claim = entry.claim;
      else record.failed = entry.failed;
    }
    for (const records of attempts.values()) records.sort((a, b) => a.attempt - b.attempt);
    return attempts;
  }

  /**
   * The attempts as facts. An owner is dead here only if it was dead before the last look began: everything that it
   * ever wrote about its attempt has been seen then.
   */
  get attemptFacts(): ReadonlyMap<string, Attempt[]> {
    const facts = new Map<string, Attempt[]>();
    for (const [id, records] of this.attempts) {
      const attempts = records.map(({ role, attempt, claim, failed }): Attempt => {
        const ownerAlive = claim !== undefined && !this.dead.has(claim);
        return {
          role,
          attempt,
          ownerAlive,
          ...(claim !== undefined && { at: claim.at }),
          ...(claim?.reserved !== undefined && { reserved: claim.reserved }),
          ...(failed !== undefined && { failed }),
        };
      });
      facts.set(id, attempts);
    }
    return facts;
  }

  private *claims(): Iterable<Claim> {
    for (const collection of this.runnings) {
      for (const entry of collection.entries.values()) if ("claim" in entry) yield entry.claim;
    }
  }

  unreadable(): { path: string; reason: string; sinceMs: number }[] {
    return this.all.flatMap((collection) => collection.unreadable());
  }
}

function merged<T>(collections: Collection<T>[]): ReadonlyMap<string, T> {
  return new Map(collections.flatMap((collection) => [...collection.entries]));
}

function named<T extends { id: string }>(stem: string, record: T): T {
  if (record.id !== stem) throw new BadJson(`its id is ${record.id}, not ${stem}`);
  return record;
}

function decodeTrigger(stem: string, text: string): Trigger {
  const trigger = parseRecord(Trigger, text);
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

function decodeRunning(role: Role, stem: string, text: string): RunningEntry {
  if (stem.endsWith(".failed")) {
    const failed = parseRecord(FailedAttempt, text);
    if (`${failed.id}.a${failed.attempt}.failed` !== stem) throw new BadJson("its name is not that of its attempt");
    return { role, failed };
  }
  const claim = parseRecord(Claim, text);
  if (`${claim.id}.a${claim.attempt}` !== stem) throw new BadJson("its name is not that of its attempt");
  return { role, claim };
}

async function decodeInbox(
  stem: string,
  text: string,
  info: () => Promise<FileInfo | null>,
  token: string,
  fs: FileSystem,
): Promise<InboxEntry> {
  const value = parseJson(text);
  const whole = Wish.safeParse(value);
  if (whole.success && whole.data.id === stem && isIdOf(whole.data.kind, stem)) {
    const wish = whole.data;
    if (needsSeal(wish.kind) && !isSealed(token, wish)) throw new BadJson(`a ${wish.kind} needs the seal of the token`);
    return { wish };
  }
  const dropped = DroppedWish.safeParse(value);
  if (!dropped.success) throw new BadJson(describeIssues(dropped.error));
  const file = await info();
  if (file === null) throw new BadJson("it vanished");
  const named = { id: droppedId(stem, file), at: new Date(file.mtimeMs).toISOString() };
  const wish = dropped.data;
  if (wish.kind !== "message" || wish.attachments === undefined) return { dropped: Wish.parse({ ...wish, ...named }) };
  return { dropped: Wish.parse({ ...wish, ...named, attachments: await attached(wish.attachments, fs) }) };
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

/** The same file gets the same id however often it is looked at (docs/file-protocol.md R2). */
function droppedId(stem: string, file: FileInfo): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([stem, file.inode, file.mtimeMs, file.size]))
    .digest("hex");
  return `${DROPPED_PREFIX}-${hash.slice(0, 32)}`;
}
