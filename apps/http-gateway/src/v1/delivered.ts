/**
 * The messages whose reply was delivered to their client, as far as the network says so. It outlives a kill of the gateway; after a power
 * loss the last of them may be missing, and then the time decides (docs/decisions/0060-what-is-the-same-again.md).
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { DELIVERED_PATH } from "@mimikit/store/disk/state";

/** How many are known; the file has up to twice as many lines. */
const KEPT_MAX = 1_000;
/** More than that was not written here. */
const FILE_CHARS_MAX = 1_048_576;

export class Delivered {
  private readonly path: string;
  private readonly ids: Set<string>;
  private lines: number;

  /** @param home the state directory. Throws what the disk throws. */
  constructor(home: string) {
    this.path = join(home, DELIVERED_PATH);
    const known = readIfThere(this.path).slice(-FILE_CHARS_MAX).split("\n").filter(Boolean);
    this.lines = known.length;
    this.ids = new Set(known.slice(-KEPT_MAX));
  }

  has(messageId: string): boolean {
    return this.ids.has(messageId);
  }

  /** Throws what the disk throws; it is known all the same as long as this process lives. */
  add(messageId: string): void {
    if (this.ids.has(messageId)) return;
    this.ids.add(messageId);
    if (this.ids.size > KEPT_MAX) this.ids.delete(this.ids.values().next().value ?? "");
    if (this.lines < 2 * KEPT_MAX) {
      appendFileSync(this.path, `${messageId}\n`, { mode: 0o600 });
      this.lines++;
      return;
    }
    writeFileSync(this.path, [...this.ids, ""].join("\n"), { mode: 0o600 });
    this.lines = this.ids.size;
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}
