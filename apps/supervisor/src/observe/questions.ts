/** How the questions were closed that decisions depend on, whether their records are still there or long archived. */

import type { Attended, Snapshot } from "@mimikit/core/base/snapshot";
import { needsOf } from "@mimikit/core/conditions/index";
import {
  approveId,
  attemptToAskAbout,
  callToAskAbout,
  goOnId,
  isFailure,
  runAgainId,
} from "@mimikit/core/tasks/question";
import type { Report } from "@mimikit/protocol/base/report";
import type { ClosedQuestion } from "@mimikit/protocol/records/question";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";

/** @param outcomes of the tasks that something waits for. */
export async function closedQuestions(
  { questions, inbox, attemptFacts, archiveIndex }: StateCache,
  { dependents, tasks }: Attended,
  outcomes: ReadonlyMap<string, Report>,
): Promise<ReadonlyMap<string, ClosedQuestion>> {
  const ids = new Set([...questions.keys(), ...answersIn(inbox)]);
  for (const { condition } of dependents.values())
    for (const taskId of needsOf(condition).tasks) if (isFailure(outcomes.get(taskId))) ids.add(goOnId(taskId));
  for (const task of tasks.values()) {
    const attempts = attemptFacts.get(task.id) ?? [];
    const attempt = attemptToAskAbout(task, attempts);
    if (attempt !== undefined) ids.add(runAgainId(task.id, attempt));
    const asked = callToAskAbout(attempts);
    if (asked !== undefined) ids.add(approveId(task.id, asked.attempt));
  }
  const closed = new Map<string, ClosedQuestion>();
  for (const id of ids) {
    const record = (await archiveIndex.confirm(id)) ? await archiveIndex.read(id) : null;
    if (record !== null && "kind" in record && record.kind === "question") closed.set(id, record);
  }
  return closed;
}

function answersIn(inbox: Snapshot["inbox"]): string[] {
  return [...inbox.values()].flatMap((command) => (command.kind === "answer" ? [command.questionId] : []));
}
