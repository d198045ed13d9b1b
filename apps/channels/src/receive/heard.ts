/** The last words of each message that was taken, and the messages that became one (docs/decisions/0056-what-is-one-message.md). */
import { BadJson } from "@mimikit/protocol/base/json";
import { HeardMessage } from "@mimikit/protocol/channels/records";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { makeDurableDir, readRecord, replaceView } from "@mimikit/store/disk/record";
import { channelHeardOf, heardPath } from "@mimikit/store/disk/state";
import { digestOf } from "../contract/channel.ts";
import { oldFilesIn } from "../send/old-files.ts";
import type { MessageIn } from "./groups.ts";

/** In milliseconds: after that, a message is known by its record alone. */
const KEPT_MS = 30 * 86_400_000;

export class Heard {
  private readonly fs: FileSystem;
  private readonly channel: string;
  private readonly account: string;

  private constructor(fs: FileSystem, channel: string, account: string) {
    this.fs = fs;
    this.channel = channel;
    this.account = account;
  }

  static async open(fs: FileSystem, channel: string, account: string): Promise<Heard> {
    await makeDurableDir(fs, channelHeardOf(channel));
    return new Heard(fs, channel, account);
  }

  /** @returns null where nothing is known of it. */
  async read(chat: string, message: string): Promise<HeardMessage | null> {
    try {
      return await readRecord(this.fs, HeardMessage, this.pathOf(chat, message));
    } catch (error) {
      if (error instanceof BadJson) return null;
      throw error;
    }
  }

  /** Replaces what is known of the message; durable when it resolves. */
  async write(chat: string, message: string, heard: Omit<HeardMessage, "id">): Promise<void> {
    const record: HeardMessage = { id: this.idOf(chat, message), ...heard };
    await replaceView(this.fs, this.pathOf(chat, message), `${JSON.stringify(record)}\n`);
  }

  async prune(): Promise<void> {
    const dir = channelHeardOf(this.channel);
    for (const name of await oldFilesIn(this.fs, dir, KEPT_MS)) await this.fs.unlink(`${dir}/${name}`);
  }

  private pathOf(chat: string, message: string): string {
    return heardPath(this.channel, this.idOf(chat, message));
  }

  private idOf(chat: string, message: string): string {
    return `h-${digestOf(JSON.stringify([this.account, chat, message]))}`;
  }
}

/** A digest of the words and files of a message: what changes besides is no edit. */
export function saysOf({ text, quoted = [], files }: MessageIn): string {
  return digestOf(JSON.stringify([text, quoted, files.map(({ ref, content = ref }) => content)]));
}
