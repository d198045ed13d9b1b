/** Makes records of what people say and press; each once, however often it is delivered. */

import { isSame, optionOf } from "@mimikit/core/tasks/question";
import {
  ATTACHMENT_NAME_CHARS_MAX,
  type AttachedFile,
  MESSAGE_ATTACHMENTS_MAX,
} from "@mimikit/protocol/base/attachment";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { ID_PATTERN } from "@mimikit/protocol/base/id-pattern";
import { BadJson } from "@mimikit/protocol/base/json";
import type { HeardMessage } from "@mimikit/protocol/channels/records";
import type { Via } from "@mimikit/protocol/channels/via";
import type { Archived } from "@mimikit/protocol/records/archive";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { Answer, type Question } from "@mimikit/protocol/records/question";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { readLine } from "@mimikit/protocol/wire/slash-command";
import type { Log } from "@mimikit/runtime/audit/log";
import {
  AttachmentRefused,
  assertKept,
  keepAttachments,
  storeAttachment,
  UnknownAttachment,
} from "@mimikit/store/attachments/attachments";
import { type CommandInput, commandId, createCommand } from "@mimikit/store/disk/create-command";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { readRecord } from "@mimikit/store/disk/record";
import { inboxPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import {
  type Channel,
  ChannelError,
  type ChannelKind,
  FileRefused,
  type Incoming,
  type IncomingFile,
  type QuotedText,
} from "../contract/channel.ts";
import { reasonOf } from "../contract/vendor-http.ts";
import type { People } from "../people/people.ts";
import { optionButtons, questionHash } from "../send/outbox.ts";
import type { Sends } from "../send/sends.ts";
import { WORDS } from "../send/words.ts";
import { type Group, type MessageIn, merged } from "./groups.ts";
import { type Heard, saysOf } from "./heard.ts";

/** After so many tries a message comes without the files that cannot be had: what comes after it must not wait for ever. */
const FILE_TRIES_MAX = 3;
/** Messages whose tries are counted. */
const FAILURES_MAX = 1_000;
/** UTF-16 units of the origin of a quoted text in the name of its file. */
const ORIGIN_UNITS_MAX = 120;

export interface ReceiverParts {
  kind: Pick<ChannelKind, "name" | "buttons" | "hasReplies">;
  channel: Channel;
  /** The account of the records that name none; null where there are none. */
  formerAccount: string | null;
  home: string;
  fs: FileSystem;
  token: string;
  cache: StateCache;
  people: People;
  sends: Sends;
  /** Present where the channel's messages can be edited. */
  heard: Heard | undefined;
  log: Log;
}

type MessageGroup = readonly [MessageIn, ...MessageIn[]];
type PressIn = Extract<Incoming, { kind: "press" }>;

export class Receiver {
  private readonly parts: ReceiverParts;
  /** How often a file of a message could not be had, by the id of the message in its chat. */
  private readonly failures = new Map<string, number>();

  constructor(parts: ReceiverParts) {
    this.parts = parts;
  }

  /**
   * When it resolves, all that follows is durable. Throws what the disk and the channel throw: then it is to come again.
   * @param group what the person sent as one thing.
   */
  async take(group: Group, signal: AbortSignal): Promise<void> {
    const { kind, people } = this.parts;
    const [first, ...rest] = group;
    const via: Via = { channel: kind.name, chat: first.chat, person: first.person };
    await people.refresh();
    // A group is not a person: a later member would speak as the owner.
    const isKnown = first.isPrivate && people.at(via) !== undefined;
    if (first.isPrivate && first.kind === "message" && (await people.tryPairing(via, first.name, first.text))) {
      const [next, ...others] = rest;
      if (next !== undefined) await this.take([next, ...others], signal);
      return;
    }
    if (!isKnown) for (const each of group) people.noteStranger(each);
    else if (first.kind === "press") await this.takePress(first, via, signal);
    else await this.takeMessages([first, ...(rest as MessageIn[])], via, signal);
  }

  /** Takes messages as one. Delivered again with more behind them, those that were taken stay one, and the others are another. */
  private async takeMessages(group: MessageGroup, via: Via, signal: AbortSignal): Promise<void> {
    const [first, ...rest] = group;
    const known: MessageIn[] = [];
    const late: MessageIn[] = [];
    const isTaken = rest.length > 0 && (await this.isTakenAs(first, ["message", "answer", "steer"]));
    for (const each of rest) {
      const isPart = !isTaken || (await this.heardOf(each.chat, each.id))?.of === first.id;
      (isPart ? known : late).push(each);
    }
    const message = merged([first, ...known]);
    const { edits } = first;
    if (edits === undefined) {
      // Before the record is made: a kill in between finds no record, and the same group.
      for (const each of [first, ...known]) await this.noteHeard(each, first);
      await this.takeMessage(message, via, signal);
    } else if (!(await this.isUnchanged(message, edits))) {
      await this.takeMessage(message, via, signal);
      await this.noteHeard(first, first);
    }
    const [next, ...others] = late;
    if (next !== undefined) await this.takeMessages([next, ...others], via, signal);
  }

  private async takePress(incoming: PressIn, via: Via, signal: AbortSignal): Promise<void> {
    const [, hash, place] = /^a ([0-9a-f]{1,64}) (\d{1,3})$/.exec(incoming.data) ?? [];
    const question = [...this.parts.cache.questions.values()].find(({ id }) => questionHash(id) === hash);
    const option = question?.options[Number(place)];
    const isTaken =
      (await this.isAnswered(incoming)) ||
      (question !== undefined && option !== undefined && (await this.answer(question, option, incoming, via)));
    const { channel, log } = this.parts;
    await channel.tellPress?.(incoming.press, isTaken ? WORDS.noted : WORDS.closed, signal).catch((error: unknown) => {
      log.debug("a press could not be acknowledged", { error });
    });
  }

  private async takeMessage(received: MessageIn, via: Via, signal: AbortSignal): Promise<void> {
    if (received.files.length > 0 && (await this.isTaken(received))) return;
    const incoming = await this.withWords(received, signal);
    const { text: typed, quoted = [], files, edits } = incoming;
    const isPlain = quoted.length === 0;
    // Telegram says that of itself when a chat is opened.
    if (isPlain && files.length === 0 && typed.trim() === "/start") return;
    const { attached, lost } = await this.filesOf(incoming, signal);
    // Delivered again after its question was closed, an answer is no message.
    const isAnswer = (await this.isAnswered(incoming)) || (isPlain && (await this.answerRepliedTo(incoming, via)));
    if (isAnswer && attached.length + lost.length === 0) return;
    const line = isAnswer || !isPlain || files.length > 0 || edits !== undefined ? null : readLine(typed);
    switch (line?.kind) {
      case "stop":
        return this.accept({ kind: "stop" }, incoming, "stop_requested");
      case "clear":
        return this.accept({ kind: "clear" }, incoming, "clear_requested");
      case "retry":
        return this.accept({ kind: "retry" }, incoming, "retry_requested");
      case "steer":
        return this.accept({ kind: "steer", text: line.text, via }, incoming, "steer_accepted");
    }
    const said = line?.kind === "next" || line?.kind === "message" ? line.text : typed;
    const words = isAnswer ? "" : said;
    const names = attached.map(({ name }) => `[${name ?? WORDS.file}]`).join(" ");
    const text = [words.trim(), ...lost].filter((each) => each !== "").join("\n") || names;
    if (text === "") return;
    const quote = await this.quoted(incoming);
    const message: CommandInput = {
      kind: "message",
      text: beginningOf(text, MESSAGE_CHARS_MAX),
      via,
      ...(quote !== undefined && { quote }),
      ...(line?.kind === "next" && { mode: "next" as const }),
      ...(attached.length > 0 && { attachments: attached }),
      ...(!isPlain && { isQuoting: true as const }),
    };
    await this.accept(message, incoming, "message_accepted");
    // Where this throws, the message is delivered again, and its files are fetched again.
    await assertKept(this.parts.fs, attached);
  }

  /** @returns false where it is closed, or that is none of its answers. */
  private async answer(question: Question, said: string, incoming: Incoming, via: Via): Promise<boolean> {
    if (await this.parts.cache.archiveIndex.confirm(question.id)) return false;
    const answer = Answer.safeParse(optionOf(question, said.trim())).data;
    if (answer === undefined) return false;
    await this.accept({ kind: "answer", questionId: question.id, answer, via }, incoming, "answer_accepted");
    return true;
  }

  /** The option of this number, where options are numbered in the text. */
  private optionNumbered(question: Question, said: string): string {
    const { options } = question;
    const isNumber = /^\s*\d{1,2}\s*$/.test(said) && !options.some((option) => isSame(option, said));
    const isListed = isNumber && optionButtons(question, this.parts.kind) === null;
    return (isListed ? options[Number(said) - 1] : undefined) ?? said;
  }

  /** Was this made an answer before? */
  private async isAnswered(incoming: Incoming): Promise<boolean> {
    const known = await this.recordOf("answer", incoming);
    if (known !== null && incoming.kind === "message") this.noteDropped(known, incoming.text);
    return known !== null;
  }

  /** Is it durable with its files, so that they need not be fetched again? */
  private async isTaken(incoming: MessageIn): Promise<boolean> {
    if ((await this.recordOf("steer", incoming)) !== null) return true;
    const known = await this.recordOf("message", incoming);
    if (known === null) return false;
    const { attachments = [] } = "attachments" in known ? known : {};
    try {
      await assertKept(this.parts.fs, attachments);
    } catch (error) {
      if (error instanceof UnknownAttachment) return false;
      throw error;
    }
    if (!wordsOf(known).startsWith(incoming.text.trim())) this.noteDropped(known, incoming.text);
    return true;
  }

  /** Two messages with one id are a fault that nobody would see otherwise. The words stay out of the log. */
  private noteDropped(known: Known, words: string): void {
    const { kind, log } = this.parts;
    if (!isSame(wordsOf(known), words))
      log.warn("a message was dropped: one with other words has its id", { channel: kind.name, id: known.id });
  }

  /** Is it the answer to the question that it replies to? */
  private async answerRepliedTo(incoming: MessageIn, via: Via): Promise<boolean> {
    const { chat, replyTo, text } = incoming;
    const of = replyTo === undefined ? undefined : this.parts.sends.partOf(chat, replyTo);
    const question = of === undefined ? undefined : this.parts.cache.questions.get(of);
    return question !== undefined && this.answer(question, this.optionNumbered(question, text), incoming, via);
  }

  /** Notes the last words of a message of the person's. @param first of those with which it is one message. */
  private async noteHeard(message: MessageIn, first: MessageIn): Promise<void> {
    const { chat, id, edits } = message;
    const [record = ""] = this.idsOf("message", first);
    const of = edits === undefined ? first.id : ((await this.heardOf(chat, edits))?.of ?? edits);
    await this.parts.heard?.write(chat, edits ?? id, { of, says: saysOf(message), record });
  }

  private async heardOf(chat: string, message: string): Promise<HeardMessage | null> {
    return (await this.parts.heard?.read(chat, message)) ?? null;
  }

  /** Says the edit what was said last? Reactions and previews are edits, too (core.telegram.org/bots/api#update). */
  private async isUnchanged(incoming: MessageIn, edits: string): Promise<boolean> {
    const heard = await this.heardOf(incoming.chat, edits);
    if (heard !== null) return heard.says === saysOf(incoming);
    // From before anything was noted: its record names its files in words, if there is no text.
    const original = await this.recordOf("message", { chat: incoming.chat, id: edits });
    const typed = incoming.text.trim();
    if (original === null) return false;
    const isNamed = incoming.files.length > 0 && (typed === "" || wordsOf(original).startsWith(`${typed}\n[`));
    return isNamed || wordsOf(original) === typed;
  }

  /** Was one of these made of it? */
  private async isTakenAs(incoming: MessageIn, kinds: readonly CommandInput["kind"][]): Promise<boolean> {
    for (const kind of kinds) if ((await this.recordOf(kind, incoming)) !== null) return true;
    return false;
  }

  /** The message of the conversation that this one is about. */
  private async quoted({ chat, replyTo, edits }: MessageIn): Promise<string | undefined> {
    if (edits !== undefined) {
      const of = (await this.heardOf(chat, edits))?.of ?? edits;
      return (await this.ownMessage(chat, of)) ?? this.idsOf("message", { chat, id: of })[0];
    }
    if (replyTo === undefined) return undefined;
    const of = this.parts.sends.partOf(chat, replyTo);
    if (of !== undefined) return ID_PATTERN.test(of) ? of : undefined;
    const record = (await this.heardOf(chat, replyTo))?.record;
    if (record !== undefined && (await this.readKnown(record)) !== null) return record;
    return this.ownMessage(chat, replyTo);
  }

  /** The record of a message that the person sent. */
  private async ownMessage(chat: string, id: string): Promise<string | undefined> {
    return (await this.recordOf("message", { chat, id }))?.id;
  }

  private async filesOf(
    incoming: MessageIn,
    signal: AbortSignal,
  ): Promise<{ attached: AttachedFile[]; lost: string[] }> {
    const { home, fs } = this.parts;
    const { files, quoted = [] } = incoming;
    const orders: { id: string; name?: string }[] = [];
    const lost: string[] = [];
    const sources: Source[] = [
      ...quoted.map((each) => ({ ref: "", name: `${labelOf(each)}.txt`, open: () => quotation(each) })),
      ...files.map((file) => ({ ...file, open: () => this.fetched(file, signal) })),
    ];
    for (const [k, file] of sources.entries()) {
      const name = nameOf(file);
      if (k >= MESSAGE_ATTACHMENTS_MAX) {
        lost.push(WORDS.unfetched(name ?? WORDS.file, `a message has ${MESSAGE_ATTACHMENTS_MAX} files at most`));
        continue;
      }
      try {
        const { id } = await storeAttachment(home, fs, file.open());
        orders.push({ id, ...(name !== undefined && { name }) });
      } catch (error) {
        if (!this.isGivenUp(incoming, error)) throw error;
        lost.push(WORDS.unfetched(name ?? WORDS.file, error instanceof Error ? error.message : String(error)));
      }
    }
    return { attached: await keepAttachments(fs, orders), lost };
  }

  /** The message with the words that its vendor has put into a file; as it is where these are no words, or too many. */
  private async withWords(incoming: MessageIn, signal: AbortSignal): Promise<MessageIn> {
    const file = incoming.files.find(({ isWords }) => isWords === true);
    if (file === undefined) return incoming;
    try {
      const words = await wordsIn(this.fetched(file, signal));
      const text = [incoming.text, words].filter((part) => part !== "").join("\n");
      if (words === null || text.length > MESSAGE_CHARS_MAX) return incoming;
      return { ...incoming, text, files: incoming.files.filter((each) => each !== file) };
    } catch (error) {
      if (!this.isGivenUp(incoming, error)) throw error;
      return incoming;
    }
  }

  /** @throws FileRefused, ChannelError: whatever a channel throws, it is a try of it, and none of the disk. */
  private async *fetched({ ref }: IncomingFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { channel } = this.parts;
    if (channel.fetchFile === undefined) throw new FileRefused("this channel carries no files");
    try {
      yield* channel.fetchFile(ref, signal);
    } catch (error) {
      if (error instanceof FileRefused || error instanceof ChannelError) throw error;
      throw new ChannelError("unreachable", reasonOf(error));
    }
  }

  private isGivenUp({ chat, id }: MessageIn, error: unknown): boolean {
    if (error instanceof FileRefused || error instanceof AttachmentRefused) return true;
    if (!(error instanceof ChannelError)) return false;
    const key = `${chat} ${id}`;
    const tries = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, tries);
    if (this.failures.size > FAILURES_MAX) this.failures.delete(this.failures.keys().next().value ?? "");
    return tries >= FILE_TRIES_MAX;
  }

  /** Makes it durable, once. */
  private async accept(said: CommandInput, incoming: Incoming, event: string): Promise<void> {
    const { fs, token, log, kind } = this.parts;
    const known = await this.recordOf(said.kind, incoming, said);
    if (known !== null) {
      this.noteDropped(known, wordsOf(said));
      return;
    }
    const [id = ""] = this.idsOf(said.kind, incoming);
    if (await createCommand(fs, token, said, id)) log.audit({ event, detail: { id, channel: kind.name } });
  }

  /**
   * The record that was made of it before; null without one.
   * @param said its words: a record of earlier versions that has others is that of another message.
   */
  private async recordOf(
    kind: CommandInput["kind"],
    incoming: Pick<Incoming, "chat" | "id" | "formerId">,
    said?: CommandInput,
  ): Promise<Known | null> {
    const [id = "", formerId] = this.idsOf(kind, incoming);
    const known = await this.readKnown(id);
    if (known !== null || formerId === undefined) return known;
    const former = await this.readKnown(formerId);
    return former === null || (said !== undefined && wordsOf(former) !== wordsOf(said)) ? null : former;
  }

  /** A record is in the archive before it leaves the inbox. */
  private async readKnown(id: string): Promise<Known | null> {
    const { fs, cache } = this.parts;
    try {
      const waiting = await readRecord(fs, InboxCommand, inboxPath(id));
      if (waiting !== null) return waiting;
    } catch (error) {
      // By its name it is known, whatever it says.
      if (error instanceof BadJson) return { id };
      throw error;
    }
    if (!(await cache.archiveIndex.confirm(id))) return null;
    return (await cache.archiveIndex.read(id)) ?? { id };
  }

  /** The id of its record, the same for each delivery, and the one that earlier versions gave it. */
  private idsOf(
    kind: CommandInput["kind"],
    { chat, id, formerId = id }: Pick<Incoming, "chat" | "id" | "formerId">,
  ): string[] {
    const {
      kind: { name },
      channel,
      formerAccount,
    } = this.parts;
    const { account = "" } = channel;
    const keys: unknown[] = [[name, account, chat, id]];
    if (formerAccount === account) keys.push([name, channel.formerChat ?? chat, formerId]);
    return keys.map((key) => commandId(kind, `channel ${JSON.stringify(key)}`));
  }
}

interface Source extends IncomingFile {
  open(): AsyncIterable<Uint8Array>;
}

/** A record as far as it can be read. */
type Known = InboxCommand | Archived | { id: string };

/** The words of a message, a steer or an answer; none of anything else. */
function wordsOf(record: Known | CommandInput): string {
  const said = "wish" in record ? record.wish : record;
  const words = "text" in said ? said.text : "answer" in said ? said.answer : undefined;
  return typeof words === "string" ? words.trim() : "";
}

/** The text of a file; null where it is none in UTF-8, or longer than a message. */
async function wordsIn(chunks: AsyncIterable<Uint8Array>): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MESSAGE_CHARS_MAX) return null;
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function* quotation({ origin, text }: QuotedText): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${plainName(origin)}:\n\n${text}\n`);
}

/** The origin as a part of the message: letters, digits and little else, so that it cannot read as more than a name. */
function labelOf({ origin }: QuotedText): string {
  return cut(origin.toWellFormed().replace(/[^\p{L}\p{M}\p{N}@._-]+/gu, " "), ORIGIN_UNITS_MAX);
}

/** A stranger's text as a name: on one line, and no path. */
function plainName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}\p{Z}/\\]+/gu, " ")
    .trim();
}

/** @returns undefined where nothing of it is left. */
function nameOf({ name = "" }: Pick<IncomingFile, "name">): string | undefined {
  const plain = cut(plainName(name), ATTACHMENT_NAME_CHARS_MAX);
  return plain === "" ? undefined : plain;
}

function cut(text: string, unitsMax: number): string {
  return beginningOf(text, unitsMax).trim();
}
