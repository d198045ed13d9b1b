/** Tasks and turns come into a queue, and end, once: by name, however often it is tried again. */

import { ancestorsOf, cancelMark } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import { CancelMark } from "@mimikit/protocol/records/archive";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { createAgainUnsynced, createShown, makeDurable } from "@mimikit/store/disk/record";
import { queuePath, resultPath } from "@mimikit/store/disk/state";
import { archive, type ExecContext, isDurablyThere } from "./exec-context.ts";

/**
 * @param event of the audit log, where it is not that of its kind.
 * @param create as it is given, the task is durable when this resolves.
 */
export async function queueTask(
  task: Task,
  context: ExecContext,
  event: string = KINDS[task.kind].queued,
  create: typeof createShown = createShown,
): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  if (await archiveIndex.confirmAny([task.id, ...marksOf(task.id)])) return;
  if (await isDurablyThere(resultPath(task.role, task.id), fs)) return;
  const { id, role, traceId, parentId } = task;
  if ((await create(fs, Task, queuePath(role, id), task)) && !(await hasEndedMeanwhile(id, context)))
    audit({ event, taskId: id, traceId, ...(parentId && { parentId }), detail: { role, title: task.title } });
}

/**
 * Call behind the creation of a task. It may have run and been archived while this process stood still just before: memory knows that from now
 * on, and the record, which nothing would run, goes.
 */
function hasEndedMeanwhile(id: string, { archiveIndex }: ExecContext): Promise<boolean> {
  return archiveIndex.confirm(id);
}

/**
 * Was `parentId`, or something above it, cancelled before its first task was queued? Call it behind `queueTask`. A task that is cancelled
 * alone does not count: the next decision would be the same.
 */
export async function isOvertaken(
  parentId: string,
  task: Task | undefined,
  { fs, archiveIndex }: ExecContext,
): Promise<boolean> {
  if (task === undefined || !(await archiveIndex.confirmAny(marksOf(parentId)))) return false;
  const { id, role } = task;
  const isThere = (await fs.exists(queuePath(role, id))) || (await fs.exists(resultPath(role, id)));
  return !isThere && !(await archiveIndex.confirm(id));
}

/** The marks that cancel a task: its own, and those of all above it. */
function marksOf(id: string): string[] {
  return [id, ...ancestorsOf(id)].map(cancelMark);
}

/**
 * Queues the children of a durable result: the pool sees them at once. A power loss may take them, and applying the result makes
 * them again, until `keepChildren` has resolved: before the result goes to the archive (docs/durability.md#what-need-not-be-durable).
 */
export async function queueChildren(tasks: readonly Task[], context: ExecContext): Promise<void> {
  await Promise.all(tasks.map((task) => queueTask(task, context, undefined, createAgainUnsynced)));
}

/** Makes durable what `queueChildren` has queued. */
export async function keepChildren(tasks: readonly Task[], { fs }: ExecContext): Promise<void> {
  await makeDurable(
    fs,
    tasks.map(({ role, id }) => queuePath(role, id)),
  );
}

export async function finish(result: Result, { fs, archiveIndex, audit }: ExecContext): Promise<void> {
  const { id, task, status, failureReason, attempts } = result;
  if (await archiveIndex.confirm(id)) return;
  if (await createShown(fs, Result, resultPath(task.role, id), result))
    audit({
      event: status === "failed" ? "task_failed" : "task_ended",
      taskId: id,
      traceId: task.traceId,
      attempts,
      ...(failureReason && { failureReason }),
    });
}

export async function markCancelled(taskId: string, at: string, context: ExecContext): Promise<void> {
  const id = cancelMark(taskId);
  if (await archive({ kind: "mark", id, at, taskId }, CancelMark, context))
    context.audit({ event: "task_cancelled", taskId });
}

/** Creating the turn is the compare-and-swap: of two supervisors one wins, and a late one changes nothing. */
export async function wake(turn: Task, context: ExecContext): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  // The turn before is applied, so whatever it consumed is in the archive by now: look for it there by name.
  const input = turn.turn;
  const answered = [...(input?.messages ?? []), ...(input?.events ?? []), ...(input?.results ?? [])];
  // A message that is answered again has been in the archive since it was answered first.
  for (const { id } of input?.again === undefined ? [...answered, input?.clear ?? []].flat() : [input.again])
    if (await archiveIndex.confirm(id)) return;
  if (await archiveIndex.confirm(turn.id)) return;
  await archiveIndex.makeDurable();
  const isNew = await createShown(fs, Task, queuePath(turn.role, turn.id), turn);
  if (isNew && !(await hasEndedMeanwhile(turn.id, context))) {
    const detail = { messages: input?.messages.length, events: input?.events.length, results: input?.results.length };
    audit({ event: KINDS[turn.kind].queued, taskId: turn.id, traceId: turn.traceId, detail });
  }
}
