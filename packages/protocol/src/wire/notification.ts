/** A notification (SPEC G, notify), as clients get it. No schema here: the page loads this. */
import type { HistoryMessage } from "../records/history.ts";

/** `id` is that of the effect, and of the message that it is in the conversation: a client that has shown it recognises it by that. */
export interface Notification {
  id: string;
  at: string;
  title?: string | undefined;
  text: string;
}

/** The notification that a message of the conversation is; null where it is none. */
export function notificationIn({ id, at, text, notification }: HistoryMessage): Notification | null {
  if (notification === undefined) return null;
  return { id, at, text, ...(notification.title !== undefined && { title: notification.title }) };
}
