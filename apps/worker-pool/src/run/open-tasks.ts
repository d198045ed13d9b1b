/** The tasks that a role is told of, kept from run to run: a line is made again only when a record came or went of which it is made. */
import { isOnBoard, openSummary, summaryOf, waitingSummary } from "@mimikit/core/views/board";
import { compareTaskIds } from "@mimikit/protocol/base/id";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { lookups } from "@mimikit/store/views/attempts-told";
import { OrderedList } from "@mimikit/store/views/ordered-list";

export class OpenTasks {
  private readonly cache: StateCache;
  private readonly touched: Set<string>;
  private readonly shown = new OrderedList<TaskSummary>((a, b) => compareTaskIds(b.id, a.id));

  constructor(cache: StateCache) {
    this.cache = cache;
    const { queue, dependents, results } = cache;
    this.touched = new Set([...queue.keys(), ...dependents.keys(), ...results.keys()]);
    cache.watch((id) => this.touched.add(id));
  }

  /** Those that are in some directory now, as the state cache has last seen it; newest first. A list that was handed out never changes. */
  get list(): readonly TaskSummary[] {
    this.shown.patch([...this.touched].map((id) => [id, this.lineOf(id)]));
    this.touched.clear();
    return this.shown.list;
  }

  private lineOf(id: string): TaskSummary | undefined {
    const { queue, dependents, results, attempts } = this.cache;
    const [task, dependent, result] = [queue.get(id), dependents.get(id), results.get(id)];
    if (result !== undefined && isOnBoard(result.task)) return summaryOf(result);
    if (task !== undefined && isOnBoard(task)) return openSummary(task, lookups(attempts.get(id)));
    return dependent && waitingSummary(dependent);
  }
}
