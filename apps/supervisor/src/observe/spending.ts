/** The facts about the budgets for decisions (SPEC N2). */

import { reservationOf } from "@mimikit/agent/run/reservation";
import { addSpending, ceilingOf } from "@mimikit/core/base/budget";
import { dayOf } from "@mimikit/protocol/base/usage";
import type { Config } from "@mimikit/runtime/config/config";
import type { Surroundings } from "@mimikit/runtime/config/providers";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import { accountsAt } from "@mimikit/store/views/accounts";
import type { UsageBook } from "@mimikit/store/views/usage-book";
import type { World } from "./observe.ts";

export interface Spendings {
  book: UsageBook;
  mirror: Mirror;
  config: Config;
  surroundings: Surroundings;
  nowMs: number;
}

/** Call after `mirror.refresh()`. Throws what the disk throws. */
export function spendingNow({ book, mirror, config, surroundings, nowMs }: Spendings): ReturnType<World["spending"]> {
  const { results, ledger } = mirror;
  return {
    ceiling: ceilingOf(accountsAt(config.budget, book, mirror, nowMs)),
    // Its open tasks count for what is reserved for such: what has not begun has its place in the budget, too.
    spentByTrigger: (id) =>
      [...mirror.queuedBy(id)]
        .filter((task) => !results.has(task.id) && !ledger.has(task.id))
        .map(({ role }) => reservationOf(role, config, surroundings))
        .reduce(addSpending, book.readDay(dayOf(nowMs)).spentByTrigger(id)),
  };
}
