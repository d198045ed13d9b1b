/** Messages before those of a snapshot: asked for page by page, on demand. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { call } from "../model/call.ts";
import { isPending, messages, putEarlier } from "../model/state.ts";
import { loadLong } from "./long/long.ts";

const PAGE_MESSAGES = 200;
/** The gateway keeps no more within reach (HISTORY_MESSAGES_MAX). */
const REACH_MESSAGES = 800;
const PAGES_MAX = REACH_MESSAGES / PAGE_MESSAGES;
/** A snapshot with fewer messages than this had all of them, unless they are very long. */
const SNAPSHOT_MESSAGES_MAX = 50;

/** The message above which there is nothing more to read, once that is known. */
const firstOfAll = signal<string | undefined>(undefined);

/** Whether a reader should be offered what is further up. */
export function offersEarlier(): boolean {
  const { length, 0: first } = messages.value;
  return length >= SNAPSHOT_MESSAGES_MAX && length < REACH_MESSAGES && first?.id !== firstOfAll.value;
}

/** Brings one more page. @returns whether there was one; why not, unless it was the end, is told by the notice. */
export async function bringEarlier(): Promise<boolean> {
  const first = messages.value.find((message) => !isPending(message));
  if (first === undefined) return false;
  const query = new URLSearchParams({ before: first.id, limit: String(PAGE_MESSAGES) });
  const [page] = await Promise.all([call<{ messages: ChatMessage[] }>("GET", `api/messages?${query}`), loadLong()]);
  if (page === undefined) return false;
  putEarlier(page.messages);
  if (page.messages.length < PAGE_MESSAGES) firstOfAll.value = messages.value[0]?.id;
  return page.messages.length > 0;
}

/** Brings pages until this message is there. @returns whether it is. */
export async function bringMessage(id: string): Promise<boolean> {
  const isHere = () => messages.value.some((message) => message.id === id);
  for (let pages = 0; !isHere() && pages < PAGES_MAX; pages++) if (!(await bringEarlier())) break;
  return isHere();
}
