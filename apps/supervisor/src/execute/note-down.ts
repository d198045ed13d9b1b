/** Writes down what users want to be kept, and then answers them: the document is durable before the command is removed. */
import type { Action, DocumentEdit } from "@mimikit/core/base/action";
import { pathOf } from "@mimikit/store/documents/ordered-edit";
import { editOnce } from "./edit-once.ts";
import type { Hands } from "./hands.ts";
import { answerWish } from "./wishes.ts";

export async function noteDown({ wish, edit }: Extract<Action, { type: "note-down" }>, hands: Hands): Promise<void> {
  await answerWish({ type: "answer-wish", wish, outcome: await outcomeOf(edit, hands) }, hands);
}

async function outcomeOf(edit: DocumentEdit, hands: Hands): Promise<string> {
  const edited = await editOnce(edit, { id: edit.id, by: "user" }, hands);
  // Nothing was changed, so nothing is to be remembered: the same item may be there at the next request.
  if (typeof edited === "object") return `refused: ${edited.problem}`;
  if (edit.document === "memory") return `added to ${pathOf(edit)}`;
  if (edit.document === "entry") return edit.to === undefined ? `forgotten in ${edit.path}` : `changed in ${edit.path}`;
  return { add: `added to ${pathOf(edit)}`, done: "done", remove: "removed" }[edit.op];
}
