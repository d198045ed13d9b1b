/**
 * Delivers events to the hooks of the owner (docs/hooks.md, docs/decisions/0031-hooks-are-deliveries-created-once.md). There is no
 * cursor: what happened since a hook began, within a bound of age, is to have a delivery, which is created once; whatever was cut
 * off is found undone at the next look. A command is begun at most once; a call is made until it is taken.
 */
import type { SandboxMode } from "@mimikit/agent/provider";
import { turnNumber } from "@mimikit/protocol/base/id";
import { BadJson, tryJson } from "@mimikit/protocol/base/json";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { Identity } from "@mimikit/protocol/records/claim";
import {
  BegunDelivery,
  EndedDelivery,
  FailedCalls,
  HookBeginning,
  HookDelivery,
  type HookEvent,
  TEST_EVENT,
} from "@mimikit/protocol/records/hook";
import { hideInLogs } from "@mimikit/runtime/audit/log";
import { readHookSecrets } from "@mimikit/runtime/config/secrets";
import { type Environment, HomeError } from "@mimikit/runtime/home/home";
import { missingSecret, missingText } from "@mimikit/runtime/hooks/hook-problems";
import { type FoundHooks as Found, type Hook, hooksStamp, readHooks } from "@mimikit/runtime/hooks/read-hooks";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurable, readRecord, readUnlessTorn, replaceView } from "@mimikit/store/disk/record";
import {
  ARCHIVE,
  archivePath,
  begunDeliveryPath,
  DELIVERIES,
  deliveryPath,
  endedDeliveryPath,
  failedTriesPath,
  hookBeginningPath,
  inboxPath,
  questionPath,
  queuePath,
  resultPath,
  SECRETS_PATH,
} from "@mimikit/store/disk/state";
import { archivedId } from "@mimikit/store/state-cache/archive-index";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { callUrl, credentialsOf, pauseAfter, RETRY_AFTER_MS_MAX, TRIES_MAX } from "./call-url.ts";
import { ofArchived, ofEvent, ofQuestion, ofResult, ofTask } from "./happenings.ts";
import { runHookProgram } from "./run-program.ts";
import { DELIVERY_AGE_MS_MAX, deliveryId, wants, wantsText } from "./wants.ts";

/** Of all hooks together; of one hook one at a time. */
const RUNNING_MAX = 8;
/** Deliveries of one hook that wait: a further one is given up at once. */
export const WAITING_MAX = 1_000;
/** A file that is being saved is believed when it has been the same for so long. */
const REST_MS = 200;
/** After an error of the disk, a delivery is looked at again so much later. */
const DISK_RETRY_MS = 5_000;
/** So long what became of a delivery is kept: longer than a record is in archive/, from which its event could be found again. */
const KEPT_MS = 35 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
/** Names of the archive that are looked at in one go. */
const NAMES_AT_ONCE = 500;

export interface HooksOptions {
  home: string;
  workDir: string;
  env: Environment;
  fs: FileSystem;
  cache: StateCache;
  identity: Identity;
  isAlive(owner: Identity): boolean;
  nowMs(): number;
  /** Of a clock that never jumps. */
  monotonicMs(): number;
  sandbox(): SandboxMode;
  audit(event: AuditEvent): void;
  /** A file is no hook, or a hook has no secret. */
  onProblem(problem: { place: string; reason: string }): void;
  onError(error: unknown): void;
  /** A delivery has ended, so that another can begin. */
  onRoom(): void;
}

interface Waiting {
  delivery: HookDelivery;
  tries: number;
  /** Not before this moment of the wall clock. */
  dueMs: number;
}

/** An event, and the paths of the records that tell of it: they are made durable before anything follows from it. */
interface Happening {
  event: HookEvent;
  path: string;
}

export class HookRunner {
  private readonly options: HooksOptions;
  private found: Found = { hooks: [], sources: [], problems: [] };
  private stamp: string | undefined;
  private stampedAtMs = 0;
  private isRead = false;
  private readonly since = new Map<string, number>();
  /** Every delivery that there is, by its id. */
  private readonly known = new Set<string>();
  private readonly waiting = new Map<string, Waiting>();
  /** Deliveries whose command another living process has begun. */
  private readonly elsewhere = new Map<string, { delivery: HookDelivery; owner: Identity }>();
  /** Ends of deliveries that are not on the disk yet. */
  private readonly ended = new Map<string, EndedDelivery>();
  /** The hook that each running delivery is of. */
  private readonly running = new Map<string, { hook: string; end: Promise<void> }>();
  private readonly stopping = new AbortController();
  /** Records that were looked at before and are still there. */
  private readonly lookedAt = new Set<string>();
  /** The same for names in archive/. */
  private readonly archivedLookedAt = new Set<string>();
  private deliveriesVersion: string | null = null;
  private archiveVersion: string | null = null;
  private prunedAtMs: number | undefined;
  private readonly said = new Set<string>();

  constructor(options: HooksOptions) {
    this.options = options;
  }

  /** Looks once, and starts what is due; does not wait for it. Throws what the disk throws: the next tick tries again. */
  async tick(): Promise<void> {
    await this.options.fs.makeDir(DELIVERIES);
    await this.readFiles();
    await this.readDeliveries();
    await this.lookElsewhere();
    await this.noteEnds();
    await this.findNew();
    this.startDue();
    await this.prune();
  }

  /** Ends what runs: a call is made again at the next start, a command is not. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.running.values()].map(({ end }) => end));
    await this.noteEnds();
  }

  /** The files of the hooks, where they are others than before and have come to rest. */
  private async readFiles(): Promise<void> {
    const { fs, nowMs, monotonicMs, onProblem } = this.options;
    const stamp = await hooksStamp(fs);
    if (stamp !== this.stamp) {
      const isFirst = this.stamp === undefined;
      this.stamp = stamp;
      this.stampedAtMs = monotonicMs();
      this.isRead = false;
      if (!isFirst) return;
    } else if (this.isRead || monotonicMs() - this.stampedAtMs < REST_MS) return;
    const found = await readHooks(fs);
    for (const hook of found.hooks) await this.begin(hook, nowMs());
    await this.forgetOthers(found);
    for (const problem of found.problems) onProblem(problem);
    this.found = found;
    this.isRead = true;
    // Events that a file has missed while it was not right are found now.
    this.lookedAt.clear();
    this.archivedLookedAt.clear();
    this.archiveVersion = null;
  }

  /** A hook that is new, or waits for something else than before, gets what happens from now on. */
  private async begin(hook: Hook, nowMs: number): Promise<void> {
    const { fs } = this.options;
    const path = hookBeginningPath(hook.name);
    const text = await fs.read(path);
    const there = HookBeginning.safeParse(tryJson(text ?? "")).data;
    const isSame = there?.wants === wantsText(hook);
    const since = isSame ? Date.parse(there.since) : nowMs;
    if (!isSame) {
      const beginning = { hook: hook.name, since: new Date(nowMs).toISOString(), wants: wantsText(hook) };
      await replaceView(fs, path, `${JSON.stringify(beginning)}\n`);
    }
    this.since.set(hook.name, since);
  }

  /** A hook that was removed and comes back is a new one. */
  private async forgetOthers({ hooks, problems }: Found): Promise<void> {
    const { fs } = this.options;
    const names = new Set([...hooks, ...problems].map(({ name }) => name));
    for (const file of await fs.list(DELIVERIES)) {
      const [, name] = /^hook-(.+)\.json$/.exec(file) ?? [];
      if (name === undefined || names.has(name)) continue;
      await fs.unlink(hookBeginningPath(name));
      this.since.delete(name);
    }
  }

  /** Deliveries of before the start, and those that `mimikit hooks test` has made. */
  private async readDeliveries(): Promise<void> {
    const { fs } = this.options;
    const version = await fs.version(DELIVERIES);
    if (version !== null && version === this.deliveriesVersion) return;
    const names = new Set(await fs.list(DELIVERIES));
    for (const name of names) {
      const [, id] = /^(d-[0-9a-f]+)\.json$/.exec(name) ?? [];
      if (id === undefined || this.known.has(id)) continue;
      try {
        if (!names.has(`${id}.ended.json`)) await this.takeUp(id, names.has(`${id}.begun.json`));
      } catch (error) {
        // It stays where it is, and holds up no other.
        if (!(error instanceof BadJson)) throw error;
        this.options.onProblem({ place: deliveryPath(id), reason: error.message });
      }
      this.known.add(id);
    }
    this.deliveriesVersion = version;
  }

  private async takeUp(id: string, isBegun: boolean): Promise<void> {
    const { fs, isAlive } = this.options;
    const delivery = await readRecord(fs, HookDelivery, deliveryPath(id));
    if (delivery === null) return;
    if (isBegun) {
      // One that is damaged was begun, too, and nobody says that it goes on.
      const begun = await readUnlessTorn(fs, BegunDelivery, begunDeliveryPath(id));
      if (begun !== null && isAlive(begun.owner)) this.elsewhere.set(id, { delivery, owner: begun.owner });
      else this.interrupt(delivery);
      return;
    }
    const failed = await readUnlessTorn(fs, FailedCalls, failedTriesPath(id));
    this.waiting.set(id, {
      delivery,
      tries: failed?.tries ?? 0,
      dueMs: failed === null ? 0 : Date.parse(failed.retryAt),
    });
  }

  /** A pool that still lived when this one began ends its commands, or dies with them. */
  private async lookElsewhere(): Promise<void> {
    const { fs, isAlive } = this.options;
    for (const [id, { delivery, owner }] of this.elsewhere) {
      if (isAlive(owner)) continue;
      this.elsewhere.delete(id);
      // It may have noted the end just before its own.
      if (!(await fs.exists(endedDeliveryPath(id)))) this.interrupt(delivery);
    }
  }

  private interrupt(delivery: HookDelivery): void {
    const detail =
      "Mimikit was cut off after it had begun: it may have run, in part or not at all, and is not run again";
    this.end(delivery, { outcome: "interrupted", detail }, 1);
  }

  /** Each end is recorded once, also where the disk had no room for it before; only then is it in the audit. */
  private async noteEnds(): Promise<void> {
    const { fs, audit } = this.options;
    for (const [id, ended] of this.ended) {
      if (await createRecord(fs, EndedDelivery, endedDeliveryPath(id), ended)) {
        const { hook, outcome, tries, detail } = ended;
        audit({ event: `hook_${outcome}`, detail: { delivery: id, hook, tries, detail } });
      }
      this.ended.delete(id);
    }
  }

  private end(
    { id, hook }: HookDelivery,
    outcome: Pick<EndedDelivery, "outcome" | "detail" | "output">,
    tries: number,
  ): void {
    this.waiting.delete(id);
    this.ended.set(id, { id, hook, at: new Date(this.options.nowMs()).toISOString(), tries, ...outcome });
  }

  /** Creates the deliveries of what has happened, the oldest first. */
  private async findNew(): Promise<void> {
    const { hooks } = this.found;
    if (hooks.length === 0) return;
    const { fs, nowMs } = this.options;
    const { happenings, keys, archived, archiveVersion } = await this.look();
    const oldestMs = nowMs() - DELIVERY_AGE_MS_MAX;
    const wanted = happenings.flatMap(({ event, path }) => {
      const atMs = Date.parse(event.timestamp);
      return hooks
        .filter((hook) => atMs >= Math.max(oldestMs, this.since.get(hook.name) ?? Infinity) && wants(hook, event))
        .map((hook) => ({ id: deliveryId(hook.name, event), hook, event, path }))
        .filter(({ id }) => !this.known.has(id));
    });
    if (wanted.length > 0) await makeDurable(fs, [...new Set(wanted.map(({ path }) => path))]);
    wanted.sort((a, b) => Date.parse(a.event.timestamp) - Date.parse(b.event.timestamp));
    for (const { id, hook, event } of wanted) await this.create(id, hook, event);
    for (const key of this.lookedAt) if (!keys.has(key)) this.lookedAt.delete(key);
    for (const key of keys) this.lookedAt.add(key);
    for (const id of archived) this.archivedLookedAt.add(id);
    this.archiveVersion = archiveVersion;
  }

  private async create(id: string, hook: Hook, event: HookEvent): Promise<void> {
    const { fs, nowMs } = this.options;
    if (this.known.has(id)) return;
    // As it will be read: each try has the same body, to the byte.
    const delivery = HookDelivery.parse({ id, hook: hook.name, at: new Date(nowMs()).toISOString(), event });
    await createRecord(fs, HookDelivery, deliveryPath(id), delivery);
    this.known.add(id);
    const waiting = [...this.waiting.values()].filter((each) => each.delivery.hook === hook.name).length;
    if (waiting < WAITING_MAX) this.waiting.set(id, { delivery, tries: 0, dueMs: 0 });
    else this.end(delivery, { outcome: "gave_up", detail: `${WAITING_MAX} others waited` }, 0);
  }

  /** The events of records that were not looked at before. */
  private async look(): Promise<{
    happenings: Happening[];
    /** All records that there are, but for those of archive/. */
    keys: Set<string>;
    /** The new names of archive/. */
    archived: string[];
    archiveVersion: string | null;
  }> {
    const { cache } = this.options;
    const happenings: Happening[] = [];
    const keys = new Set<string>();
    const archived: string[] = [];
    const take = (key: string, path: () => string, events: () => HookEvent[]) => {
      keys.add(key);
      if (this.lookedAt.has(key)) return;
      for (const event of events()) happenings.push({ event, path: path() });
    };
    for (const task of cache.queue.values())
      take(
        `queue ${task.id}`,
        () => queuePath(task.role, task.id),
        () => ofTask(task),
      );
    for (const command of cache.inbox.values())
      if (command.kind === "event")
        take(
          `inbox ${command.id}`,
          () => inboxPath(command.id),
          () => ofEvent(command),
        );
    for (const question of cache.questions.values())
      take(
        `questions ${question.id}`,
        () => questionPath(question.id),
        () => ofQuestion(question),
      );
    const late = await this.lateResults();
    for (const result of cache.results.values())
      take(
        `results ${result.id}`,
        () => resultPath(result.task.role, result.id),
        () => (late.has(result.id) ? [] : ofResult(result)),
      );
    const archiveVersion = await this.lookAtArchive((id, events) => {
      archived.push(id);
      for (const event of events) happenings.push({ event, path: archivePath(id) });
    });
    return { happenings, keys, archived, archiveVersion };
  }

  /** Handed in after the task had ended otherwise, as by a cancel: the one in archive/ counts. */
  private async lateResults(): Promise<ReadonlySet<string>> {
    const { archiveIndex, results } = this.options.cache;
    const late = new Set<string>();
    for (const id of results.keys())
      if (!this.lookedAt.has(`results ${id}`) && (await archiveIndex.confirm(id))) late.add(id);
    return late;
  }

  /** Records whose turn has come before a look: new ones by their names, and of these the recent ones. */
  private async lookAtArchive(take: (id: string, events: HookEvent[]) => void): Promise<string | null> {
    const { fs, cache, nowMs } = this.options;
    const version = await fs.version(ARCHIVE);
    if (version !== null && version === this.archiveVersion) return version;
    const ids = (await fs.list(ARCHIVE)).flatMap((name) => archivedId(name) ?? []);
    const there = new Set(ids);
    for (const id of this.archivedLookedAt) if (!there.has(id)) this.archivedLookedAt.delete(id);
    const fresh = ids.filter((id) => turnNumber(id) === 0 && !this.archivedLookedAt.has(id));
    for (const [at, id] of fresh.entries()) {
      if (at % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
      const info = await fs.info(archivePath(id));
      const isOld = info === null || nowMs() - info.mtimeMs > DELIVERY_AGE_MS_MAX;
      const record = isOld ? null : await cache.archiveIndex.read(id);
      take(id, record === null ? [] : ofArchived(record));
    }
    return version;
  }

  private startDue(): void {
    const now = this.options.nowMs();
    const { hooks, problems } = this.found;
    const byName = new Map(hooks.map((hook) => [hook.name, hook]));
    const busy = new Set([...this.running.values()].map(({ hook }) => hook));
    const inOrder = [...this.waiting.values()].sort(
      (a, b) => Date.parse(a.delivery.event.timestamp) - Date.parse(b.delivery.event.timestamp),
    );
    let secrets: Readonly<Record<string, string>> | undefined;
    for (const waiting of inOrder) {
      const { delivery, tries, dueMs } = waiting;
      const hook = byName.get(delivery.hook);
      const isOld = now - Date.parse(delivery.event.timestamp) > DELIVERY_AGE_MS_MAX;
      if (isOld) this.end(delivery, { outcome: "gave_up", detail: "it is too old" }, tries);
      else if (hook === undefined) {
        // A file that is being corrected is still its hook's.
        const isBroken = problems.some(({ name }) => name === delivery.hook);
        if (!isBroken) this.end(delivery, { outcome: "gave_up", detail: "there is no such hook any more" }, tries);
      } else if (!busy.has(hook.name) && this.running.size < RUNNING_MAX && isDue(dueMs, now)) {
        secrets ??= this.secrets();
        if (this.start(waiting, hook, secrets)) busy.add(hook.name);
      }
    }
  }

  /** @returns false where it has to wait for the owner. */
  private start(waiting: Waiting, hook: Hook, secrets: Readonly<Record<string, string>>): boolean {
    const { onError, onRoom, nowMs } = this.options;
    const { delivery } = waiting;
    const work = this.workOf(waiting, hook, secrets);
    if (work === null) return false;
    const end = work()
      .catch((error: unknown) => {
        onError(error);
        waiting.dueMs = nowMs() + DISK_RETRY_MS;
      })
      .finally(() => {
        this.running.delete(delivery.id);
        onRoom();
      });
    this.running.set(delivery.id, { hook: hook.name, end });
    return true;
  }

  private workOf(waiting: Waiting, hook: Hook, secrets: Readonly<Record<string, string>>) {
    const { name, url, run } = hook;
    if (url === undefined) return () => this.run(waiting, run ?? [], hook.timeout);
    const missing = missingSecret(hook, secrets);
    if (missing === undefined) return () => this.call(waiting, url, credentialsOf(hook, secrets));
    this.say({ place: name, reason: missingText(missing) });
    return null;
  }

  /** Once, as long as it is the same. */
  private say(problem: { place: string; reason: string }): void {
    const text = `${problem.place} ${problem.reason}`;
    if (!this.said.has(text)) this.options.onProblem(problem);
    this.said.add(text);
  }

  /** At most once: its beginning is recorded before, and a process that finds it recorded does not begin. */
  private async run({ delivery }: Waiting, program: readonly string[], timeoutSec: number | undefined): Promise<void> {
    const { fs, identity, nowMs, audit } = this.options;
    const { id, hook } = delivery;
    const begun: BegunDelivery = { id, at: new Date(nowMs()).toISOString(), owner: identity };
    if (!(await createRecord(fs, BegunDelivery, begunDeliveryPath(id), begun))) {
      this.waiting.delete(id);
      return;
    }
    audit({ event: "hook_begun", detail: { delivery: id, hook } });
    try {
      this.end(delivery, await runHookProgram(program, timeoutSec, delivery, this.options, this.stopping.signal), 1);
    } catch (error) {
      const detail = `it could not be run: ${error instanceof Error ? error.message : String(error)}`;
      this.end(delivery, { outcome: "failed", detail }, 1);
    }
    await this.noteEnds();
  }

  /** At least once: it has ended when the answer is there, and its end is recorded after that. */
  private async call(waiting: Waiting, url: string, credentials: Parameters<typeof callUrl>[2]): Promise<void> {
    const { fs, nowMs } = this.options;
    const { delivery } = waiting;
    const { id } = delivery;
    const called = await callUrl(url, delivery, credentials, nowMs(), this.stopping.signal);
    // A stop says nothing of the other side.
    if (!called.isTaken && this.stopping.signal.aborted) return;
    const tries = waiting.tries + 1;
    if (called.isTaken) this.end(delivery, { outcome: "sent", detail: called.detail }, tries);
    else if (called.isFinal || tries >= TRIES_MAX)
      this.end(delivery, { outcome: "gave_up", detail: called.detail }, tries);
    else {
      const atMs = nowMs();
      waiting.tries = tries;
      waiting.dueMs = atMs + pauseAfter(tries, called.retryAfterMs);
      const failed: FailedCalls = {
        id,
        tries,
        at: new Date(atMs).toISOString(),
        retryAt: new Date(waiting.dueMs).toISOString(),
        error: called.detail,
      };
      await replaceView(fs, failedTriesPath(id), `${JSON.stringify(failed)}\n`);
    }
    await this.noteEnds();
  }

  /** Read each time: they may be set while it runs, and none is kept in memory longer than needed. */
  private secrets(): Readonly<Record<string, string>> {
    try {
      const secrets = readHookSecrets(this.options.home, this.options.env);
      hideInLogs(Object.values(secrets));
      return secrets;
    } catch (error) {
      if (!(error instanceof HomeError)) throw error;
      this.say({ place: SECRETS_PATH, reason: error.message });
      return {};
    }
  }

  /** Deliveries that ended long ago go, but never where its event could still be found: it would be delivered again. */
  private async prune(): Promise<void> {
    const { fs, nowMs, monotonicMs } = this.options;
    if (this.prunedAtMs !== undefined && monotonicMs() - this.prunedAtMs < PRUNE_EVERY_MS) return;
    this.prunedAtMs = monotonicMs();
    for (const name of await fs.list(DELIVERIES)) {
      const [, id] = /^(d-[0-9a-f]+)\.ended\.json$/.exec(name) ?? [];
      if (id === undefined) continue;
      const info = await fs.info(endedDeliveryPath(id));
      if (info === null || nowMs() - info.mtimeMs <= KEPT_MS) continue;
      // A damaged one, or one of a version that knew other events, keeps no other: events are told for days, and this ended weeks ago.
      const event = (await readUnlessTorn(fs, HookDelivery, deliveryPath(id)))?.event;
      if (event !== undefined && event.type !== TEST_EVENT && (await fs.exists(archivePath(event.data.id)))) continue;
      // The delivery itself goes first: without it the rest is nothing.
      for (const path of [deliveryPath(id), begunDeliveryPath(id), failedTriesPath(id), endedDeliveryPath(id)])
        await fs.unlink(path);
      this.known.delete(id);
    }
  }
}

/** A clock that was set back must not put off a try for longer than a pause can be. */
function isDue(dueMs: number, nowMs: number): boolean {
  return dueMs <= nowMs || dueMs - nowMs > RETRY_AFTER_MS_MAX;
}
