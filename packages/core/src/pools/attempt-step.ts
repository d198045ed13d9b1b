/**
 * The next step of an attempt that another machine runs (docs/pools.md, docs/decisions/0046-remote-attempts-begin-by-permit.md). Pure.
 * - An attempt begins by a permit, which is created once: of two runs of one job, one begins.
 * - With a permit there is no second job: a job that the engine has lost may have begun.
 * - A pool that is silent is not dead; the attempt is given up twice the lease after the pool was heard of last, because the pool ends it after one.
 */
import type { FromPool } from "@mimikit/protocol/pools/messages";

export interface AwayAttempt {
  /** No outcome is wanted any more: there is one, the attempt has ended otherwise, or the task is cancelled or settled. */
  isOver: boolean;
  /** Was it claimed in this life of the home? */
  isOfThisEpoch: boolean;
  /** Is its pool still known here? */
  hasPool: boolean;
  /** Whom the permit is for; null while nobody has it. */
  permit: string | null;
  /** Milliseconds since the pool was heard of last, as far as the engine could be reached. */
  silentMs: number;
}

/** The step that is due without a message of the pool. */
export type DueStep = "add" | "wait" | "withdraw" | "give-up" | "disown";

/** Silence of this many leases ends an attempt here. */
export const LEASES_OF_SILENCE = 2;

export function dueFor(attempt: AwayAttempt, leaseMs: number): DueStep {
  if (attempt.isOver) return "withdraw";
  if (!attempt.isOfThisEpoch || !attempt.hasPool) return "disown";
  if (attempt.permit === null) return "add";
  return attempt.silentMs > LEASES_OF_SILENCE * leaseMs ? "give-up" : "wait";
}

/** How the home answers what a pool says of an attempt. */
export type AttemptAnswer =
  | "lay"
  | "grant"
  | "confirm"
  | "refuse"
  | "stop"
  | "show"
  | "take"
  | "interrupted"
  | "dismiss"
  | "note";

export function answerTo(
  { kind, nonce }: { kind: Exclude<FromPool["kind"], "calls">; nonce: string },
  { isOver, isOfThisEpoch, permit }: Pick<AwayAttempt, "isOver" | "isOfThisEpoch" | "permit">,
): AttemptAnswer {
  const isOurs = !isOver && isOfThisEpoch && (permit === nonce || (permit === null && kind === "ask"));
  switch (kind) {
    case "ask":
      if (!isOurs) return "refuse";
      return permit === null ? "grant" : "confirm";
    case "want":
      return !isOver && isOfThisEpoch && (permit === null || permit === nonce) ? "lay" : "stop";
    case "runs":
      return isOurs ? "note" : "stop";
    case "lines":
      return isOurs ? "show" : "stop";
    case "ended":
    case "laid":
      return isOurs ? "take" : "dismiss";
    case "lost":
      return isOurs ? "interrupted" : "dismiss";
  }
}
