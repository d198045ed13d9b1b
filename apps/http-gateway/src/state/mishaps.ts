/** Damage to the state directory while it was in use, named in `problems`: its owner may not have meant it. */

import type { AuditLine } from "@mimikit/protocol/records/audit";
import { sentence } from "@mimikit/protocol/texts/coded";
import { MISSING_EVENT, REKEYED_EVENT, REOPENED_EVENT } from "@mimikit/runtime/audit/audit-chain";
import { RESTORED_EVENT } from "@mimikit/runtime/keep-home";

/** Files in quarantine/ whose reasons are known: the newest of them. */
const REASONS_MAX = 100;

/** So long they are told; the audit log has them for longer. */
const TOLD_MS = 86_400_000;

export class Mishaps {
  /** Why each of the newest files in quarantine/ is there, by its path there. */
  private readonly reasons = new Map<string, { path: string; detail: string }>();
  /** The newest of each kind and place. */
  private readonly known = new Map<string, { atMs: number; problem: string }>();

  /** Takes note of a line of the audit log, if it tells of a mishap. */
  note({ event, timestamp, actor, detail }: AuditLine): void {
    if (event === "quarantined" && typeof detail?.aside === "string") this.noteQuarantined(detail.aside, detail);
    else if (event === RESTORED_EVENT)
      this.keep(timestamp, `${detail?.dir}/`, (path) => sentence("folder_removed", { path, moment: timestamp }));
    else if (event === REOPENED_EVENT)
      this.keep(timestamp, String(detail?.file), (path) =>
        sentence("log_changed", { path, how: String(detail?.was), actor, moment: timestamp }),
      );
    else if (event === MISSING_EVENT)
      this.keep(timestamp, String(detail?.file), (path) => sentence("log_cut_off", { path, actor, moment: timestamp }));
    else if (event === REKEYED_EVENT)
      this.keep(timestamp, String(detail?.file), (path) =>
        sentence(detail?.isReplaced === true ? "log_token_replaced" : "log_key_wrong", {
          path,
          actor,
          moment: timestamp,
        }),
      );
  }

  /** @param nowMs the wall clock. */
  problems(nowMs: number): string[] {
    return [...this.known.values()].flatMap(({ atMs, problem }) => (nowMs - atMs < TOLD_MS ? [problem] : []));
  }

  /** The reasons of these files in quarantine/ as far as they are known, the newest first. */
  quarantined(asides: readonly string[], max: number): string[] {
    const there = new Set(asides);
    return [...this.reasons]
      .filter(([aside]) => there.has(aside))
      .slice(-max)
      .reverse()
      .map(([aside, { path, detail }]) => sentence("quarantined_file", { path, aside, detail }));
  }

  private noteQuarantined(aside: string, { path, reason }: NonNullable<AuditLine["detail"]>): void {
    this.reasons.set(aside, { path: String(path), detail: String(reason) });
    const [oldest] = this.reasons.keys();
    if (this.reasons.size > REASONS_MAX && oldest !== undefined) this.reasons.delete(oldest);
  }

  private keep(timestamp: string, path: string, told: (path: string) => string): void {
    this.known.set(path, { atMs: Date.parse(timestamp), problem: told(path) });
  }
}
