/**
 * The conversation in its one stable order: applied turns by number, inside a turn the messages and then the reply,
 * and after them what still waits in inbox/ (docs/file-protocol.md I10). No message is ever in it twice.
 */
import { editedId } from "@mimikit/core/tasks/answer-anew";
import {
  answerMessageOf,
  expiryMessageOf,
  historyMessageOf,
  messagesOf,
  newestVersions,
  replyId,
  steerMessageOf,
  steersIn,
} from "@mimikit/core/views/history";
import { turnNumber } from "@mimikit/protocol/base/id";
import type { Signal, Steer } from "@mimikit/protocol/base/signal";
import { HISTORY_MESSAGES_MAX, type History, type HistoryMessage } from "@mimikit/protocol/records/history";
import type { Event, InboxCommand, Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task, TurnInput } from "@mimikit/protocol/records/task";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { readHistory } from "@mimikit/store/views/history";
import type { Heard } from "./board.ts";

/** Messages on their way into the conversation. */
export interface UnderWay {
  commands: readonly InboxCommand[];
  /** The questions that answers among the commands may be about. */
  questions: ReadonlyMap<string, Question>;
  signals: readonly Signal[];
  heard: readonly Heard[];
  /** Turns that have begun and are not applied. */
  turns: readonly Task[];
  /** Outage notices of open turns (SPEC G4). */
  outages: readonly HistoryMessage[];
}

/**
 * A message is gone that so many looks in a row have missed. Only a part may have been looked at the first time; at the second, which is
 * at all, a steer may move against the order of the directories; where it is then, the third one finds it.
 */
const MISSES_MAX = 3;

export class ConversationView {
  /** Every version of what was applied, and without those of which there is a newer one. */
  private settled: readonly ChatMessage[] = [];
  private newest: readonly ChatMessage[] = [];
  private readonly ids = new Set<string>();
  /** The ids, and those that a message had while it was on its way. */
  private readonly known = new Set<string>();
  /** Messages that were on their way at the last look; undefined before the first. */
  private tail: readonly ChatMessage[] | undefined;
  private isFirst = true;
  /** Those that were on their way before, and how many looks in a row have missed them. */
  private missed = new Map<string, number>();
  private throughTurn: number;

  private constructor({ messages, throughTurn }: History) {
    this.throughTurn = throughTurn;
    this.add(messages);
  }

  /**
   * Reads the conversation as it is on disk, and every name in archive/ with it.
   * @param before the conversation that it replaces: the messages that were on their way in it are still looked for.
   */
  static async load(fs: FileSystem, archiveIndex: ArchiveIndex, before?: ConversationView): Promise<ConversationView> {
    await archiveIndex.load();
    const read = new ConversationView(await readHistory(fs, archiveIndex));
    if (before !== undefined) [read.tail, read.missed] = [before.tail, before.missed];
    return read;
  }

  /** Adds a turn that was applied. Turns come in order; one that is there already changes nothing. */
  settle(turn: Result): void {
    if (turnNumber(turn.id) <= this.throughTurn) return;
    this.throughTurn = turnNumber(turn.id);
    this.add(messagesOf(turn));
  }

  private add(messages: readonly HistoryMessage[]): void {
    const all = [...this.settled, ...messages.map(withOrigin)];
    const beyond = Math.max(0, all.length - HISTORY_MESSAGES_MAX);
    for (const { id, replaces = id } of all.slice(0, beyond)) {
      this.ids.delete(id);
      for (const each of [id, replaces]) this.known.delete(each);
    }
    for (const { id, replaces = id } of all.slice(Math.max(beyond, this.settled.length))) {
      this.ids.add(id);
      for (const each of [id, replaces]) this.known.add(each);
    }
    this.settled = all.slice(beyond);
    this.newest = newestVersions(this.settled);
  }

  /** Everything that was said, oldest first; what no applied turn holds yet is pending. */
  with(underWay: UnderWay): readonly ChatMessage[] {
    const { newest, known } = this;
    const messages = pendingMessages(underWay).filter(({ id }) => !this.ids.has(id));
    const pending = new Set(messages.flatMap(({ id, replaces = id }) => [id, replaces]));
    const isKnown = ({ id }: { id: string }) => known.has(id) || pending.has(id);
    const steers = pendingSteers(underWay).filter((steer) => !isKnown(steer));
    const answers = pendingAnswers(underWay).filter((answer) => !isKnown(answer));
    const outages = underWay.outages.filter((told) => !isKnown(told)).map((told) => ({ ...told, pending: true }));
    const tail: ChatMessage[] = [...messages, ...steers, ...answers, ...outages].sort(byTime);
    const there = new Set(tail.flatMap(({ id, replaces = id }) => [id, replaces]));
    this.isFirst = this.tail === undefined;
    this.noteMissed((id) => there.has(id) || known.has(id));
    this.tail = tail;
    const rewritten = new Set(
      underWay.commands.flatMap((command) =>
        command.kind === "retry" && command.turnId ? replyId(command.turnId) : [],
      ),
    );
    if (rewritten.size === 0 && tail.every(({ instead }) => instead === undefined))
      return tail.length === 0 ? newest : [...newest, ...tail];
    const settled = this.settled.map((said) => (rewritten.has(said.id) ? { ...said, again: true as const } : said));
    return newestVersions([...settled, ...tail]);
  }

  /**
   * May this look have missed a message that was on its way, and another one find it? The first look has nothing to compare with, so it
   * cannot tell.
   */
  get mayHaveLost(): boolean {
    return this.isFirst || this.missed.size > 0;
  }

  private noteMissed(isThere: (id: string) => boolean): void {
    const missed = [...(this.tail ?? []).map(({ id }) => id), ...this.missed.keys()]
      .filter((id) => !isThere(id))
      .map((id) => [id, (this.missed.get(id) ?? 0) + 1] as const);
    this.missed = new Map(missed.filter(([, times]) => times < MISSES_MAX));
  }
}

function pendingMessages({ commands, turns }: UnderWay): ChatMessage[] {
  const messages = commands.flatMap((command): (Message & Pick<ChatMessage, "instead">)[] => {
    if (command.kind === "message") return [command];
    if (command.kind !== "retry" || command.edit === undefined) return [];
    const { messageId: instead, text } = command.edit;
    return [{ kind: "message", id: editedId(command), at: command.at, text, instead }];
  });
  const takenUp = new Map(turns.flatMap(({ id, turn }) => turn?.messages.map((message) => [message.id, id]) ?? []));
  const there = new Set(messages.map(({ id }) => id));
  for (const input of inputsOf(turns)) messages.push(...input.messages.filter(({ id }) => !there.has(id)));
  return messages.map((message) => {
    const toTaskId = takenUp.get(message.id);
    return withOrigin({
      ...historyMessageOf(message),
      ...(message.mode !== undefined && { mode: message.mode }),
      ...(message.instead !== undefined && { instead: message.instead }),
      ...(toTaskId !== undefined && { toTaskId }),
      pending: true,
    });
  });
}

/** All that turns have taken up goes from inbox/ and results/ before they are applied: a kill, or a disk that fails, may come in between. */
function inputsOf(turns: readonly Task[]): TurnInput[] {
  return turns.flatMap(({ turn }) => (turn === undefined || turn.again !== undefined ? [] : [turn]));
}

function eventsOf({ commands, turns }: UnderWay): Event[] {
  const waiting = commands.flatMap((command) => (command.kind === "event" ? [command] : []));
  return [...waiting, ...inputsOf(turns).flatMap(({ events }) => events)];
}

/** Steering messages: not taken up yet, passed on to a run, or received by one that is not reported yet. */
function pendingSteers(underWay: UnderWay): ChatMessage[] {
  const { commands, signals, heard, turns } = underWay;
  const steers = new Map<string, ChatMessage>();
  const note = (steer: Steer, toTaskId: string | undefined) =>
    steers.set(steer.id, { ...steerMessageOf(steer), pending: true, ...(toTaskId !== undefined && { toTaskId }) });
  for (const command of commands) if (command.kind === "steer") note(command, undefined);
  // Its plan needed no tasks, and a turn will tell so.
  for (const event of eventsOf(underWay)) for (const steer of steersIn(event)) note(steer, undefined);
  for (const { results } of inputsOf(turns))
    for (const { steers = [] } of results) for (const steer of steers) note(steer, undefined);
  for (const signal of signals) note(signal, signal.taskId);
  for (const { taskId, steers: taken } of heard) for (const steer of taken) note(steer, taskId);
  return [...steers.values()];
}

/** The user's answers to the Teller: not taken up yet, or not passed to it yet; and expired questions. */
function pendingAnswers(underWay: UnderWay): ChatMessage[] {
  const { commands, questions } = underWay;
  const answers = new Map<string, ChatMessage>();
  for (const command of commands)
    if (command.kind === "answer" && questions.get(command.questionId)?.purpose.type === "teller") {
      const { id, at, answer, questionId } = command;
      answers.set(id, { id, role: "user", text: answer, at, quote: questionId, pending: true });
    }
  for (const event of eventsOf(underWay)) {
    const told = answerMessageOf(event) ?? expiryMessageOf(event);
    if (told !== null) answers.set(told.id, { ...told, pending: true });
  }
  return [...answers.values()];
}

/**
 * A steering message that no run received, or a late answer, becomes a message under an id that follows from its own
 * (docs/file-protocol.md#the-life-of-a-steer-and-of-a-stop): it is the same words.
 */
export function withOrigin(message: ChatMessage): ChatMessage {
  const replaces = /^m-((?:s|a|m-f)-.+)$/.exec(message.id)?.[1];
  return replaces === undefined ? message : { ...message, replaces };
}

/** The order in which the Teller will read them. */
function byTime(a: ChatMessage, b: ChatMessage): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
