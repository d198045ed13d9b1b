/** One message: the user's own with how far it got, the assistant's with the work it started, a notice in between. */

import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import type { ComponentChildren } from "preact";
import { answererTitle } from "../i18n/answerer-of.ts";
import { timeText, words } from "../i18n/words.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { connection, sendAgain } from "../model/connection.ts";
import { type OutboxEntry, release } from "../model/outbox.ts";
import { answeredIds, answeringNow, isPending, messages, tasks, thinking, unreachedTurn } from "../model/state.ts";
import { Check, Clock } from "../ui/icons.tsx";
import { lazily } from "../ui/lazily.tsx";
import { answerAnew, lastReply } from "./anew/second-thoughts.ts";
import { useVersions, type Versions } from "./anew/versions.tsx";
import { takeAnswerer } from "./answerer-switch.tsx";
import { MessageActions } from "./message-actions.tsx";
import { QuoteLine } from "./quote-line.tsx";

const SentFiles = lazily(async () => (await import("./files.tsx")).SentFiles);
const ProblemActions = lazily(async () => (await import("./problem-actions.tsx")).ProblemActions);
const UsedMemory = lazily(async () => (await import("./used/used-memory.tsx")).UsedMemory);
const ReplyCards = lazily(async () => (await import("./cards/reply-cards.tsx")).ReplyCards);

interface MessageItemProps {
  message: ChatMessage;
  /** The day that begins here. */
  day: string | undefined;
  /** A reply while it is being written: it has no more than its text yet. */
  isForming?: boolean;
}

export function MessageItem({ message, day, isForming = false }: MessageItemProps) {
  if (message.marker === "clear")
    return (
      <li class="rule beginning" data-id={message.id}>
        {words.newConversation}
      </li>
    );
  return (
    <>
      {day !== undefined && <li class="rule">{day}</li>}
      <li
        class={isForming ? "message forming" : "message"}
        data-role={message.role}
        data-id={isForming ? undefined : message.id}
        data-meanwhile={message.meanwhile}
        data-again={message.again}
        aria-busy={isForming || undefined}
      >
        {message.role === "user" && <Said message={message} />}
        {message.role === "assistant" && <Reply message={message} isForming={isForming} />}
        {message.role === "system" && (
          <div class="system">
            <span class="unseen">{words.notice}: </span>
            {message.notification?.title !== undefined && <strong>{message.notification.title}</strong>}
            <Markdown text={message.text} />
            {message.problem !== undefined && isPending(message) && <ProblemActions message={message} />}
          </div>
        )}
      </li>
    </>
  );
}

/** The user's message, in the version that its reader has chosen. */
function Said({ message }: { message: ChatMessage }) {
  const { version, pager } = useVersions(message);
  return (
    <Own text={version.text} at={version.at} files={version.attachments} quote={version.quote}>
      {message.meanwhile ? <Way message={message} /> : <Progress message={message} />}
      {version.via !== undefined && <span class="progress">{words.cameBy(version.via)}</span>}
      {pager}
      {!isPending(message) && <MessageActions id={message.id} text={version.text} />}
    </Own>
  );
}

/** A message that the gateway does not have yet. */
export function OutboxItem({ entry }: { entry: OutboxEntry }) {
  return (
    <li class="message" data-role="user" data-outbox={entry.id} data-meanwhile={entry.mode === "steer" || undefined}>
      <Own text={entry.text} at={entry.at} files={entry.files} quote={entry.quote}>
        {entry.refusal === undefined ? (
          <span class="progress" data-progress="sending">
            {connection.value.state === "connected" ? words.sending : words.unsent}
          </span>
        ) : (
          <span class="progress" data-progress="refused" role="alert">
            {words.refused(entry.refusal)}
            <button type="button" class="link" onClick={() => sendAgain(entry.id)}>
              {words.sendAgain}
            </button>
            <button type="button" class="link" onClick={() => release(entry.id)}>
              {words.discard}
            </button>
          </span>
        )}
      </Own>
    </li>
  );
}

/** The model's thoughts before it answers: collapsed, and gone with the reply. */
export function Thoughts({ text }: { text: string }) {
  return (
    <li class="message thoughts" data-role="assistant">
      <details>
        <summary>{words.thoughts}</summary>
        <p>{text}</p>
      </details>
    </li>
  );
}

/** Says that an answer is on its way, which is unknown without a connection. */
export function Thinking() {
  if (!thinking.value || connection.value.state !== "connected") return null;
  return (
    <li class="message thinking" data-role="assistant">
      <span>
        {words.thinking}
        <i />
        <i />
        <i />
      </span>
    </li>
  );
}

interface OwnProps {
  text: string;
  at: string;
  files: readonly AttachedFile[] | undefined;
  /** The id of what it replies to. */
  quote: string | undefined;
  children: ComponentChildren;
}

function Own({ text, at, files = [], quote, children }: OwnProps) {
  return (
    <>
      <span class="unseen">{words.you}: </span>
      {quote !== undefined && <QuoteLine id={quote} />}
      {files.length > 0 && <SentFiles files={files} />}
      <div class="bubble">{text}</div>
      <p class="meta">
        <time dateTime={at}>{timeText(at)}</time>
        {children}
      </p>
    </>
  );
}

/** How far a message is: it is on disk, a turn works on it, it is answered; without a model, or behind another, it waits. */
function Progress({ message: { id, mode, toTaskId, pending } }: { message: ChatMessage }) {
  if (answeredIds.value.has(id)) return <Stage name="answered" text={words.answered} isOver />;
  if (toTaskId !== undefined && toTaskId === unreachedTurn.value)
    return <Stage name="waiting" text={words.waitsForModel} />;
  if (toTaskId !== undefined) return <Stage name="seen" text={words.seen} isOver />;
  if (mode === "next") return <Stage name="waiting" text={words.savedNext} />;
  if (pending === true && answeringNow.value) return <Stage name="waiting" text={words.savedWaits} />;
  return <Stage name="saved" text={words.saved} isOver />;
}

interface StageProps {
  name: string;
  text: string;
  /** A check says that it has come so far, a clock that it waits. */
  isOver?: boolean;
}

function Stage({ name, text, isOver = false }: StageProps) {
  return (
    <span class="progress" data-progress={name}>
      {isOver ? <Check /> : <Clock />}
      {text}
    </span>
  );
}

/** Where words went that were said while something ran. */
function Way({ message: { id, pending, toTaskId } }: { message: ChatMessage }) {
  const reply = messages.value.find(({ answers = [] }) => answers.includes(id));
  if (pending !== true)
    return (
      <span class="progress" data-progress="heard">
        <Check />
        {reply?.stopped ? words.saidToStopped : words.heard}
      </span>
    );
  return (
    <span class="progress" data-progress={toTaskId === undefined ? "saved" : "passed"}>
      {toTaskId === undefined ? words.saidMeanwhile : words.passedOn(tasks.value.get(toTaskId)?.title)}
    </span>
  );
}

interface ReplyProps {
  message: ChatMessage;
  isForming: boolean;
}

function Reply({ message, isForming }: ReplyProps) {
  const { version, pager } = useVersions(message);
  return (
    <>
      <span class="unseen">{words.assistant}: </span>
      <Markdown text={version.text} isForming={isForming} />
      {!isForming && <AfterReply message={message} version={version} pager={pager} />}
    </>
  );
}

/** The line below a finished reply. */
function AfterReply({ message, version, pager }: { message: ChatMessage } & Versions) {
  const { id, text, at, usage, provider, model, used } = version;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return (
    <>
      {hasCards(message) && <ReplyCards message={message} />}
      {message.problem !== undefined && isNewestReply(message) && <ProblemActions message={message} />}
      <p class="meta">
        <time dateTime={at}>{timeText(at)}</time>
        {provider !== undefined && <span>{answererTitle(provider, model)}</span>}
        {tokens > 0 && <span>{words.tokens(tokens)}</span>}
        {message.stopped && lastReply.value?.id === message.id && (
          <button type="button" class="link" onClick={() => void answerAnew(message.id, takeAnswerer())}>
            {words.tryAgain}
          </button>
        )}
        {pager}
        <MessageActions id={message.id} text={text} />
      </p>
      {used !== undefined && <UsedMemory key={id} id={id} count={used} />}
    </>
  );
}

/** An earlier failure is over once there was another reply. */
function isNewestReply({ id }: ChatMessage): boolean {
  return messages.value.findLast(({ role }) => role === "assistant")?.id === id;
}

function hasCards({ taskIds = [], triggers = [] }: ChatMessage): boolean {
  return triggers.length > 0 || taskIds.some((id) => tasks.value.has(id));
}
