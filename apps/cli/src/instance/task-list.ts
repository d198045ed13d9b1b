/** The tasks as they are on disk, the same whether Mimikit runs or not: what waits, runs and has ended. */

import { countAttempts } from "@mimikit/core/base/snapshot";
import { limitedUntil } from "@mimikit/core/tasks/retry";
import { boardOf } from "@mimikit/core/views/board";
import { ancestorsOf, turnNumber } from "@mimikit/protocol/base/id";
import type { Claim } from "@mimikit/protocol/records/claim";
import { isTurn } from "@mimikit/protocol/records/task";
import type { TaskDetail, TaskSummary } from "@mimikit/protocol/wire/api";
import { isOwnerAlive } from "@mimikit/runtime/process/identity";
import { EndedTasks, newestFirst } from "@mimikit/store/views/ended-tasks";
import { endedDetail, openDetail } from "@mimikit/store/views/task-detail";
import { nameIn, t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { found, type State } from "./state.ts";

/** Every open task and the newest that have ended, newest first. */
export async function listTasks(state: State): Promise<TaskSummary[]> {
  const { results, archiveIndex } = state.cache;
  const ended = new EndedTasks(archiveIndex);
  await ended.load();
  for (const result of results.values()) ended.note(result);
  return [...openTasks(state), ...ended.values()].sort(newestFirst);
}

/** The waiting and running tasks, newest first; the archive is not read for it. */
export function openTasks({ home, cache }: State): TaskSummary[] {
  const { queue, dependents, results, attempts, archiveIndex } = cache;
  const isOpen = (id: string) => !results.has(id) && !archiveIndex.has(id);
  const open = [...queue].filter(([id]) => isOpen(id));
  const board = boardOf({
    queue: new Map(open),
    dependents: new Map([...dependents].filter(([id]) => isOpen(id) && !queue.has(id))),
    results: new Map(),
    attemptsOf: (id) => countAttempts(attempts.get(id)),
    limitedUntilOf: (id) => limitedUntil(attempts.get(id) ?? []),
    runningClaimOf: (id) => livingClaim(home, attempts.get(id)?.at(-1)),
  });
  return board.sort(newestFirst);
}

/** @param given its id or the beginning of it. @throws Failure where there is none, or more than one. */
export async function readTask(state: State, given: string): Promise<TaskDetail> {
  const { queue, dependents, attempts, archiveIndex } = state.cache;
  const tasks = await listTasks(state);
  // A task that is too old for lists is still known by its whole id.
  const id =
    tasks.some((task) => task.id.startsWith(given)) || !archiveIndex.has(given) ? foundTask(given, tasks).id : given;
  const result = await state.cache.resultOf(id);
  if (result !== null && !isTurn(result.task)) return endedDetail(result, attempts.get(id) ?? []);
  const task = queue.get(id) ?? dependents.get(id)?.task;
  const summary = tasks.find((one) => one.id === id);
  if (task === undefined || summary === undefined)
    throw new Failure("failed", t("{id} is no task: mimikit tasks  lists them", { id }));
  return openDetail(summary, task, attempts.get(id) ?? []);
}

/**
 * The id of what is to be cancelled: an open task, or one above it, by exactly its id or by a title that only it has.
 * @throws Failure where there is none, or where it has ended.
 */
export function cancellableId(given: string, tasks: readonly TaskSummary[]): string {
  const open = tasks.filter(({ completedAt }) => completedAt === undefined).map(({ id }) => id);
  const isOpen = (id: string) => open.some((one) => one === id || ancestorsOf(one).includes(id));
  if (turnNumber(given) === 0 && isOpen(given)) return given;
  const [titled, another] = tasks.filter(({ id, title }) => title === given && isOpen(id));
  if (titled !== undefined && another === undefined) return titled.id;
  const ended = tasks.find(({ id }) => id === given);
  if (ended !== undefined)
    throw new Failure("failed", t("{given} has already ended ({state})", { given, state: nameIn(ended.state) }));
  const meant = open.filter((id) => id.startsWith(given));
  const hint =
    meant.length === 0 ? t("mimikit tasks  lists them") : t("did you mean {tasks}?", { tasks: meant.join(t(" or ")) });
  throw new Failure("failed", t("there is no task {given}: {hint}", { given, hint }));
}

/** The task that an id, the beginning of one or a title means. */
export function foundTask(given: string, tasks: readonly TaskSummary[]): TaskSummary {
  return found(given, tasks, "task");
}

/** The claim of an attempt that runs: one of a process that is gone waits for its next attempt. */
function livingClaim(home: string, newest: { claim?: Claim; failed?: unknown } | undefined): Claim | undefined {
  if (newest?.claim === undefined || newest.failed !== undefined) return undefined;
  return isOwnerAlive(home, newest.claim.owner) ? newest.claim : undefined;
}
