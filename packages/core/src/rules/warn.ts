/**
 * The user is told once when a budget is used up, by code: models may not be asked any more (SPEC N2). A limit that was
 * raised and is used up again is told again.
 */
import type { Event } from "@mimikit/protocol/records/inbox";
import type { Action } from "../base/action.ts";
import { type Ceiling, usedUp } from "../base/budget.ts";
import { openTasks, type Snapshot } from "../base/snapshot.ts";
import { isOrdered } from "../views/board.ts";
import { budgetNotice } from "../views/budget-notice.ts";
import { reportableResults } from "./wake.ts";

const MICRO = 1_000_000;

export function warn(snapshot: Snapshot, nowMs: number): Action[] {
  const { ceiling } = snapshot;
  if (ceiling === null) return [];
  const id = warningId(ceiling);
  if (snapshot.inbox.has(id) || snapshot.isArchived(id)) return [];
  const work = openTasks(snapshot).filter(isOrdered);
  const tasks = work.filter((task) => !isRunning(task.id, snapshot)).length;
  const reports = reportableResults(snapshot);
  const heldBack = { tasks, reports: reports.map(({ task }) => task.title), titles: work.map(({ title }) => title) };
  const event: Event = {
    kind: "event",
    id,
    at: new Date(nowMs).toISOString(),
    name: "budget",
    text: budgetNotice(ceiling, heldBack, snapshot.timeZone),
    data: { ...ceiling, tasks, reports: reports.length },
  };
  return [{ type: "tell", event }];
}

/** `budget-day-2026-11-22-tokens-500000`: what was told of, and the limit that it was told of; dollars in millionths. */
function warningId({ scope, period, limit, spent }: Ceiling): string {
  const measure = usedUp(limit, spent);
  const most = measure === "costUsd" ? `dollars-${Math.round((limit.costUsd ?? 0) * MICRO)}` : `tokens-${limit.tokens}`;
  return `budget-${scope}-${period}-${most}`;
}

function isRunning(id: string, { attempts }: Snapshot): boolean {
  const last = attempts.get(id)?.at(-1);
  return last?.ownerAlive === true && last.failed === undefined;
}
