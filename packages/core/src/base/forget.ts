/** The edits that forget: an entry of a document, and what was said (docs/decisions/0081-forgetting-reaches-the-conversation.md). */
import { saidEditId } from "@mimikit/protocol/base/id";
import { wordsOf } from "@mimikit/protocol/records/memory-entry";
import type { DocumentEdit } from "./action.ts";

type SaidEdit = Extract<DocumentEdit, { document: "memory" }>;

/** From `at` back, no model is shown what says the same as `content`. */
export function forgettingSaid(id: string, at: string, content: string): SaidEdit {
  return { document: "memory", id, at, content, longTerm: true, target: "forgotten" };
}

/** The entry goes out of its document, and what it says out of what was said. */
export function forgettingEntry({ id, at, path, entry }: Record<"id" | "at" | "path" | "entry", string>): DocumentEdit {
  return {
    document: "entry",
    id,
    path,
    entry,
    to: undefined,
    said: forgettingSaid(saidEditId(id), at, wordsOf(entry)),
  };
}
