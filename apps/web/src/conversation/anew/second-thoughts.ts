/** The last message is answered again, as it was or in other words (docs/steering.md#second-thoughts). */
import type { AnswerBy } from "@mimikit/protocol/records/inbox";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { computed, signal } from "@preact/signals";
import { call } from "../../model/call.ts";
import { messages } from "../../model/state.ts";

/** The id of the message that the draft says in other words. */
export const changing = signal<string | undefined>(undefined);

/** The last reply, where nothing was said after it: only that can be given again. */
export const lastReply = computed((): ChatMessage | undefined => {
  const at = messages.value.findLastIndex(({ role, answers = [] }) => role === "assistant" && answers.length > 0);
  const isOver = messages.value.slice(at + 1).some(({ role, marker }) => role === "user" || marker !== undefined);
  const reply = messages.value[at];
  return isOver || reply?.again === true ? undefined : reply;
});

/** The last message of the user, where it can be changed. */
export const lastOwn = computed(() =>
  messages.value.findLast(
    ({ id, role, meanwhile }) =>
      role === "user" && meanwhile !== true && /^m-/.test(id) && lastReply.value?.answers?.includes(id) === true,
  ),
);

/** Wants it again; the notice says why not. @returns whether that was accepted. */
export async function answerAnew(messageId: string, answerBy?: AnswerBy, text?: string): Promise<boolean> {
  const body = { messageId, ...(answerBy !== undefined && { answerBy }), ...(text !== undefined && { text }) };
  return (await call("POST", "api/conversation/retry", body)) !== undefined;
}
