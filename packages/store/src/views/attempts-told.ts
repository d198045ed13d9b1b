/** A task's attempts as lists tell of them. */
import { countAttempts } from "@mimikit/core/base/snapshot";
import { limitedUntil } from "@mimikit/core/tasks/retry";
import type { BoardFacts } from "@mimikit/core/views/board";
import type { Claim } from "@mimikit/protocol/records/claim";
import type { AttemptRecord } from "../state-cache/state-cache.ts";

/** The claim of the attempt that runs now, as far as the disk says. */
export function runningClaim(attempts: readonly AttemptRecord[] | undefined): Claim | undefined {
  const newest = attempts?.at(-1);
  return newest?.failed === undefined ? newest?.claim : undefined;
}

/** Answers the questions of a summary about these attempts. */
export function lookups(
  attempts: readonly AttemptRecord[] | undefined,
): Pick<BoardFacts, "runningClaimOf" | "attemptsOf" | "limitedUntilOf"> {
  return {
    runningClaimOf: () => runningClaim(attempts),
    attemptsOf: () => countAttempts(attempts),
    limitedUntilOf: () => limitedUntil(attempts ?? []),
  };
}
