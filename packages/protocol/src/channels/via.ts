/**
 * The way of a message: a channel, a chat of it and the person there. Absent means the page, a terminal, the API or a
 * file (docs/channels.md). It says where a reply goes and is no authority: it counts only where that person is paired.
 */
import { z } from "zod";
import { sentence } from "../texts/coded.ts";

export const ChannelName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, sentence("channel_name"));

/** Vendors' own names of chats and people: numbers, mostly. */
const VENDOR_ID_CHARS_MAX = 128;
const VendorId = z.string().min(1).max(VENDOR_ID_CHARS_MAX);

export const Via = z.object({ channel: ChannelName, chat: VendorId, person: VendorId });
export type Via = z.infer<typeof Via>;

/** Is it the same way? Two that have none are of one way, which is the page. */
export function isSameVia(a: Via | undefined, b: Via | undefined): boolean {
  return a?.channel === b?.channel && a?.chat === b?.chat && a?.person === b?.person;
}
