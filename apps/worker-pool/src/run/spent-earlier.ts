/** The cost of a task before an attempt of it begins: for the budget of one task (SPEC N2). */
import { addSpending, NO_SPENDING, type Spending } from "@mimikit/core/base/budget";
import type { Task } from "@mimikit/protocol/records/task";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { UsageLog } from "@mimikit/store/views/usage-log";

interface Spent {
  usageLog: UsageLog;
  cache: StateCache;
  nowMs(): number;
}

/** The cost of the earlier attempts of a task. Throws what the disk throws. */
export function spentEarlier(task: Task, { usageLog, cache, nowMs }: Spent): Spending {
  const [first] = cache.attempts.get(task.id) ?? [];
  const since = first?.claim?.at ?? first?.failed?.at;
  const days = since === undefined ? [] : usageLog.readSince(Date.parse(since), nowMs());
  return days.map((day) => day.spentByTask(task.id)).reduce(addSpending, NO_SPENDING);
}
