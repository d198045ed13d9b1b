/** Which tasks may begin now, as far as that depends on what may be spent (SPEC N2). */
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import {
  type Account,
  addSpending,
  hasRoom,
  isLimited,
  type Limit,
  type Spending,
  type SpendingLimits,
} from "@mimikit/core/base/budget";
import { isUnaccounted } from "@mimikit/core/base/snapshot";
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { Role } from "@mimikit/protocol/base/role";
import type { Usage, UsageLine } from "@mimikit/protocol/base/usage";
import { isImprovement, isTurn, type Task } from "@mimikit/protocol/records/task";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { accountsAt, hasLine } from "@mimikit/store/views/accounts";
import type { UsageLog } from "@mimikit/store/views/usage-log";

/** A task that may begin. */
export interface Allotted extends Candidate {
  /** Its reservation until its cost is known; not set if there is no budget. */
  reserved?: Spending;
}

export interface BudgetSources {
  limits: SpendingLimits;
  /** The limit of one task. */
  taskLimit: Limit;
  usageLog: UsageLog;
  cache: StateCache;
  reservationOf(role: Role): Spending;
  nowMs: number;
}

/**
 * Those of `candidates`, in their order, that the budgets have room for. A turn always begins: only what must be answered
 * makes one where a budget is used up, and everything that the user says waits behind it. Throws what the disk throws.
 */
export function allot(candidates: readonly Candidate[], budgets: BudgetSources): Allotted[] {
  if (candidates.length === 0) return [];
  let accounts: readonly Account[] = accountsAt(budgets.limits, budgets.usageLog, budgets.cache, budgets.nowMs);
  const allotted: Allotted[] = [];
  for (const candidate of candidates) {
    const { task } = candidate;
    if (KINDS[task.kind].runner === "pool" || (accounts.length === 0 && !hasOwnBudget(task, budgets))) {
      allotted.push(candidate);
      continue;
    }
    const reserved = budgets.reservationOf(task.role);
    if (!isTurn(task) && !accounts.every((account) => hasRoom(account, reserved))) continue;
    allotted.push({ ...candidate, reserved });
    accounts = accounts.map((account) => ({ ...account, reserved: addSpending(account.reserved, reserved) }));
  }
  return allotted;
}

/** Does a budget of its own ask what a task costs: that of each task, or that of the trigger which it comes from? */
function hasOwnBudget(task: Task, { taskLimit, cache }: Pick<BudgetSources, "taskLimit" | "cache">): boolean {
  if (isImprovement(task) || (!isTurn(task) && isLimited(taskLimit))) return true;
  return task.triggerId !== undefined && cache.triggers.get(task.triggerId)?.budget !== undefined;
}

/**
 * The cost of attempts that died before they could report it: all that was reserved for them, or a task that takes its
 * process down again and again would cost nothing. A line for each, on the day on which it began, so that writing it
 * again changes nothing. Throws what the disk throws.
 */
export function linesOfDead({
  usageLog,
  cache,
  nowMs,
}: Pick<BudgetSources, "usageLog" | "cache" | "nowMs">): UsageLine[] {
  const { unaccounted, results, archiveIndex, queue } = cache;
  const lines: UsageLine[] = [];
  for (const [taskId, attempts] of unaccounted) {
    if (archiveIndex.has(taskId)) continue;
    for (const each of attempts) {
      const { at, attempt, ownerAlive, reserved, role } = each;
      // The owner of an attempt on another machine is never dead: that it was cut off is a record.
      const hasDied = !ownerAlive || each.failed !== undefined;
      if (at === undefined || !hasDied || !isUnaccounted(each) || reserved === undefined) continue;
      // It did not die before its end: what it handed in is there.
      if (results.get(taskId)?.attempts === attempt && results.get(taskId)?.provider !== undefined) continue;
      if (hasLine(usageLog, taskId, each, nowMs)) continue;
      const triggerId = queue.get(taskId)?.triggerId;
      lines.push(
        estimateOf(reserved, {
          at,
          taskId,
          attempt,
          role,
          provider: "unknown",
          ...(triggerId !== undefined && { triggerId }),
        }),
      );
    }
  }
  return lines;
}

/** A run as its line tells it. */
export interface FinishedRun {
  outcome: Pick<RunOutcome, "status" | "usage" | "provider" | "model" | "isOutage">;
  /** It may have cost something that it cannot tell. */
  isBegun: boolean;
  /** Its provider costs nothing. */
  isFree: boolean;
  /** Which tools it has called; null where it has called none. */
  tools: UsageLine["tools"] | null;
}

/** The one line of an attempt that has come to its end; null where it has nothing to say. @param atMs when. */
export function lineOf({ task, attempt, reserved }: Allotted, ran: FinishedRun, atMs: number): UsageLine | null {
  const { usage, provider, model, status, isOutage } = ran.outcome;
  const isUnpaid = hasNone(usage);
  // One that is stopped, or breaks off in the middle, may not have said what it took until then.
  const isUntold = ran.isBegun && status === "failed" && isUnpaid && !ran.isFree;
  const hasReserved = reserved !== undefined && (isUntold || isOutage !== true);
  if (isUnpaid && ran.tools === null && !hasReserved) return null;
  const { id: taskId, role, triggerId } = task;
  const at = new Date(atMs).toISOString();
  const run = { at, taskId, attempt, role, provider, ...(model !== undefined && { model }) };
  const of = { ...run, ...(triggerId !== undefined && { triggerId }) };
  const line: UsageLine = isUntold && reserved !== undefined ? estimateOf(reserved, of) : { ...of, ...usage };
  return { ...line, ...(ran.tools !== null && { tools: ran.tools }) };
}

/** Has it cost nothing? */
export function hasNone(usage: Usage): boolean {
  return Object.values(usage).every((value) => value === 0);
}

/** A line for an attempt that cannot say what it cost: what was reserved for it. */
export function estimateOf(
  { tokens, costUsd }: Spending,
  of: Pick<UsageLine, "at" | "taskId" | "attempt" | "role" | "provider" | "model" | "triggerId">,
): UsageLine {
  return { ...of, inputTokens: tokens, cachedTokens: 0, outputTokens: 0, costUsd, isEstimate: true };
}
