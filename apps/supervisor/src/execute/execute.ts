/**
 * Actions become writes. Each step is create-once under a derived id, in the order "successor first", so an action
 * that was cut off anywhere is completed by doing it again (docs/file-protocol.md R1 to R4).
 */
import type { Action } from "@mimikit/core/base/action";
import { adopt, answerCommand, cancel, quarantine, restart, steer, stop, tellLater } from "./commands.ts";
import { type ExecContext, tellTeller } from "./exec-context.ts";
import { noteDown } from "./note-down.ts";
import { note } from "./notes.ts";
import { answerLate, ask, closeQuestion, concludeQuestion, orderRestart, permit, revoke } from "./questions.ts";
import { remove } from "./remove.ts";
import { settle } from "./settle.ts";
import { finish, queueTask, wake } from "./tasks.ts";
import { advance, carryOut, createTrigger, endTrigger, recordChange } from "./triggers.ts";
import { concludeUndo, undo } from "./undo.ts";

/** How each kind of action is done. */
const DOING: { [T in Action["type"]]: (action: Extract<Action, { type: T }>, context: ExecContext) => Promise<void> } =
  {
    adopt: ({ path, command }, context) => adopt(path, command, context),
    quarantine: ({ path, reason, inode }, context) => quarantine(path, reason, inode, context),
    cancel,
    steer,
    unheard: tellLater,
    stop,
    finish: ({ result }, context) => finish(result, context),
    settle: ({ settlement }, context) => settle(settlement, context),
    fire: ({ task }, context) => queueTask(task, context, "task_fired"),
    "create-trigger": async ({ change, trigger }, context) => {
      await recordChange(change, context);
      await createTrigger(trigger, context);
    },
    advance: async ({ change, trigger }, context) => {
      await recordChange(change, context);
      await advance(trigger, context);
    },
    "carry-out": carryOut,
    "end-trigger": endTrigger,
    evaluate: ({ task }, context) => queueTask(task, context),
    improve: ({ task }, context) => queueTask(task, context),
    note,
    "roll-up": ({ task }, context) => queueTask(task, context),
    ask: ({ question }, context) => ask(question, context),
    "close-question": ({ closed }, context) => closeQuestion(closed, context),
    "conclude-question": concludeQuestion,
    "answer-late": answerLate,
    permit,
    revoke,
    "order-restart": orderRestart,
    again: async ({ command, task }, context) => {
      await queueTask(task, context);
      await answerCommand({ type: "answer-command", command, outcome: task.id }, context);
    },
    "answer-command": answerCommand,
    "note-down": noteDown,
    undo,
    unmerge: ({ task }, context) => queueTask(task, context),
    "conclude-undo": concludeUndo,
    tell: ({ event }, context) => tellTeller(event, context),
    wake: ({ turn }, context) => wake(turn, context),
    restart: ({ command }, context) => restart(command, context),
    remove: ({ removals }, context) => remove(removals, context),
  };

/** Does one action. Errors of the disk go to the caller: the next tick tries again. */
export async function execute(action: Action, context: ExecContext): Promise<void> {
  // The type of the table says that what stands at a type takes the action of that type.
  const act = DOING[action.type] as (action: Action, context: ExecContext) => Promise<void>;
  await act(action, context);
}
