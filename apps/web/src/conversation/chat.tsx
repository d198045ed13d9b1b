/** The conversation. It follows what is new only while its reader is at the bottom. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { computed, signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dayText, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { outbox } from "../model/outbox.ts";
import { beginning, gaps, liveText, liveThoughts, loaded, messages, questions, replyIdOf } from "../model/state.ts";
import { decided, timesAsked } from "../storage/first-steps-kept.ts";
import { ArrowDown, Mark } from "../ui/icons.tsx";
import { lazily } from "../ui/lazily.tsx";
import { writeDraft } from "./composer.tsx";
import { isBeginning, offersEarlier } from "./long/earlier-messages.ts";
import { FIRST_MESSAGES } from "./long/first-messages.ts";
import { following } from "./long/following.ts";
import { isShort, long } from "./long/long.ts";
import { Missing } from "./long/missing.tsx";
import { MessageItem, OutboxItem, Thinking, Thoughts } from "./message.tsx";
import { unfolded } from "./show-message.ts";

const FirstSteps = lazily(async () => (await import("../first-run/first-steps.tsx")).FirstSteps);

/** Closer to the end than this counts as being at the bottom. */
const BOTTOM_PX = 48;

/** The upper end is drawn within so many screens of it: far off, Chromium keeps the reader's place worse with it. */
const UPPER_END_SCREENS = 10;
const isNearUpperEnd = signal(false);

/** Sent entries that are no messages yet. */
const waiting = computed(() => outbox.value.filter((entry) => entry.shownAs === undefined));
const isEmpty = computed(() => messages.value.length + waiting.value.length + liveText.value.size === 0);
/** They lead who has said nothing yet, and stand below the conversation of those who ask for them. */
const hasFirstSteps = computed(() =>
  isEmpty.value ? loaded.value && !decided.value.has("hidden") : timesAsked.value > 0,
);

function noteUpperEnd({ scrollTop, clientHeight }: Element): void {
  isNearUpperEnd.value = scrollTop < UPPER_END_SCREENS * clientHeight;
}

export function Chat() {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
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
      if (!scroller.current) return;
      // An empty page is read from its beginning.
      if (following.peek() && !isEmpty.peek()) scroller.current.scrollTo({ top: scroller.current.scrollHeight });
      // Where its content has moved it to is not the reader's doing.
      lastTop.current = scroller.current.scrollTop;
      noteUpperEnd(scroller.current);
    });
    if (scroller.current) follow.observe(scroller.current);
    if (content.current) follow.observe(content.current);
    return () => follow.disconnect();
  }, []);
  useSignalEffect(() => {
    const now = {
      messages: messages.value.length,
      outbox: outbox.value.filter(({ isElsewhere }) => isElsewhere !== true).length,
    };
    const before = counted.current;
    counted.current = now;
    // The sender of a message wants to see it, wherever they were reading, and has taken the first step.
    if (now.outbox > before.outbox) {
      timesAsked.value = 0;
      toBottom();
    } else if (now.messages > before.messages && !following.peek()) unseen.value = true;
  });

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const { scrollHeight, scrollTop, clientHeight } = element;
    // While it follows, only its reader moves it up: the browser does not (`overflow-anchor`), and its end takes it along.
    if (scrollHeight - scrollTop - clientHeight < BOTTOM_PX) following.value = true;
    else if (scrollTop < lastTop.current) following.value = false;
    lastTop.current = scrollTop;
    noteUpperEnd(element);
    if (following.value) unseen.value = false;
  };

  return (
    <div class="chat">
      {/* A region that scrolls must be reachable, or the keyboard cannot read it. */}
      <section
        class="scroller"
        data-following={following.value}
        ref={scroller}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
        tabIndex={0}
        aria-label={words.conversation}
      >
        <div class="content" ref={content}>
          <Conversation />
          {hasFirstSteps.value && <FirstSteps write={writeDraft} />}
        </div>
      </section>
      {!following.value && !isEmpty.value && (
        <button type="button" class="to-newest" data-unseen={unseen.value} onClick={toBottom}>
          <ArrowDown />
          {unseen.value ? words.newMessages : words.toNewest}
        </button>
      )}
    </div>
  );
}

function Conversation() {
  if (isEmpty.value) return loaded.value ? <Welcome /> : null;
  // The line of a new beginning stays; what was before it is folded.
  const folded = Math.max(0, beginning.value - 1);
  const isOpen = unfolded.value === messages.value[folded]?.id;
  const start = isOpen ? 0 : folded;
  const parts = long.value;
  const first = isShort.value ? start : Math.max(start, messages.value.length - FIRST_MESSAGES);
  const { past, newest } = parts?.divide(messages.value, start) ?? { past: [], newest: first };
  return (
    <div class="messages">
      {start === 0 && isNearUpperEnd.value && <Above />}
      {folded > 0 && <Earlier count={folded} marker={messages.value[folded]?.id} isOpen={isOpen} />}
      {parts && past.map((stretch) => <parts.Past key={stretch.last} stretch={stretch} draw={item} />)}
      {/* One list, in which a reply keeps its place, and with it what its reader has selected, when it is over. */}
      <ol key="newest">
        {[
          ...messages.value.slice(newest).flatMap((message, i) => item(message, messages.value[newest + i - 1])),
          ...waiting.value.map((entry) => <OutboxItem key={entry.id} entry={entry} />),
          ...[...liveThoughts.value].map(([turn, text]) => <Thoughts key={`${turn}.thoughts`} text={text} />),
          ...[...liveText.value].map(([turn, text]) => {
            const id = replyIdOf(turn);
            return <MessageItem key={id} message={{ id, role: "assistant", at: "", text }} day={undefined} isForming />;
          }),
        ]}
        <Thinking />
      </ol>
    </div>
  );
}

/** A message, and the hole before it; an open question has a card of its own. */
function item(message: ChatMessage, before: ChatMessage | undefined): ComponentChild[] {
  const { id } = message;
  const hole = gaps.value.has(id) && (
    <li key={`${id} missing`} class="earlier">
      <Missing next={id} />
    </li>
  );
  if (questions.value.has(id)) return [hole];
  return [hole, <MessageItem key={id} message={message} day={dayBetween(before, message)} />];
}

/** A way to the messages before the first one here, or a line that it is the first of all. */
function Above() {
  if (isBeginning(messages.value[0])) return <p class="earlier above">{words.isBeginning}</p>;
  if (!offersEarlier()) return null;
  return (
    <p class="earlier above">
      <Missing />
    </p>
  );
}

interface EarlierProps {
  /** How many lines there are. */
  count: number;
  /** The line that they are before. */
  marker: string | undefined;
  isOpen: boolean;
}

/** Opens and closes what was said before the conversation began again. */
function Earlier({ count, marker, isOpen }: EarlierProps) {
  return (
    <p class="earlier">
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
    </p>
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
    </div>
  );
}
