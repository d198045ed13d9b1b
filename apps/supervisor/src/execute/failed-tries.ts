/** How often the same files could not be summed up (SPEC E3). */
import { type FailedRollUps, ROLL_UP_TRIES_MAX, summaryIn } from "@mimikit/core/memory/roll-up";
import { rollUpId, rollUpOf } from "@mimikit/protocol/base/id";
import type { Result } from "@mimikit/protocol/records/result";
import type { RollUp } from "@mimikit/protocol/records/task";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";

/**
 * The last tries that failed with just these sources, one after the other.
 * @param last the newest try, where it is not archived yet.
 */
export async function failedTries(
  archiveIndex: ArchiveIndex,
  { period, sources }: RollUp,
  last?: Result,
): Promise<FailedRollUps> {
  const lastNumber = last === undefined ? undefined : rollUpOf(last.id)?.number;
  let tries: FailedRollUps = { count: 0 };
  for (
    let n = lastNumber ?? archiveIndex.highestRollUps.get(period) ?? 0;
    n > 0 && tries.count < ROLL_UP_TRIES_MAX;
    n--
  ) {
    const result = n === lastNumber ? last : await archiveIndex.readResult(rollUpId(period, n));
    const isSame = JSON.stringify(result?.task.rollUp?.sources) === JSON.stringify(sources);
    if (result === undefined || result === null || !isSame || summaryIn(result) !== null) break;
    tries = { count: tries.count + 1, lastAt: tries.lastAt ?? result.completedAt };
  }
  return tries;
}
