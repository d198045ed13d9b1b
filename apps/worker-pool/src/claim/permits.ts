/** Which tasks that wait for the user may be run again. The archive is asked by name: it is the supervisor that writes it. */
import { permitsNeeded } from "@mimikit/core/tasks/question";
import type { Task } from "@mimikit/protocol/records/task";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";

/**
 * The names of the permits that there are for `tasks`; durable when this returns (SPEC C5, I10, docs/file-protocol.md R4).
 */
export async function permitsFor(
  tasks: Iterable<Task>,
  { attemptFacts, archiveIndex }: Pick<StateCache, "attemptFacts" | "archiveIndex">,
): Promise<ReadonlySet<string>> {
  const permits = new Set<string>();
  for (const task of tasks) {
    for (const permit of permitsNeeded(task, attemptFacts.get(task.id) ?? []))
      if (await archiveIndex.confirm(permit)) permits.add(permit);
  }
  if (permits.size > 0) await archiveIndex.makeDurable();
  return permits;
}
