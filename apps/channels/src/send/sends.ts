/**
 * The sends of a channel: a record before each try, and one for its end. A part without an end is due; one whose last
 * try was begun and has no end may have arrived (docs/decisions/0033-channels-are-clients-of-the-archive.md).
 */
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { BegunSend, EndedSend } from "@mimikit/protocol/channels/records";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurableDir, replaceView } from "@mimikit/store/disk/record";
import { begunSendPath, channelSendsOf, endedSendPath } from "@mimikit/store/disk/state";
import { hiddenChat } from "../contract/channel.ts";
import { SEND_AGE_MS_MAX } from "./items.ts";
import { oldFilesIn } from "./old-files.ts";

/** So long what became of a send is kept: longer than anything is due, so that nothing is sent again. */
const KEPT_MS = 3 * SEND_AGE_MS_MAX;
/** Messages of ours of which it is known what they were part of; a reply to an older one quotes nothing. */
const REMOTES_MAX = 10_000;
const BEGUN = /^(s-[0-9a-f]+)\.b(\d{1,6})\.json$/;
const ENDED = /^(s-[0-9a-f]+)\.end\.json$/;

/** The account that sends. */
export interface SendsOf {
  /** Our account at the vendor, in which its ids are unique. */
  account?: string;
  /** The account of the records that name none. */
  formerAccount?: string | null;
  /** Were chats kept under their own names before, which are secrets? */
  hidesChats?: boolean;
}

export class Sends {
  private readonly fs: FileSystem;
  private readonly channel: string;
  private readonly of: SendsOf;
  /** The highest try of each part that has begun and was not surely in vain. */
  private readonly begun = new Map<string, number>();
  private readonly over = new Set<string>();
  /** Ends that are not on the disk yet: they count all the same, as long as this process lives. */
  private readonly unwritten = new Map<string, EndedSend>();
  /** The item that each message of ours in a chat of this account was part of, by `chat remote`. */
  private readonly remotes = new Map<string, string>();

  private constructor(fs: FileSystem, channel: string, of: SendsOf) {
    this.fs = fs;
    this.channel = channel;
    this.of = of;
  }

  static async open(fs: FileSystem, channel: string, of: SendsOf = {}): Promise<Sends> {
    const sends = new Sends(fs, channel, of);
    const dir = channelSendsOf(channel);
    await makeDurableDir(fs, dir);
    for (const name of await fs.list(dir)) {
      const [, begun = "", attempt] = BEGUN.exec(name) ?? [];
      if (attempt !== undefined) sends.begun.set(begun, Math.max(Number(attempt), sends.begun.get(begun) ?? 0));
      const [, ended] = ENDED.exec(name) ?? [];
      if (ended !== undefined) await sends.takeUp(ended);
    }
    return sends;
  }

  isOver(id: string): boolean {
    return this.over.has(id);
  }

  /** How many tries of it have begun whose outcome is unknown. */
  unsureTries(id: string): number {
    return this.begun.get(id) ?? 0;
  }

  /** Has it begun or ended under this id? */
  isKnown(id: string): boolean {
    return this.isOver(id) || this.unsureTries(id) > 0;
  }

  /** The item that a message of ours was part of: the id of a message or a question; undefined if unknown. */
  partOf(chat: string, remote: string): string | undefined {
    return this.remotes.get(`${chat} ${remote}`);
  }

  /** Notes durably that a try begins. Throws what the disk throws: then nothing may be sent. */
  async begin(id: string, of: string, part: number): Promise<void> {
    const attempt = this.unsureTries(id) + 1;
    const record = { id, at: new Date().toISOString(), of, part };
    await createRecord(this.fs, BegunSend, begunSendPath(this.channel, id, attempt), record);
    this.begun.set(id, attempt);
  }

  /** The last try was surely in vain. A kill before this is durable leaves it unsure, which is the safe side. */
  async takeBack(id: string): Promise<void> {
    const attempt = this.unsureTries(id);
    this.begun.set(id, attempt - 1);
    const { fs, channel } = this;
    await fs.unlink(begunSendPath(channel, id, attempt));
    await fs.syncDir(channelSendsOf(channel));
  }

  /** It is over; it counts at once, and is durable when this resolves. Throws what the disk throws: `writeEnds` tries again. */
  async end(sent: EndedSend): Promise<void> {
    const { account } = this.of;
    const ended = { ...sent, ...(account !== undefined && { account }) };
    this.note(ended);
    this.unwritten.set(ended.id, ended);
    await this.writeEnds();
  }

  /** Writes the ends for which the disk had no room before. */
  async writeEnds(): Promise<void> {
    for (const [id, ended] of this.unwritten) {
      await createRecord(this.fs, EndedSend, endedSendPath(this.channel, id), ended);
      this.unwritten.delete(id);
    }
  }

  /** Forgets what ended long before the newest of them. A clock that is ahead makes nothing old: what is due on the right one would be sent again. */
  async prune(): Promise<void> {
    const { fs, channel } = this;
    const dir = channelSendsOf(channel);
    for (const name of await oldFilesIn(fs, dir, KEPT_MS)) {
      const [, id = ENDED.exec(name)?.[1]] = BEGUN.exec(name) ?? [];
      if (id === undefined) continue;
      await fs.unlink(`${dir}/${name}`);
      this.begun.delete(id);
      this.over.delete(id);
    }
  }

  private async takeUp(id: string): Promise<void> {
    const { fs, channel } = this;
    const path = endedSendPath(channel, id);
    // By its name it is over, whatever it says.
    this.over.add(id);
    try {
      const text = await fs.read(path);
      if (text === null) return;
      const ended = parseRecord(EndedSend, text);
      this.note(ended);
      const chat = this.of.hidesChats === true ? hiddenChat(ended.chat) : ended.chat;
      if (chat !== ended.chat) await replaceView(fs, path, `${JSON.stringify({ ...ended, chat })}\n`);
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
    }
  }

  private note({ id, chat, account, remote, of }: EndedSend): void {
    this.over.add(id);
    // Another account counts its messages from 1, too.
    if (remote === undefined || (account ?? this.of.formerAccount ?? undefined) !== this.of.account) return;
    this.remotes.set(`${chat} ${remote}`, of);
    if (this.remotes.size > REMOTES_MAX) this.remotes.delete(this.remotes.keys().next().value ?? "");
  }
}
