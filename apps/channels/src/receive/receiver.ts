/** Makes records of what people say and press; each once, however often it is delivered. */
import { optionOf } from "@mimikit/core/tasks/question";
import {
  ATTACHMENT_NAME_CHARS_MAX,
  type AttachedFile,
  MESSAGE_ATTACHMENTS_MAX,
} from "@mimikit/protocol/base/attachment";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { ID_PATTERN } from "@mimikit/protocol/base/id-pattern";
import type { Via } from "@mimikit/protocol/channels/via";
import { Answer, type Question } from "@mimikit/protocol/records/question";
import { readLine } from "@mimikit/protocol/wire/slash-command";
import type { Log } from "@mimikit/runtime/audit/log";
import {
  AttachmentRefused,
  assertKept,
  keepAttachments,
  storeAttachment,
} from "@mimikit/store/attachments/attachments";
import { type CommandInput, commandId, createCommand } from "@mimikit/store/disk/create-command";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { inboxPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { type Channel, ChannelError, FileRefused, type Incoming, type IncomingFile } from "../contract/channel.ts";
import type { People } from "../people/people.ts";
import { questionHash } from "../send/outbox.ts";
import type { Sends } from "../send/sends.ts";
import { WORDS } from "../send/words.ts";

/** A file that could not be had so often is given up: what comes after it must not wait for ever. */
const FILE_TRIES_MAX = 3;

export interface ReceiverParts {
  name: string;
  channel: Channel;
  home: string;
  fs: FileSystem;
  token: string;
  cache: StateCache;
  people: People;
  sends: Sends;
  log: Log;
}

type MessageIn = Extract<Incoming, { kind: "message" }>;
type PressIn = Extract<Incoming, { kind: "press" }>;

export class Receiver {
  private readonly parts: ReceiverParts;
  /** How often a file could not be had, by its reference. */
  private readonly failures = new Map<string, number>();

  constructor(parts: ReceiverParts) {
    this.parts = parts;
  }

  /** When it resolves, all that follows is durable. Throws what the disk and the channel throw: then it is to come again. */
  async take(incoming: Incoming, signal: AbortSignal): Promise<void> {
    const { name, people } = this.parts;
    const via: Via = { channel: name, chat: incoming.chat, person: incoming.person };
    await people.refresh();
    // A group is not a person: a later member would speak as the owner.
    const isKnown = incoming.isPrivate && people.at(via) !== undefined;
    if (
      incoming.isPrivate &&
      incoming.kind === "message" &&
      (await people.tryPairing(via, incoming.name, incoming.text))
    )
      return;
    if (!isKnown) people.noteStranger(incoming);
    else if (incoming.kind === "press") await this.takePress(incoming, via, signal);
    else await this.takeMessage(incoming, via, signal);
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

  private async takeMessage(incoming: MessageIn, via: Via, signal: AbortSignal): Promise<void> {
    // Delivered again after its question was closed, it is no message.
    if (await this.isAnswered(incoming)) return;
    const question = this.questionRepliedTo(incoming);
    if (question !== undefined && (await this.answer(question, incoming.text, incoming, via))) return;
    const line = incoming.files.length > 0 || incoming.edits !== undefined ? null : readLine(incoming.text);
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
    // Telegram says that of itself when a chat is opened.
    if (incoming.text.trim() === "/start") return;
    const { attached, lost } = await this.filesOf(incoming, signal);
    const words = line?.kind === "next" || line?.kind === "message" ? line.text : incoming.text;
    const names = attached.map(({ name }) => `[${name ?? WORDS.file}]`).join(" ");
    const text = [words.trim(), ...lost].filter((each) => each !== "").join("\n") || names;
    if (text === "") return;
    const quote = this.quoted(incoming);
    const message: CommandInput = {
      kind: "message",
      text: text.slice(0, MESSAGE_CHARS_MAX),
      via,
      ...(quote !== undefined && { quote }),
      ...(line?.kind === "next" && { mode: "next" as const }),
      ...(attached.length > 0 && { attachments: attached }),
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

  /** Was this made an answer before? A record is in the archive before it leaves the inbox. */
  private async isAnswered(incoming: Incoming): Promise<boolean> {
    const id = commandId("answer", this.keyOf(incoming));
    return (await this.parts.fs.exists(inboxPath(id))) || (await this.parts.cache.archiveIndex.confirm(id));
  }

  private questionRepliedTo({ chat, replyTo }: MessageIn): Question | undefined {
    const of = replyTo === undefined ? undefined : this.parts.sends.partOf(chat, replyTo);
    return of === undefined ? undefined : this.parts.cache.questions.get(of);
  }

  /** The message of the conversation that this one is about. */
  private quoted({ chat, replyTo, edits }: MessageIn): string | undefined {
    if (edits !== undefined) return commandId("message", this.keyOf({ chat, id: edits }));
    if (replyTo === undefined) return undefined;
    const of = this.parts.sends.partOf(chat, replyTo);
    return of !== undefined && ID_PATTERN.test(of) ? of : undefined;
  }

  private async filesOf(
    { files }: MessageIn,
    signal: AbortSignal,
  ): Promise<{ attached: AttachedFile[]; lost: string[] }> {
    const { home, fs, channel } = this.parts;
    const orders: { id: string; name?: string }[] = [];
    const lost: string[] = [];
    for (const file of files.slice(0, MESSAGE_ATTACHMENTS_MAX)) {
      const name = nameOf(file);
      try {
        if (channel.fetchFile === undefined) throw new FileRefused("this channel carries no files");
        const { id } = await storeAttachment(home, fs, channel.fetchFile(file.ref, signal));
        orders.push({ id, ...(name !== undefined && { name }) });
      } catch (error) {
        if (!this.isGivenUp(file, error)) throw error;
        lost.push(WORDS.unfetched(name ?? WORDS.file, error instanceof Error ? error.message : String(error)));
      }
    }
    return { attached: await keepAttachments(fs, orders), lost };
  }

  private isGivenUp({ ref }: IncomingFile, error: unknown): boolean {
    if (error instanceof FileRefused || error instanceof AttachmentRefused) return true;
    if (!(error instanceof ChannelError)) return false;
    const tries = (this.failures.get(ref) ?? 0) + 1;
    if (tries >= FILE_TRIES_MAX) this.failures.delete(ref);
    else this.failures.set(ref, tries);
    return tries >= FILE_TRIES_MAX;
  }

  /** Makes it durable, once. */
  private async accept(said: CommandInput, incoming: Incoming, event: string): Promise<void> {
    const { fs, token, cache, log, name } = this.parts;
    const id = commandId(said.kind, this.keyOf(incoming));
    if (await cache.archiveIndex.confirm(id)) return;
    if (await createCommand(fs, token, said, id)) log.audit({ event, detail: { id, channel: name } });
  }

  /** A repeated delivery has the same key. */
  private keyOf({ chat, id }: Pick<Incoming, "chat" | "id">): string {
    return `channel ${JSON.stringify([this.parts.name, chat, id])}`;
  }
}

/** A name of a stranger's file is a text to show, and no path. */
function nameOf({ name }: IncomingFile): string | undefined {
  const plain = name
    ?.replace(/[\p{Cc}\p{Cf}/\\]+/gu, " ")
    .trim()
    .slice(0, ATTACHMENT_NAME_CHARS_MAX);
  return plain === undefined || plain === "" ? undefined : plain;
}
