/** The cost of a task before an attempt of it begins: for the budget of one task (SPEC N2). */
import { addSpending, NO_SPENDING, type Spending } from "@mimikit/core/base/budget";
import type { Task } from "@mimikit/protocol/records/task";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import type { UsageBook } from "@mimikit/store/views/usage-book";

interface Spent {
  book: UsageBook;
  mirror: Mirror;
  nowMs(): number;
}

/** The cost of the earlier attempts of a task. Throws what the disk throws. */
export function spentEarlier(task: Task, { book, mirror, nowMs }: Spent): Spending {
  const [first] = mirror.attempts.get(task.id) ?? [];
  const since = first?.claim?.at ?? first?.failed?.at;
  const days = since === undefined ? [] : book.readSince(Date.parse(since), nowMs());
  return days.map((day) => day.spentByTask(task.id)).reduce(addSpending, NO_SPENDING);
}
