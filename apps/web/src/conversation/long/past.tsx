/**
 * The earlier messages of a long conversation, in stretches that the browser lays out only near its reader
 * (`content-visibility`). Elsewhere a stretch is the plain text of its messages: the find of the browser, the selection and
 * screen readers reach all of it, and a message costs one element.
 */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { plainText } from "../../ui/plain-text.ts";
import { FIRST_MESSAGES } from "./first-messages.ts";
import { following } from "./following.ts";
import { sought } from "./sought.ts";

const STRETCH_MESSAGES = 50;
/** How far off a stretch is drawn, in screens: sooner than browsers lay it out. */
const NEAR = "200% 0px";

interface Stretch {
  /** The id of its last message, by which it is known: what is brought later is brought above. */
  last: string;
  messages: readonly ChatMessage[];
  /** The message before its first one. */
  before: ChatMessage | undefined;
  /** Whether it was drawn among the newest messages until now: its length must stay what it is. */
  wasNewest: boolean;
}

/** Where the newest messages began, from which stretches are counted: what is brought or dropped far above moves none. */
let anchor: string | undefined;
let known = new Map<string, Stretch>();

/**
 * Divides what is shown, from the message `start` on. A stretch of the same messages is the same object.
 * @returns the stretches, and where the newest messages begin, which are in none of them: more than a stretch of them.
 */
export function divide(all: readonly ChatMessage[], start: number): { past: readonly Stretch[]; newest: number } {
  const anchored = all.findIndex(({ id }) => id === anchor);
  const isNew = anchored < 0;
  const at = isNew ? 0 : anchored;
  const drawn = isNew ? all.length - FIRST_MESSAGES : at;
  const full = Math.max(0, Math.floor((all.length - at) / STRETCH_MESSAGES) - 1);
  const newest = at + full * STRETCH_MESSAGES;
  const past: Stretch[] = [];
  for (let end = newest; end > start; end -= STRETCH_MESSAGES) {
    const from = Math.max(end - STRETCH_MESSAGES, start);
    const last = all[end - 1]?.id ?? "";
    const stretch = { last, messages: all.slice(from, end), before: all[from - 1], wasNewest: from >= drawn };
    const same = known.get(last);
    past.unshift(same !== undefined && isSame(same, stretch) ? same : stretch);
  }
  known = new Map(past.map((stretch) => [stretch.last, stretch]));
  if (newest < all.length) anchor = all[newest]?.id;
  return { past, newest: Math.max(newest, start) };
}

function isSame(a: Stretch, b: Stretch): boolean {
  if (a.before !== b.before || a.messages.length !== b.messages.length) return false;
  return a.messages.every((message, i) => message === b.messages[i]);
}

interface PastProps {
  stretch: Stretch;
  draw: (message: ChatMessage, before: ChatMessage | undefined) => ComponentChild[];
}

export function Past({ stretch: { messages, before, wasNewest }, draw }: PastProps) {
  const list = useRef<HTMLOListElement>(null);
  const isNear = useSignal(wasNewest);
  /** The element that its reader sees: it stays in place when the stretch is drawn above it. */
  const seen = useRef<Seen | undefined>(undefined);
  const isDrawn = isNear.value || messages.some(({ id }) => id === sought.value);
  useEffect(() => {
    const element = list.current;
    const root = element?.closest(".scroller");
    if (!element || !root) return;
    const watch = new IntersectionObserver(
      (entries) => {
        const comes = entries.at(-1)?.isIntersecting === true;
        if (!comes && isHeld(element)) return;
        seen.current = firstSeen(root);
        isNear.value = comes;
      },
      { root, rootMargin: NEAR },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { item, id, top } = seen.current ?? {};
    seen.current = undefined;
    const root = list.current?.closest(".scroller");
    // Where the conversation follows, its end stays in place instead.
    if (!root || top === undefined || following.peek()) return;
    const now = item?.isConnected ? item : root.querySelector(`[data-id="${CSS.escape(id ?? "")}"]`);
    if (now) root.scrollBy({ top: now.getBoundingClientRect().top - top });
  }, [isDrawn]);
  return (
    <ol class={isDrawn ? "past" : "past skipped"} ref={list}>
      {messages.flatMap((message, i) =>
        isDrawn
          ? draw(message, messages[i - 1] ?? before)
          : [
              <li key={message.id} class="message far" data-id={message.id}>
                {plainText(message.text)}
              </li>,
            ],
      )}
    </ol>
  );
}

/** Whether its reader has the focus or a selection in it. */
function isHeld(element: Element): boolean {
  const selection = getSelection();
  const isSelected = selection?.isCollapsed === false && selection.containsNode(element, true);
  return isSelected || element.contains(document.activeElement);
}

/** A message on the screen, and how far down it begins, in pixels. */
interface Seen {
  item: HTMLElement;
  id: string;
  top: number;
}

/** The first message on the screen; what is not laid out has no place yet. */
function firstSeen(root: Element): Seen | undefined {
  const screen = root.getBoundingClientRect();
  for (const list of root.querySelectorAll(".messages > ol")) {
    const box = list.getBoundingClientRect();
    if (box.bottom < screen.top || box.top > screen.bottom) continue;
    for (const item of list.querySelectorAll<HTMLElement>("[data-id]")) {
      if (!item.checkVisibility({ contentVisibilityAuto: true })) break;
      const { top, bottom } = item.getBoundingClientRect();
      if (bottom > screen.top) return { item, id: item.dataset.id ?? "", top };
    }
  }
  return undefined;
}
