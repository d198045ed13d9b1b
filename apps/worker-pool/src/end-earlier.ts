/** Before an attempt begins, whatever the attempts before it have left running is gone (docs/file-protocol.md R6). */
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { homeHash } from "@mimikit/runtime/home/home";
import { findMarked, type MarkedProcess, markOf } from "@mimikit/runtime/process/marked-processes";
import { endProcesses } from "@mimikit/runtime/process/process-table";

/** Between TERM and KILL. */
const TERM_MS = 2_000;

/**
 * Resolves when no process of an earlier attempt of the task is left. Looks for all of them at once: an outage makes
 * attempts by the thousand, and the next one must not take longer for each.
 * @param onLeft hears of those that cannot be ended, again and again until they are.
 */
export async function endEarlier(
  { task, attempt }: Pick<Candidate, "task" | "attempt">,
  home: string,
  onLeft: (left: MarkedProcess[]) => void,
): Promise<void> {
  const marks = new Set(Array.from({ length: attempt - 1 }, (_, k) => markOf(home, task.id, k + 1)));
  const find = async () => (await findMarked(homeHash(home))).filter(({ mark }) => marks.has(mark));
  for (;;) {
    const left = await endProcesses(find, TERM_MS);
    if (left.length === 0) return;
    onLeft(left);
  }
}
