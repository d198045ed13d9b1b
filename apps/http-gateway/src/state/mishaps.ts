/** Damage to the state directory while it was in use, named in `problems`: its owner may not have meant it. */
import type { AuditLine } from "@mimikit/protocol/records/audit";
import { REOPENED_EVENT } from "@mimikit/runtime/audit/audit-chain";
import { RESTORED_EVENT } from "@mimikit/runtime/keep-home";

/** So long they are told, or until the gateway is started anew; the audit log has them for longer. */
const TOLD_MS = 86_400_000;

export class Mishaps {
  /** The newest of each kind and place. */
  private readonly known = new Map<string, { atMs: number; problem: string }>();

  /** Takes note of a line of the audit log, if it tells of a mishap. */
  note({ event, timestamp, actor, detail }: AuditLine): void {
    if (event === RESTORED_EVENT)
      this.keep(timestamp, `${detail?.dir}/`, "was removed and made again, empty: what was in it is gone");
    else if (event === REOPENED_EVENT)
      this.keep(
        timestamp,
        String(detail?.file),
        `was ${detail?.was} while the ${actor} wrote to it: lines may be gone`,
      );
  }

  /** @param nowMs the wall clock. */
  problems(nowMs: number): string[] {
    return [...this.known.values()].flatMap(({ atMs, problem }) => (nowMs - atMs < TOLD_MS ? [problem] : []));
  }

  private keep(timestamp: string, what: string, whatHappened: string): void {
    this.known.set(what, { atMs: Date.parse(timestamp), problem: `${what} ${whatHappened} (${timestamp})` });
  }
}
