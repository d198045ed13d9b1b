/** Messages before those of a snapshot, and between those that are here: asked for page by page, as their reader comes near. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { call } from "../../model/call.ts";
import { isCut, isPending, messages, putStretch } from "../../model/state.ts";
import { loadLong } from "./long.ts";

const PAGE_MESSAGES = 200;
/** Fewer are on both sides of a message of long ago at first. */
const AROUND_MESSAGES = 100;
/** A snapshot with fewer messages had all of them, unless the gateway has said that it is cut. */
const SNAPSHOT_MESSAGES_MAX = 50;

/** The first message of the whole conversation, once it is known. */
const firstOfAll = signal<string | undefined>(undefined);

/** Whether there may be something further up. */
export function offersEarlier(): boolean {
  const { length, 0: first } = messages.value;
  return (isCut.value || length >= SNAPSHOT_MESSAGES_MAX) && !isBeginning(first);
}

/** Whether this is known to be the first message of all. */
export function isBeginning(first: ChatMessage | undefined): boolean {
  return first !== undefined && first.id === firstOfAll.value;
}

/** Brings a page of what was said right before a message. @returns whether there was something; why there is no answer is told by the notice. */
export async function bringBefore(id: string | undefined): Promise<boolean> {
  if (id === undefined) return false;
  const isTop = messages.value[0]?.id === id;
  const page = await pageOf({ before: id, limit: String(PAGE_MESSAGES) });
  if (page === undefined) return false;
  putStretch(page, id);
  if (isTop && page.length < PAGE_MESSAGES) firstOfAll.value = messages.value[0]?.id;
  return page.length > 0;
}

/** Brings a page of what was said right after a message. @returns as `bringBefore`. */
export async function bringAfter(id: string): Promise<boolean> {
  const page = await pageOf({ around: id, limit: String(PAGE_MESSAGES) });
  if (page === undefined) return false;
  putStretch(page);
  return page.length > 0;
}

/** Brings one more page above all that is here. */
export function bringEarlier(): Promise<boolean> {
  return bringBefore(messages.value.find((message) => !isPending(message))?.id);
}

/** Brings a message and those around it: what is a page above leaves no hole, what is older does. @returns whether it is there. */
export async function bringMessage(id: string): Promise<boolean> {
  const isHere = () => messages.value.some((message) => message.id === id);
  if (!isHere()) await bringEarlier();
  if (!isHere()) putStretch((await pageOf({ around: id, limit: String(AROUND_MESSAGES) })) ?? []);
  return isHere();
}

async function pageOf(query: Record<string, string>): Promise<ChatMessage[] | undefined> {
  const path = `api/messages?${new URLSearchParams(query)}`;
  const [page] = await Promise.all([call<{ messages: ChatMessage[] }>("GET", path), loadLong()]);
  return page?.messages;
}
