/** Which tasks that were cut off the user wants to be run again. The archive is asked by name: it is the supervisor that writes it. */
import { attemptToAskAbout } from "@mimikit/core/tasks/question";
import { runAgainPermit } from "@mimikit/protocol/base/id";
import type { Task } from "@mimikit/protocol/records/task";
import type { Mirror } from "@mimikit/store/mirror/mirror";

/**
 * The names of the permits that there are for `tasks`; durable when this returns (SPEC C5, docs/file-protocol.md R4).
 */
export async function permitsFor(
  tasks: Iterable<Task>,
  { attemptFacts, ledger }: Pick<Mirror, "attemptFacts" | "ledger">,
): Promise<ReadonlySet<string>> {
  const permits = new Set<string>();
  for (const task of tasks) {
    const attempt = attemptToAskAbout(task, attemptFacts.get(task.id) ?? []);
    if (attempt === undefined) continue;
    const permit = runAgainPermit(task.id, attempt);
    if (await ledger.confirm(permit)) permits.add(permit);
  }
  if (permits.size > 0) await ledger.makeDurable();
  return permits;
}
