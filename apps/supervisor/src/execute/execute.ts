/**
 * Actions become writes. Each step is create-once under a derived id, in the order "successor first", so an action
 * that was cut off anywhere is completed by doing it again (docs/file-protocol.md R1 to R4).
 */
import type { Action } from "@mimikit/core/base/action";
import { type Hands, tellTeller } from "./hands.ts";
import { noteDown } from "./note-down.ts";
import { note } from "./notes.ts";
import { answerLate, ask, closeQuestion, concludeQuestion, orderRestart, permit, revoke } from "./questions.ts";
import { remove } from "./remove.ts";
import { settle } from "./settle.ts";
import { finish, queueTask, wake } from "./tasks.ts";
import { advance, carryOut, createTrigger, endTrigger, recordChange } from "./triggers.ts";
import { concludeUndo, undo } from "./undo.ts";
import { adopt, answerWish, cancel, quarantine, restart, steer, stop, tellLater } from "./wishes.ts";

/** How each kind of action is done. */
const DOING: { [T in Action["type"]]: (action: Extract<Action, { type: T }>, hands: Hands) => Promise<void> } = {
  adopt: ({ path, wish }, hands) => adopt(path, wish, hands),
  quarantine: ({ path, reason, inode }, hands) => quarantine(path, reason, inode, hands),
  cancel,
  steer,
  unheard: tellLater,
  stop,
  finish: ({ result }, hands) => finish(result, hands),
  settle: ({ settlement }, hands) => settle(settlement, hands),
  fire: ({ task }, hands) => queueTask(task, hands, "task_fired"),
  "create-trigger": async ({ change, trigger }, hands) => {
    await recordChange(change, hands);
    await createTrigger(trigger, hands);
  },
  advance: async ({ change, trigger }, hands) => {
    await recordChange(change, hands);
    await advance(trigger, hands);
  },
  "carry-out": carryOut,
  "end-trigger": endTrigger,
  evaluate: ({ task }, hands) => queueTask(task, hands),
  improve: ({ task }, hands) => queueTask(task, hands),
  note,
  "roll-up": ({ task }, hands) => queueTask(task, hands),
  ask: ({ question }, hands) => ask(question, hands),
  "close-question": ({ closed }, hands) => closeQuestion(closed, hands),
  "conclude-question": concludeQuestion,
  "answer-late": answerLate,
  permit,
  revoke,
  "order-restart": orderRestart,
  again: async ({ wish, task }, hands) => {
    await queueTask(task, hands);
    await answerWish({ type: "answer-wish", wish, outcome: task.id }, hands);
  },
  "answer-wish": answerWish,
  "note-down": noteDown,
  undo,
  unmerge: ({ task }, hands) => queueTask(task, hands),
  "conclude-undo": concludeUndo,
  tell: ({ event }, hands) => tellTeller(event, hands),
  wake: ({ turn }, hands) => wake(turn, hands),
  restart: ({ wish }, hands) => restart(wish, hands),
  remove: ({ removals }, hands) => remove(removals, hands),
};

/** Does one action. Errors of the disk go to the caller: the next tick tries again. */
export async function execute(action: Action, hands: Hands): Promise<void> {
  // The type of the table says that what stands at a type takes the action of that type.
  const act = DOING[action.type] as (action: Action, hands: Hands) => Promise<void>;
  await act(action, hands);
}
