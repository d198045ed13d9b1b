/** Writes down what users want to be kept, and then answers them: the document is durable before the command is removed. */
import type { Action, DocumentEdit } from "@mimikit/core/base/action";
import { pathOf } from "@mimikit/store/documents/ordered-edit";
import { answerCommand } from "./commands.ts";
import { editOnce } from "./edit-once.ts";
import type { ExecContext } from "./exec-context.ts";

export async function noteDown(
  { command, edit }: Extract<Action, { type: "note-down" }>,
  context: ExecContext,
): Promise<void> {
  await answerCommand({ type: "answer-command", command, outcome: await outcomeOf(edit, context) }, context);
}

async function outcomeOf(edit: DocumentEdit, context: ExecContext): Promise<string> {
  const edited = await editOnce(edit, { id: edit.id, by: "user" }, context);
  // Nothing was changed, so nothing is to be remembered: the same item may be there at the next request.
  if (typeof edited === "object") return `refused: ${edited.problem}`;
  if (edit.document === "memory" && edit.target === "forgotten") return "forgotten: no model is shown it again";
  if (edit.document === "memory") return `added to ${pathOf(edit)}`;
  if (edit.document === "entry") return edit.to === undefined ? `forgotten in ${edit.path}` : `changed in ${edit.path}`;
  return { add: `added to ${pathOf(edit)}`, done: "done", remove: "removed" }[edit.op];
}
