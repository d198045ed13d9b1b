/** The conversation. It follows what is new only while its reader is at the bottom. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { dayText, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { outbox } from "../model/outbox.ts";
import { beginning, liveText, liveThoughts, loaded, messages, questions } from "../model/state.ts";
import { ArrowDown, Mark } from "../ui/icons.tsx";
import { writeDraft } from "./composer.tsx";
import { bringEarlier, offersEarlier } from "./earlier-messages.ts";
import { FormingReply, MessageItem, OutboxItem, Thinking, Thoughts } from "./message.tsx";
import { unfolded } from "./show-message.ts";

/** Closer to the end than this counts as being at the bottom. */
const BOTTOM_PX = 48;

export function Chat() {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useSignal(true);
  const unseen = useSignal(false);
  const counted = useRef({ messages: 0, outbox: 0 });
  /** Where it was scrolled to, in pixels. */
  const lastTop = useRef(0);

  const toBottom = () => {
    following.value = true;
    unseen.value = false;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  useEffect(() => {
    const follow = new ResizeObserver(() => {
      if (following.peek()) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    });
    if (scroller.current) follow.observe(scroller.current);
    if (content.current) follow.observe(content.current);
    return () => follow.disconnect();
  }, []);
  useSignalEffect(() => {
    const now = { messages: messages.value.length, outbox: outbox.value.length };
    const before = counted.current;
    counted.current = now;
    // Who sends a message wants to see it, wherever they were reading.
    if (now.outbox > before.outbox) toBottom();
    else if (now.messages > before.messages && !following.peek()) unseen.value = true;
  });

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const { scrollHeight, scrollTop, clientHeight } = element;
    // What has grown since the scrolling is not the reader's doing: only who moves up stops following.
    if (scrollHeight - scrollTop - clientHeight < BOTTOM_PX) following.value = true;
    else if (scrollTop < lastTop.current) following.value = false;
    lastTop.current = scrollTop;
    if (following.value) unseen.value = false;
  };

  return (
    <div class="chat">
      {/* A region that scrolls must be reachable, or the keyboard cannot read it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard */}
      <section class="scroller" ref={scroller} onScroll={onScroll} tabIndex={0} aria-label={words.conversation}>
        <div class="content" ref={content}>
          <Conversation />
        </div>
      </section>
      {!following.value && (
        <button type="button" class="to-newest" data-unseen={unseen.value} onClick={toBottom}>
          <ArrowDown />
          {unseen.value ? words.newMessages : words.toNewest}
        </button>
      )}
    </div>
  );
}

function Conversation() {
  const waiting = outbox.value.filter((entry) => entry.shownAs === undefined);
  const empty = messages.value.length + waiting.length + liveText.value.size === 0;
  if (empty) return loaded.value ? <Welcome /> : null;
  // The line of a new beginning stays; what was before it is folded.
  const folded = Math.max(0, beginning.value - 1);
  const isOpen = unfolded.value === messages.value[folded]?.id;
  return (
    <ol class="messages">
      {offersEarlier() && (folded === 0 || isOpen) && <Above />}
      {folded > 0 && <Earlier count={folded} marker={messages.value[folded]?.id} isOpen={isOpen} />}
      {messages.value.map(
        (message, i) =>
          (i >= folded || isOpen) &&
          // An open question has a card of its own.
          !questions.value.has(message.id) && (
            <MessageItem key={message.id} message={message} day={dayBetween(messages.value[i - 1], message)} />
          ),
      )}
      {waiting.map((entry) => (
        <OutboxItem key={entry.id} entry={entry} />
      ))}
      {[...liveThoughts.value].map(([turn, text]) => (
        <Thoughts key={`${turn}.thoughts`} text={text} />
      ))}
      {[...liveText.value].map(([turn, text]) => (
        <FormingReply key={turn} turn={turn} text={text} />
      ))}
      <Thinking />
    </ol>
  );
}

/** Brings what was said before the first message that is shown; the reader stays where they were. */
function Above() {
  return (
    <li class="earlier">
      <button
        type="button"
        class="link"
        onClick={(event) => {
          const scroller = event.currentTarget.closest(".scroller");
          const fromEnd = (scroller?.scrollHeight ?? 0) - (scroller?.scrollTop ?? 0);
          void bringEarlier().then(() =>
            requestAnimationFrame(() => scroller?.scrollTo({ top: scroller.scrollHeight - fromEnd })),
          );
        }}
      >
        {words.earlierMessages}
      </button>
    </li>
  );
}

interface EarlierProps {
  /** How many lines there are. */
  count: number;
  /** The line that they are before. */
  marker: string | undefined;
  isOpen: boolean;
}

/** Opens and closes what was said before the conversation began anew. */
function Earlier({ count, marker, isOpen }: EarlierProps) {
  return (
    <li class="earlier">
      <button
        type="button"
        class="link"
        aria-expanded={isOpen}
        onClick={() => {
          unfolded.value = isOpen ? undefined : marker;
        }}
      >
        {isOpen ? words.hideEarlier : words.showEarlier(count)}
      </button>
    </li>
  );
}

/** The day that begins with `message`, or undefined when it is still the day of the one before. */
function dayBetween(before: ChatMessage | undefined, message: ChatMessage): string | undefined {
  const day = dayText(message.at, nowMs.peek());
  return before && dayText(before.at, nowMs.peek()) === day ? undefined : day;
}

function Welcome() {
  return (
    <div class="welcome">
      <Mark />
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText}</p>
      <h3>{words.examplesTitle}</h3>
      <ul>
        {words.examples.map(({ text, why }) => (
          <li key={text}>
            <button type="button" class="example" onClick={() => writeDraft(text)}>
              <code>{text}</code>
              <span class="why">{why}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
