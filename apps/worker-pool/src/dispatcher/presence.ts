/** The last word of each pool, in one view of them all: a home with many pools writes no more than one with few (docs/scale.md). */
import type { PoolBeat } from "@mimikit/protocol/pools/messages";
import type { PoolRecord, PoolSeen, PoolsSeen } from "@mimikit/protocol/pools/pool";
import { AWAY_MS } from "@mimikit/runtime/pools/registry";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { POOLS_SEEN_PATH } from "@mimikit/store/disk/state";
import { readPoolsSeen } from "@mimikit/store/views/pools-seen";

/** The view is written at least so often; at once where a pool comes. */
const WRITE_EVERY_MS = 10_000;

export interface PresenceOptions {
  fs: FileSystem;
  nowMs(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
}

export class Presence {
  private readonly options: PresenceOptions;
  private readonly seen: Map<string, PoolSeen>;
  private writtenMs = Number.NEGATIVE_INFINITY;
  private isWriting = false;
  private isBehind = false;

  private constructor(options: PresenceOptions, seen: PoolsSeen) {
    this.options = options;
    this.seen = new Map(Object.entries(seen));
  }

  /** Throws what the disk throws. */
  static async open(options: PresenceOptions): Promise<Presence> {
    return new Presence(options, await readPoolsSeen(options.fs));
  }

  /** A pool has said that it is there. Rejects with what the disk throws. */
  async note({ name, at: invitedAt }: PoolRecord, { version, running }: PoolBeat): Promise<void> {
    const { nowMs, monotonicMs } = this.options;
    const last = this.seen.get(name);
    const before = last?.invitedAt === invitedAt ? last : undefined;
    const hasCome = before === undefined || nowMs() - Date.parse(before.at) >= AWAY_MS;
    const at = new Date(nowMs()).toISOString();
    this.seen.set(name, { invitedAt, at, version, running, since: hasCome ? at : (before.since ?? at) });
    if (!hasCome && monotonicMs() - this.writtenMs < WRITE_EVERY_MS) return;
    this.writtenMs = monotonicMs();
    await this.write();
  }

  /** Keeps these pools, and forgets the others. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.seen.keys()) if (!names.has(name)) this.seen.delete(name);
  }

  /** One write for all that come while another is on its way. */
  private async write(): Promise<void> {
    this.isBehind = true;
    if (this.isWriting) return;
    this.isWriting = true;
    try {
      while (this.isBehind) {
        this.isBehind = false;
        await replaceView(this.options.fs, POOLS_SEEN_PATH, `${JSON.stringify(Object.fromEntries(this.seen))}\n`);
      }
    } finally {
      this.isWriting = false;
    }
  }
}
