/** The facts about the budgets for decisions (SPEC N2). */

import { reservationOf } from "@mimikit/agent/run/reservation";
import { addSpending, ceilingOf } from "@mimikit/core/base/budget";
import { dayOf } from "@mimikit/protocol/base/usage";
import type { Config } from "@mimikit/runtime/config/config";
import type { ProviderEnvironment } from "@mimikit/runtime/config/providers";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { accountsAt } from "@mimikit/store/views/accounts";
import type { UsageLog } from "@mimikit/store/views/usage-log";
import type { OutsideFacts } from "./observe.ts";

export interface Spendings {
  usageLog: UsageLog;
  cache: StateCache;
  config: Config;
  environment: ProviderEnvironment;
  nowMs: number;
}

/** Call after `cache.refresh()`. Throws what the disk throws. */
export function spendingNow({
  usageLog,
  cache,
  config,
  environment,
  nowMs,
}: Spendings): ReturnType<OutsideFacts["spending"]> {
  const { results, archiveIndex } = cache;
  return {
    ceiling: ceilingOf(accountsAt(config.budget, usageLog, cache, nowMs)),
    // Its open tasks count for what is reserved for such: what has not begun has its place in the budget, too.
    spentByTrigger: (id) =>
      [...cache.queuedBy(id)]
        .filter((task) => !results.has(task.id) && !archiveIndex.has(task.id))
        .map(({ role }) => reservationOf(role, config, environment))
        .reduce(addSpending, usageLog.readDay(dayOf(nowMs)).spentByTrigger(id)),
  };
}
