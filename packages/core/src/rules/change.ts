/**
 * What users want of their standing triggers. A wish is answered when what it wants is durable: the new version says that
 * it holds the wish, so a wish that is cut off is done once (PROTOCOL, Wishes).
 */
import type { Wish } from "@mimikit/protocol/inbox";
import type { Standing } from "@mimikit/protocol/trigger";
import { TRIGGERS_MAX } from "@mimikit/protocol/trigger-order";
import type { Action } from "../action.ts";
import { scheduleProblem } from "../schedule.ts";
import { isCancelled, openStanding, type Snapshot } from "../snapshot.ts";
import { advanced, noted, patched, triggerOf } from "../triggers.ts";
import { hasUndone } from "./stand.ts";

type TriggerWish = Extract<Wish, { kind: "trigger-put" | "trigger-patch" | "trigger-delete" | "trigger-run" }>;

/** The id of the trigger that a wish makes: `trg-` and the digits of the wish's. */
export function triggerIdOf(wishId: string): string {
  return `trg-${wishId.slice(wishId.lastIndexOf("-") + 1)}`;
}

export function change(snapshot: Snapshot, nowMs: number): Action[] {
  const wishes = [...snapshot.inbox.values()].flatMap((wish) =>
    wish.kind.startsWith("trigger-") && !snapshot.isArchived(wish.id) ? [wish as TriggerWish] : [],
  );
  const touched = new Set<string>();
  const actions: Action[] = [];
  for (const wish of wishes.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1))) {
    const id = wish.kind === "trigger-put" ? triggerIdOf(wish.id) : wish.triggerId;
    // What is wanted of one trigger happens in the order in which it was wanted: one wish at a time.
    if (touched.has(id)) continue;
    touched.add(id);
    actions.push(...grant(wish, id, snapshot, nowMs));
  }
  return actions;
}

function grant(wish: TriggerWish, id: string, snapshot: Snapshot, nowMs: number): Action[] {
  const answer = (outcome: string): Action[] => [{ type: "answer-wish", wish, outcome }];
  const trigger = snapshot.standing.get(id);
  const isOver = snapshot.isArchived(id);
  if (wish.kind === "trigger-put") {
    if (trigger !== undefined || isOver) return answer(`made: ${id}`);
    return put(wish, id, snapshot, nowMs) ?? answer(`refused: there are ${TRIGGERS_MAX} triggers already`);
  }
  if (isOver) return answer(wish.kind === "trigger-delete" ? "deleted" : "refused: the trigger is over");
  if (trigger === undefined) return answer("refused: there is no such trigger");
  if (trigger.applied.includes(wish.id)) return answer(wish.kind === "trigger-run" ? "started" : "changed");
  if (hasUndone(trigger, snapshot) || isCancelled(snapshot, id)) return [];
  switch (wish.kind) {
    case "trigger-delete":
      return [{ type: "end-trigger", trigger, outcome: "deleted" }];
    case "trigger-run":
      return [{ type: "advance", trigger: noted(runNow(trigger, wish.id, nowMs), wish.id) }];
    case "trigger-patch": {
      const { when } = wish.patch;
      const problem = when?.type === "recurring" ? scheduleProblem(when.schedule, nowMs) : null;
      if (problem !== null) return answer(`refused: ${problem}`);
      return [{ type: "advance", trigger: noted(patched(trigger, wish.patch, nowMs), wish.id) }];
    }
  }
}

function put(
  wish: Extract<Wish, { kind: "trigger-put" }>,
  id: string,
  snapshot: Snapshot,
  nowMs: number,
): Action[] | null {
  if (openStanding(snapshot).length >= TRIGGERS_MAX) return null;
  const { when } = wish.definition;
  const problem = when.type === "recurring" ? scheduleProblem(when.schedule, nowMs) : null;
  if (problem !== null) return [{ type: "answer-wish", wish, outcome: `refused: ${problem}` }];
  const maker = { createdAt: wish.at, traceId: id, depth: 0, target: "teller" } as const;
  return [{ type: "create-trigger", trigger: triggerOf(id, wish.definition, maker) }];
}

/** It fires once more, and nothing else of it changes. */
function runNow(trigger: Standing, wishId: string, nowMs: number): Standing {
  const id = `${trigger.id}--run-${wishId.slice(wishId.lastIndexOf("-") + 1)}`;
  return advanced(trigger, {}, { fire: [{ id, at: new Date(nowMs).toISOString() }], skip: [] });
}
