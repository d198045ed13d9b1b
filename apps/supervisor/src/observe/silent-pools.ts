/** Tasks whose machine has been silent for long: by the view that the dispatcher writes of their last words (docs/pools.md). */
import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { readPoolsSeen } from "@mimikit/store/views/pools-seen";

/** The dispatcher writes the view as often. */
const LOOK_EVERY_MS = 10_000;

export interface SilentPoolsOptions {
  fs: FileSystem;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  /** Silence of so many milliseconds is long. */
  askMs(): number;
}

interface Heard {
  /** The last word of the machine, as the view dates it. */
  at: string | null;
  sinceMs: number;
}

export class SilentPools {
  private readonly options: SilentPoolsOptions;
  /** By attempt: its silence begins with it, or with this process, because nothing listened before. */
  private heard = new Map<string, Heard>();
  private lookedMs = Number.NEGATIVE_INFINITY;
  private silent: ReadonlySet<string> = new Set();

  constructor(options: SilentPoolsOptions) {
    this.options = options;
  }

  /**
   * Those tasks whose machine has been silent for long.
   * @param away the attempts that machines have, by the id of their task. Throws what the disk throws.
   */
  async of(away: ReadonlyMap<string, AttemptFacts>): Promise<ReadonlySet<string>> {
    const { fs, monotonicMs, askMs } = this.options;
    const nowMs = monotonicMs();
    if (nowMs - this.lookedMs < LOOK_EVERY_MS) return this.silent;
    this.lookedMs = nowMs;
    const seen = await readPoolsSeen(fs);
    const heard = new Map<string, Heard>();
    const silent = new Set<string>();
    for (const [id, { attempt, pool = "" }] of away) {
      const key = `${id}.a${attempt}`;
      const at = seen[pool]?.at ?? null;
      const before = this.heard.get(key);
      const sinceMs = before?.at === at ? before.sinceMs : nowMs;
      heard.set(key, { at, sinceMs });
      if (nowMs - sinceMs >= askMs()) silent.add(id);
    }
    this.heard = heard;
    this.silent = silent;
    return silent;
  }
}
