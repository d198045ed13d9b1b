/** A place where messages are missing, above or between those that are here: they are brought as their reader comes near. */
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { words } from "../../i18n/words.ts";
import { MESSAGES_MAX, messages } from "../../model/state.ts";
import { bringAfter, bringBefore, bringEarlier } from "./earlier-messages.ts";
import { following } from "./following.ts";

/** How near, in screens. */
const NEAR = "100% 0px";
/** A reader who passes by faster asks for nothing, ms. */
const PAUSE_MS = 300;

/** @param next the message after the hole; undefined above all messages. */
export function Missing({ next }: { next?: string }) {
  const place = useRef<HTMLButtonElement>(null);
  const isBringing = useRef(false);

  const bring = async () => {
    const line = place.current;
    const scroller = line?.closest(".scroller");
    if (!line || !scroller || isBringing.current) return false;
    isBringing.current = true;
    const isBelow = line.getBoundingClientRect().top > scroller.getBoundingClientRect().top + scroller.clientHeight / 2;
    const before = messageBefore(next);
    // A reader who comes from above stays where they are; the hole moves on before them.
    const held = isBelow && before !== undefined ? before : (next ?? messages.value[0]?.id);
    const top = topOf(held);
    const isBrought = await (next === undefined
      ? bringEarlier()
      : isBelow && before !== undefined
        ? bringAfter(before)
        : bringBefore(next));
    isBringing.current = false;
    if (isBrought)
      requestAnimationFrame(() => {
        const now = topOf(held);
        if (top !== undefined && now !== undefined) scroller.scrollBy({ top: now - top, behavior: "instant" });
      });
    return isBrought;
  };

  useSignalEffect(() => {
    const line = place.current;
    // At the end, where the conversation follows what is new, nothing above has a reader.
    if (following.value || line === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = new IntersectionObserver(
      (entries) => {
        clearTimeout(timer);
        if (entries.at(-1)?.isIntersecting !== true || messages.peek().length >= MESSAGES_MAX) return;
        timer = setTimeout(async () => {
          const isBrought = await bring();
          // The page may be so short that the place is still near.
          watch.unobserve(line);
          if (isBrought && line.isConnected) watch.observe(line);
        }, PAUSE_MS);
      },
      { root: line.closest(".scroller"), rootMargin: NEAR },
    );
    watch.observe(line);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
    };
  });

  return (
    <button type="button" class="link" ref={place} onClick={() => void bring()}>
      {next === undefined ? words.earlierMessages : words.messagesBetween}
    </button>
  );
}

function messageBefore(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  return messages.peek()[messages.peek().findIndex((message) => message.id === id) - 1]?.id;
}

function topOf(id: string | undefined): number | undefined {
  return document.querySelector(`[data-id="${CSS.escape(id ?? "")}"]`)?.getBoundingClientRect().top;
}
