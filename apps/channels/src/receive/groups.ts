/**
 * Joins what its sender sent as one thing and the vendor delivers as several messages: an album, a text that the client has cut, a
 * forwarded message with a comment. Two messages belong together by what they are and never by when they are looked at, so that each
 * delivery finds the same; the time decides only when to stop waiting for more.
 */
import { MESSAGE_ATTACHMENTS_MAX } from "@mimikit/protocol/base/attachment";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import type { Incoming } from "../contract/channel.ts";

/** Clients send the parts within a second of each other; the vendor's times are whole seconds. */
const NEAR_SEC = 3;
/** How long more is waited for, in ms: photos of an album are uploaded one after the other. */
const MORE_MS_MAX = 1_500;
/** The same for a forwarded message behind a typed one, which most often is all there is. */
const FORWARD_MS_MAX = 500;
/** UTF-16 units: a part that is longer was cut by force, a shorter one at a space or a line end, which the vendor drops. */
const CUT_UNITS_MIN = 4_090;

export type MessageIn = Extract<Incoming, { kind: "message" }>;
/** Messages that are one, in their order; or one press. */
export type Group = readonly [Incoming, ...Incoming[]];

/** The groups in the order of their first members. */
export function groupsOf(incoming: readonly Incoming[]): Group[] {
  const groups: [Incoming, ...Incoming[]][] = [];
  const last = new Map<string, [Incoming, ...Incoming[]]>();
  for (const each of incoming) {
    const key = JSON.stringify([each.chat, each.person]);
    const group = last.get(key);
    if (group !== undefined && isPartOf(group, each)) group.push(each);
    else {
      const begun: [Incoming, ...Incoming[]] = [each];
      groups.push(begun);
      last.set(key, begun);
    }
  }
  return groups;
}

/** The message that a group is. */
export function merged([first, ...rest]: readonly [MessageIn, ...MessageIn[]]): MessageIn {
  let { text, quoted = [] } = first;
  let last = first;
  for (const each of rest) {
    text = isCut(last, each)
      ? `${text}${betweenParts(last, each)}${each.text}`
      : [text, each.text].filter((part) => part !== "").join("\n");
    // An album that is forwarded says of each picture where it comes from.
    const isSaid = ({ origin, text: said }: (typeof quoted)[number]) =>
      said === "" && quoted.some((other) => other.origin === origin);
    quoted = [...quoted, ...(each.quoted ?? []).filter((one) => !isSaid(one))];
    last = each;
  }
  const replyTo = [first, ...rest].find((each) => each.replyTo !== undefined)?.replyTo;
  return {
    ...first,
    text,
    files: [first, ...rest].flatMap(({ files }) => files),
    ...(quoted.length > 0 && { quoted }),
    ...(replyTo !== undefined && { replyTo }),
  };
}

export interface Ready {
  groups: readonly Group[];
  /** How long to wait for more of the first that is not among them, in ms; 0 if all are. */
  waitMs: number;
  /** The first message that may not be confirmed yet. */
  held?: Incoming;
}

/** Decides which groups are complete. It keeps only since when each has its size: a kill begins the wait anew. */
export class Gathering {
  private since = new Map<string, number>();

  /** @param isFull more comes only when something is confirmed. @param nowMs of a clock that never jumps. */
  ready(incoming: readonly Incoming[], isFull: boolean, nowMs: number): Ready {
    const groups = groupsOf(incoming);
    const before = this.since;
    this.since = new Map();
    for (const [k, group] of groups.entries()) {
      const graceMs = isFollowed(groups, k) ? 0 : graceMsOf(group);
      if (graceMs === 0 || (isFull && k === 0)) continue;
      const key = JSON.stringify([group[0].chat, group[0].id, group.length]);
      const sinceMs = before.get(key) ?? nowMs;
      this.since.set(key, sinceMs);
      // All that came after it waits, too, to keep the order of the conversation.
      if (nowMs - sinceMs < graceMs)
        return { groups: groups.slice(0, k), waitMs: sinceMs + graceMs - nowMs, held: firstHeld(incoming, groups, k) };
    }
    return { groups, waitMs: 0 };
  }
}

/** The first message of the group `k`, or of one before it that has a member behind that. */
function firstHeld(incoming: readonly Incoming[], groups: readonly Group[], k: number): Incoming {
  const placeOf = (each: Incoming | undefined) => (each === undefined ? -1 : incoming.indexOf(each));
  let held = groups[k]?.[0] as Incoming;
  for (const group of groups.slice(0, k).reverse()) if (placeOf(group.at(-1)) > placeOf(held)) held = group[0];
  return held;
}

/** Did the same person write in the same chat after that? */
function isFollowed(groups: readonly Group[], k: number): boolean {
  const first = groups[k]?.[0];
  return groups.slice(k + 1).some(([{ chat, person }]) => chat === first?.chat && person === first.person);
}

/** How long a group may get another member, in ms. */
function graceMsOf(group: Group): number {
  const last = group.at(-1);
  if (last?.kind !== "message" || last.edits !== undefined) return 0;
  // A vendor that confirms only all at once has nothing that could wait.
  if (group[0].before === undefined) return 0;
  if (last.album !== undefined || last.isForwarded === true) return isOpenForFiles(group) ? MORE_MS_MAX : 0;
  if (last.isLong === true && isTyped(last)) return MORE_MS_MAX;
  return group.length === 1 && isComment(last) && last.replyTo === undefined ? FORWARD_MS_MAX : 0;
}

function isPartOf(group: Group, next: Incoming): boolean {
  const last = group.at(-1);
  if (last?.kind !== "message" || next.kind !== "message") return false;
  if (last.edits !== undefined || next.edits !== undefined) return false;
  if (last.album !== undefined && last.album === next.album) return isOpenForFiles(group);
  if (isCut(last, next)) return unitsOf(group) + next.text.length <= MESSAGE_CHARS_MAX;
  return isNear(last, next) && isCommented(group as readonly MessageIn[], next);
}

function isOpenForFiles(group: Group): boolean {
  return group.length < MESSAGE_ATTACHMENTS_MAX;
}

/** Is `next` the rest of `last`? */
function isCut(last: MessageIn, next: MessageIn): boolean {
  const isReply = next.replyTo !== undefined && next.replyTo !== last.replyTo;
  return last.isLong === true && isTyped(last) && isTyped(next) && !isReply && isNear(last, next);
}

/** Clients send the comment first, and then all that is forwarded; a person may do it the other way round. */
function isCommented(group: readonly MessageIn[], next: MessageIn): boolean {
  const [first] = group;
  const areForwarded = group.every(({ isForwarded }) => isForwarded === true);
  if (areForwarded) return isComment(next) && next.replyTo === undefined;
  const isBegun = first !== undefined && isComment(first) && first.replyTo === undefined;
  const isRest = group.slice(1).every(({ isForwarded }) => isForwarded === true);
  return isBegun && isRest && next.isForwarded === true && group.length < MESSAGE_ATTACHMENTS_MAX;
}

/** Typed words and nothing else. */
function isTyped({ text, files, quoted = [], album }: MessageIn): boolean {
  return text !== "" && files.length === 0 && quoted.length === 0 && album === undefined;
}

/** A command is one by itself. */
function isComment(message: MessageIn): boolean {
  return isTyped(message) && !message.text.trimStart().startsWith("/");
}

function isNear({ atSec: a }: MessageIn, { atSec: b }: MessageIn): boolean {
  return a !== undefined && b !== undefined && Math.abs(b - a) <= NEAR_SEC;
}

function unitsOf(group: Group): number {
  return group.reduce((all, each) => all + (each.kind === "message" ? each.text.length : 0), 0);
}

/** The separator of two parts of a text that was cut. */
function betweenParts(last: MessageIn, next: MessageIn): string {
  const isWhole = last.text.length >= CUT_UNITS_MIN || /\s$/.test(last.text) || /^\s/.test(next.text);
  return isWhole ? "" : "\n";
}
