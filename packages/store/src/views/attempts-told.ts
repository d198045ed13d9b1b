/** What lists say of a task's attempts, as the mirror has them. */
import { countAttempts } from "@mimikit/core/base/snapshot";
import type { BoardFacts } from "@mimikit/core/views/board";
import type { Claim } from "@mimikit/protocol/records/claim";
import type { AttemptRecord } from "../mirror/mirror.ts";

/** The claim of the attempt that runs now, as far as the disk says. */
export function runningClaim(attempts: readonly AttemptRecord[] | undefined): Claim | undefined {
  const newest = attempts?.at(-1);
  return newest?.failed === undefined ? newest?.claim : undefined;
}

/** What a summary of a task with these attempts asks of them. */
export function lookups(
  attempts: readonly AttemptRecord[] | undefined,
): Pick<BoardFacts, "runningClaimOf" | "attemptsOf"> {
  return { runningClaimOf: () => runningClaim(attempts), attemptsOf: () => countAttempts(attempts) };
}
