/**
 * A command to answer again that cannot be granted is answered with the reason; `wake` grants the others, in their turn.
 * While a turn is open, it is unknown which reply is the last.
 */
import type { Action } from "../base/action.ts";
import { highestTurn, type Snapshot } from "../base/snapshot.ts";
import { retryRefusal } from "../tasks/answer-anew.ts";

export function refuseRetry(snapshot: Snapshot): Action[] {
  if (highestTurn(snapshot) > snapshot.settledTurn) return [];
  return [...snapshot.inbox.values()].flatMap((command) => {
    if (command.kind !== "retry" || snapshot.isArchived(command.id)) return [];
    const refusal = retryRefusal(command, snapshot);
    return refusal === null ? [] : [{ type: "answer-command", command, outcome: `refused: ${refusal}` }];
  });
}
