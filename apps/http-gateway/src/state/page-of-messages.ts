/** A page of the conversation, from its newest messages where it is among them, or from all that was ever said. */

import type { HistoryIndex, PageWanted } from "@mimikit/memory/search/history-index";
import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/records/history";
import { coded } from "@mimikit/protocol/texts/coded";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { HttpProblem } from "../http/problem.ts";
import { withOrigin } from "./conversation.ts";
import type { View } from "./view.ts";

/** @returns the messages, oldest first. @throws HttpProblem 404 for an unknown message, and what the disk throws. */
export async function pageOfMessages(view: View, said: HistoryIndex, wanted: PageWanted): Promise<ChatMessage[]> {
  const newest = await view.newestMessages(HISTORY_MESSAGES_MAX);
  const { limit } = wanted;
  if ("before" in wanted) {
    const end = newest.findIndex(({ id }) => id === wanted.before);
    if (end >= limit) return newest.slice(end - limit, end);
  }
  const page = await said.with(newest).page(wanted);
  if (page === null) throw new HttpProblem(404, coded("no_such_message"));
  const known = new Map(newest.map((message) => [message.id, message]));
  return page.map((message) => known.get(message.id) ?? withOrigin(message));
}
