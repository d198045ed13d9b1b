/** How often each tool was called in a run, how it ended and how long it took (SPEC I9). */
import type { ToolCallRecord } from "@mimikit/agent/bus";
import { addToolCount, type ToolCount } from "@mimikit/protocol/base/usage";

/** Models may call what does not exist, by any name: from here on all new names are counted together. */
const TOOLS_MAX = 32;
const OTHERS = "others";

export class ToolTally {
  private readonly counts = new Map<string, ToolCount>();

  note({ tool, ok, durationMs }: ToolCallRecord): void {
    const name = this.counts.has(tool) || this.counts.size < TOOLS_MAX ? tool : OTHERS;
    const before = this.counts.get(name) ?? { calls: 0, failed: 0, ms: 0 };
    this.counts.set(name, addToolCount(before, { calls: 1, failed: ok ? 0 : 1, ms: durationMs }));
  }

  /** By tool; null when none was called. */
  get total(): Record<string, ToolCount> | null {
    return this.counts.size === 0 ? null : Object.fromEntries(this.counts);
  }
}
