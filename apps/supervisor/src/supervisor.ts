/** One tick: look, decide, do. An action that was cut off in the last tick is simply found undone (docs/ARCHITECTURE.md#the-five-ideas). */
import { Attention } from "@mimikit/core/attention/attention";
import type { Action } from "@mimikit/core/base/action";
import type { Snapshot } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import type { Identity } from "@mimikit/protocol/records/claim";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { overheard, PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { ExecContext } from "./execute/exec-context.ts";
import { execute } from "./execute/execute.ts";
import { ACTIONS_AT_ONCE_MAX, inGroups, rootOfIndependent, sideBySide } from "./execute/side-by-side.ts";
import { type OutsideFacts, observe } from "./observe/observe.ts";

export interface SupervisorOptions extends Omit<ExecContext, "archiveIndex"> {
  world: OutsideFacts;
  isAlive(owner: Identity): boolean;
  /** An action could not be done now. */
  onError(error: unknown, action: Action): void;
  /** Every so often, in milliseconds, all directories are read again whatever they look like. */
  rereadMs: number;
}

export class Supervisor {
  readonly cache: StateCache;
  /** The disk, which tells of what this process does there itself: whatever it writes goes through it. */
  readonly fs: FileSystem;
  private readonly options: SupervisorOptions;
  private readonly context: ExecContext;
  private readonly attention = new Attention();
  private readonly heard = new PendingChanges();
  private lastRereadMs: number | undefined;
  /** How many names others had archived before the last look at all. */
  private seen = 0;

  constructor(options: SupervisorOptions) {
    const { token, audit, isAlive } = options;
    this.options = options;
    this.fs = overheard(options.fs, (dir, name) => this.hear(dir, name));
    this.cache = new StateCache(this.fs, {
      token,
      durable: true,
      isAlive,
      onBadArchive: (path, reason) => audit({ event: "archive_damaged", detail: { path, reason } }),
    });
    this.cache.watch((id) => this.attention.note(id));
    this.context = { ...options, fs: this.fs, archiveIndex: this.cache.archiveIndex };
  }

  /** Reads every name in the archive; once, before the first tick. */
  load(): Promise<void> {
    return this.cache.archiveIndex.load();
  }

  /** Something changed in `dir`. @param name null where it may be any. */
  hear(dir: string, name: string | null): void {
    this.heard.note(dir, name);
  }

  /**
   * Does everything that can be done now.
   * @param looksAtAll look at all directories, not only at what was heard.
   * @returns how many actions were done; after any, another look is worth while. Throws when it cannot look.
   */
  async tick(looksAtAll = true): Promise<number> {
    const nowMs = this.options.nowMs();
    const actions = decide(await this.look(nowMs, looksAtAll), nowMs);
    let done = 0;
    const attempt = async (action: Action) => {
      try {
        await execute(action, this.context);
        done++;
      } catch (error) {
        // It must not hold up the others; the next tick tries it again.
        this.options.onError(error, action);
      }
    };
    for (const group of inGroups(actions))
      await sideBySide(group, (action) => rootOfIndependent(action) ?? "", ACTIONS_AT_ONCE_MAX, attempt);
    return done;
  }

  /** The present state, and the parts of it that may need an action. */
  protected async look(nowMs: number, looksAtAll: boolean): Promise<Snapshot> {
    const { cache, attention } = this;
    const isFull = this.isRereadDue(nowMs);
    if (looksAtAll || isFull || this.hasOthersArchived) return this.lookAtAll(nowMs, isFull);
    await cache.refresh(nowMs, false, this.heard.take());
    const snapshot = await observe(cache, this.options.world, attention, nowMs);
    return this.hasOthersArchived ? this.lookAtAll(nowMs, false) : snapshot;
  }

  private async lookAtAll(nowMs: number, isFull: boolean): Promise<Snapshot> {
    const { cache, attention } = this;
    const { seen } = cache.archiveIndex;
    this.heard.take();
    await cache.refresh(nowMs, isFull);
    this.seen = seen;
    if (isFull) {
      this.lastRereadMs = nowMs;
      attention.noteAll();
    }
    return observe(cache, this.options.world, attention, nowMs);
  }

  /** Then they have made what is not heard of, too: that something is nowhere is known only from a look at all. */
  private get hasOthersArchived(): boolean {
    return this.cache.archiveIndex.seen !== this.seen;
  }

  /** A clock that was set back must not put off the safety net. */
  private isRereadDue(nowMs: number): boolean {
    return this.lastRereadMs === undefined || Math.abs(nowMs - this.lastRereadMs) >= this.options.rereadMs;
  }
}
