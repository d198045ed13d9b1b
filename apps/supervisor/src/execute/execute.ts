/**
 * Actions become writes. Each step is create-once under a derived id, in the order "successor first", so an action
 * that was cut off anywhere is completed by doing it again (docs/file-protocol.md R1 to R4).
 */
import type { Action } from "@mimikit/core/base/action";
import { type Hands, tellTeller } from "./hands.ts";
import { noteDown } from "./note-down.ts";
import { note } from "./notes.ts";
import { answerLate, ask, closeQuestion, concludeQuestion, orderRestart, permit } from "./questions.ts";
import { remove } from "./remove.ts";
import { settle } from "./settle.ts";
import { finish, queueTask, wake } from "./tasks.ts";
import { advance, carryOut, createTrigger, endTrigger, recordChange } from "./triggers.ts";
import { concludeUndo, undo } from "./undo.ts";
import { adopt, answerWish, cancel, quarantine, restart, steer, stop, tellLater } from "./wishes.ts";

/** Does one action. Errors of the disk go to the caller: the next tick tries again. */
export async function execute(action: Action, hands: Hands): Promise<void> {
  switch (action.type) {
    case "adopt":
      return adopt(action.path, action.wish, hands);
    case "quarantine":
      return quarantine(action.path, action.reason, hands);
    case "cancel":
      return cancel(action, hands);
    case "steer":
      return steer(action, hands);
    case "unheard":
      return tellLater(action, hands);
    case "stop":
      return stop(action, hands);
    case "finish":
      return finish(action.result, hands);
    case "settle":
      return settle(action.settlement, hands);
    case "fire":
      return queueTask(action.task, "task_fired", hands);
    case "create-trigger":
      await recordChange(action.change, hands);
      return createTrigger(action.trigger, hands);
    case "advance":
      await recordChange(action.change, hands);
      await advance(action.trigger, hands);
      return;
    case "carry-out":
      return carryOut(action, hands);
    case "end-trigger":
      return endTrigger(action, hands);
    case "evaluate":
      return queueTask(action.task, "evaluation_queued", hands);
    case "improve":
      return queueTask(action.task, "improvement_begun", hands);
    case "note":
      return note(action, hands);
    case "roll-up":
      return queueTask(action.task, "roll_up_queued", hands);
    case "ask":
      return ask(action.question, hands);
    case "close-question":
      return closeQuestion(action.closed, hands);
    case "conclude-question":
      return concludeQuestion(action, hands);
    case "answer-late":
      return answerLate(action, hands);
    case "permit":
      return permit(action.permit, hands);
    case "order-restart":
      return orderRestart(action, hands);
    case "answer-wish":
      return answerWish(action, hands);
    case "note-down":
      return noteDown(action, hands);
    case "undo":
      return undo(action, hands);
    case "unmerge":
      return queueTask(action.task, "improvement_undo_queued", hands);
    case "conclude-undo":
      return concludeUndo(action, hands);
    case "tell":
      return tellTeller(action.event, hands);
    case "wake":
      return wake(action.turn, hands);
    case "restart":
      return restart(action.wish, hands);
    case "remove":
      return remove(action.removals, hands);
    default:
      action satisfies never;
  }
}
