/**
 * Users create, change, fire and delete triggers. A command is answered when its effect is durable: the new version
 * names the command, so a command that is cut off is done once (docs/file-protocol.md#commands).
 */

import type { CommandOf } from "@mimikit/protocol/records/inbox";
import { EPOCH_MAX, type Trigger } from "@mimikit/protocol/records/trigger";
import { TRIGGERS_MAX, type TriggerPatch, type When } from "@mimikit/protocol/triggers/trigger-order";
import type { Action } from "../base/action.ts";
import { openTriggers, type Snapshot } from "../base/snapshot.ts";
import { scheduleProblem } from "../schedule/schedule.ts";
import { isAheadOfClock } from "../triggers/ahead-of-clock.ts";
import { grantOrder, type PutCommand, triggerIdOf, triggerOfCommand } from "../triggers/of-command.ts";
import { alterationOf, creationOf, deletionOf } from "../triggers/take-back-trigger.ts";
import { advanced, noted, patched, skipId } from "../triggers/triggers.ts";
import { hasUndone } from "../triggers/undone.ts";

type TriggerCommand = CommandOf<"trigger-put" | "trigger-patch" | "trigger-delete" | "trigger-run">;

export function change(snapshot: Snapshot, nowMs: number): Action[] {
  const commands = [...snapshot.inbox.values()].flatMap((command) =>
    command.kind.startsWith("trigger-") && !snapshot.isArchived(command.id) ? [command as TriggerCommand] : [],
  );
  const idOf = (command: TriggerCommand) =>
    command.kind === "trigger-put" ? triggerIdOf(command.id) : command.triggerId;
  const isApplied = (command: TriggerCommand) =>
    snapshot.triggers.get(idOf(command))?.applied.includes(command.id) === true;
  // Nor may a command overtake one that is granted already.
  const order = (command: TriggerCommand) => (isApplied(command) ? `0 ${command.id}` : grantOrder(command));
  const touched = new Set<string>();
  const actions: Action[] = [];
  for (const command of commands.sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const id = idOf(command);
    // Commands about one trigger are granted in their order, one at a time.
    if (touched.has(id)) continue;
    touched.add(id);
    actions.push(...grant(command, id, snapshot, nowMs));
  }
  return actions;
}

function grant(command: TriggerCommand, id: string, snapshot: Snapshot, nowMs: number): Action[] {
  const answer = (outcome: string): Action[] => [{ type: "answer-command", command, outcome }];
  const trigger = snapshot.triggers.get(id);
  const isOver = snapshot.isArchived(id);
  if (command.kind === "trigger-put") {
    if (trigger !== undefined || isOver) return answer(`made: ${id}`);
    return put(command, snapshot, nowMs) ?? answer(`refused: there are ${TRIGGERS_MAX} triggers already`);
  }
  if (trigger?.applied.includes(command.id)) return answer(DONE[command.kind]);
  if (isOver) return answer(command.kind === "trigger-delete" ? DONE[command.kind] : "refused: the trigger is over");
  if (trigger === undefined) return answer("refused: there is no such trigger");
  if (hasUndone(trigger, snapshot) || trigger.over !== undefined) return [];
  switch (command.kind) {
    case "trigger-delete":
      return [
        {
          type: "advance",
          trigger: noted(advanced(trigger, { over: "deleted" }), command.id),
          change: deletionOf(trigger, { ...command, by: "user" }),
        },
      ];
    case "trigger-run":
      return [{ type: "advance", trigger: noted(runNow(trigger, command, nowMs), command.id) }];
    case "trigger-patch": {
      const problem = problemOfPatch(trigger, command.patch, snapshot, nowMs);
      if (problem !== null) return answer(`refused: ${problem}`);
      const next = noted(patched(trigger, command.patch, nowMs), command.id);
      return [{ type: "advance", trigger: next, change: alterationOf(trigger, next, { ...command, by: "user" }) }];
    }
  }
}

/** The answers of commands that are done. */
const DONE = { "trigger-patch": "changed", "trigger-run": "started", "trigger-delete": "deleted" } as const;

/** Why a patch cannot be granted; null when it can. */
function problemOfPatch(
  trigger: Trigger,
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
function problemOfAnew(trigger: Trigger, when: When | undefined, nowMs: number): string | null {
  if (when !== undefined) return "a new schedule counts from now anyway: say one of the two";
  if (!isAheadOfClock(trigger, nowMs)) return "it is not ahead of the clock, so there is nothing to recover";
  return (trigger.epoch ?? 0) < EPOCH_MAX ? null : `it has started over ${EPOCH_MAX} times: create another`;
}

function put(command: PutCommand, snapshot: Snapshot, nowMs: number): Action[] | null {
  if (openTriggers(snapshot).length >= TRIGGERS_MAX) return null;
  const { when } = command.definition;
  const problem = when.type === "recurring" ? scheduleProblem(when.schedule, nowMs) : null;
  if (problem !== null) return [{ type: "answer-command", command, outcome: `refused: ${problem}` }];
  const trigger = triggerOfCommand(command);
  return [{ type: "create-trigger", trigger, change: creationOf(trigger, { ...command, by: "user" }) }];
}

/** It fires once more, and nothing else of it changes. */
function runNow(trigger: Trigger, { id: commandId, given }: CommandOf<"trigger-run">, nowMs: number): Trigger {
  const id = `${trigger.id}--run-${commandId.slice(commandId.lastIndexOf("-") + 1)}`;
  const occurrence = { id, at: new Date(nowMs).toISOString(), ...(given !== undefined && { given }) };
  return advanced(trigger, {}, { fire: [occurrence], skip: [] });
}
