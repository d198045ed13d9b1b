/**
 * Users create, change, fire and delete triggers. A command is answered when its effect is durable: the new version
 * names the command, so a command that is cut off is done once (docs/file-protocol.md#commands).
 */

import type { WishOf } from "@mimikit/protocol/records/inbox";
import { EPOCH_MAX, type Standing } from "@mimikit/protocol/records/trigger";
import { TRIGGERS_MAX, type TriggerPatch, type When } from "@mimikit/protocol/triggers/trigger-order";
import type { Action } from "../base/action.ts";
import { openStanding, type Snapshot } from "../base/snapshot.ts";
import { scheduleProblem } from "../schedule/schedule.ts";
import { isAheadOfClock } from "../triggers/ahead-of-clock.ts";
import { grantOrder, type PutWish, triggerIdOf, triggerOfWish } from "../triggers/of-command.ts";
import { alterationOf, creationOf, deletionOf } from "../triggers/take-back-trigger.ts";
import { advanced, noted, patched, skipId } from "../triggers/triggers.ts";
import { hasUndone } from "../triggers/undone.ts";

type TriggerWish = WishOf<"trigger-put" | "trigger-patch" | "trigger-delete" | "trigger-run">;

export function change(snapshot: Snapshot, nowMs: number): Action[] {
  const wishes = [...snapshot.inbox.values()].flatMap((wish) =>
    wish.kind.startsWith("trigger-") && !snapshot.isArchived(wish.id) ? [wish as TriggerWish] : [],
  );
  const idOf = (wish: TriggerWish) => (wish.kind === "trigger-put" ? triggerIdOf(wish.id) : wish.triggerId);
  const isApplied = (wish: TriggerWish) => snapshot.standing.get(idOf(wish))?.applied.includes(wish.id) === true;
  // Nor may a command overtake one that is granted already.
  const order = (wish: TriggerWish) => (isApplied(wish) ? `0 ${wish.id}` : grantOrder(wish));
  const touched = new Set<string>();
  const actions: Action[] = [];
  for (const wish of wishes.sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const id = idOf(wish);
    // Commands about one trigger are granted in their order, one at a time.
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
    return put(wish, snapshot, nowMs) ?? answer(`refused: there are ${TRIGGERS_MAX} triggers already`);
  }
  if (trigger?.applied.includes(wish.id)) return answer(DONE[wish.kind]);
  if (isOver) return answer(wish.kind === "trigger-delete" ? DONE[wish.kind] : "refused: the trigger is over");
  if (trigger === undefined) return answer("refused: there is no such trigger");
  if (hasUndone(trigger, snapshot) || trigger.over !== undefined) return [];
  switch (wish.kind) {
    case "trigger-delete":
      return [
        {
          type: "advance",
          trigger: noted(advanced(trigger, { over: "deleted" }), wish.id),
          change: deletionOf(trigger, { ...wish, by: "user" }),
        },
      ];
    case "trigger-run":
      return [{ type: "advance", trigger: noted(runNow(trigger, wish, nowMs), wish.id) }];
    case "trigger-patch": {
      const problem = problemOfPatch(trigger, wish.patch, snapshot, nowMs);
      if (problem !== null) return answer(`refused: ${problem}`);
      const next = noted(patched(trigger, wish.patch, nowMs), wish.id);
      return [{ type: "advance", trigger: next, change: alterationOf(trigger, next, { ...wish, by: "user" }) }];
    }
  }
}

/** The answers of commands that are done. */
const DONE = { "trigger-patch": "changed", "trigger-run": "started", "trigger-delete": "deleted" } as const;

/** Why a patch cannot be granted; null when it can. */
function problemOfPatch(
  trigger: Standing,
  { when, anew }: TriggerPatch,
  snapshot: Snapshot,
  nowMs: number,
): string | null {
  if (anew === true) return problemOfAnew(trigger, when, nowMs);
  if (when === undefined) return null;
  if (when.type !== trigger.type) return `a ${trigger.type} trigger cannot become ${when.type}: make another`;
  if (when.type === "recurring") return scheduleProblem(when.schedule, nowMs);
  if (when.type === "scheduled" && snapshot.isArchived(skipId(trigger, Date.parse(when.runAt))))
    return `its run at ${when.runAt} was skipped already`;
  return null;
}

/** A moment must not be due twice because a healthy trigger was started over. */
function problemOfAnew(trigger: Standing, when: When | undefined, nowMs: number): string | null {
  if (when !== undefined) return "a new schedule counts from now anyway: say one of the two";
  if (!isAheadOfClock(trigger, nowMs)) return "it is not ahead of the clock, so there is nothing to recover";
  return (trigger.epoch ?? 0) < EPOCH_MAX ? null : `it has started over ${EPOCH_MAX} times: create another`;
}

function put(wish: PutWish, snapshot: Snapshot, nowMs: number): Action[] | null {
  if (openStanding(snapshot).length >= TRIGGERS_MAX) return null;
  const { when } = wish.definition;
  const problem = when.type === "recurring" ? scheduleProblem(when.schedule, nowMs) : null;
  if (problem !== null) return [{ type: "answer-wish", wish, outcome: `refused: ${problem}` }];
  const trigger = triggerOfWish(wish);
  return [{ type: "create-trigger", trigger, change: creationOf(trigger, { ...wish, by: "user" }) }];
}

/** It fires once more, and nothing else of it changes. */
function runNow(trigger: Standing, { id: wishId, given }: WishOf<"trigger-run">, nowMs: number): Standing {
  const id = `${trigger.id}--run-${wishId.slice(wishId.lastIndexOf("-") + 1)}`;
  const occurrence = { id, at: new Date(nowMs).toISOString(), ...(given !== undefined && { given }) };
  return advanced(trigger, {}, { fire: [occurrence], skip: [] });
}
