/** One channel at work: what is received becomes records, what there is to say is sent, and how that goes can be seen. */
import { setTimeout as wait } from "node:timers/promises";
import { BadJson } from "@mimikit/protocol/base/json";
import { ChannelCursor, type ChannelState, FormerAccount } from "@mimikit/protocol/channels/records";
import type { Log } from "@mimikit/runtime/audit/log";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurableDir, readRecord, replaceView } from "@mimikit/store/disk/record";
import {
  channelCursorPath,
  channelOf,
  channelPeopleOf,
  channelStatePath,
  formerAccountPath,
} from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { type Channel, ChannelError, type ChannelKind } from "./contract/channel.ts";
import { People } from "./people/people.ts";
import { Gathering } from "./receive/groups.ts";
import { Heard } from "./receive/heard.ts";
import { Receiver } from "./receive/receiver.ts";
import type { ConversationReader } from "./send/conversation.ts";
import type { ChannelItem } from "./send/items.ts";
import { Outbox } from "./send/outbox.ts";
import { Sends } from "./send/sends.ts";
import { WORDS } from "./send/words.ts";

/** The first pause after a poll that failed, and the longest, in ms. */
const POLL_RETRY_MS_MIN = 1_000;
const POLL_RETRY_MS_MAX = 60_000;
/** The longest that a vendor may ask for. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Telegram shows it for 5 s. */
const TYPING_EVERY_MS = 4_000;
const PRUNE_EVERY_MS = 3_600_000;

export interface ServeParts {
  kind: ChannelKind;
  channel: Channel;
  home: string;
  fs: FileSystem;
  token: string;
  cache: StateCache;
  log: Log;
  nowMs(): number;
  /** There is something to look at. */
  onChange(): void;
}

export class ServedChannel {
  private readonly parts: ServeParts;
  private readonly people: People;
  private readonly sends: Sends;
  private readonly heard: Heard | undefined;
  private readonly receiver: Receiver;
  private readonly outbox: Outbox;
  private readonly ending = new AbortController();
  private readonly listening: Promise<void>;
  private receiveState: Pick<ChannelState, "state" | "detail"> = { state: "starting" };
  private sendProblem: string | null = null;
  private written = "";
  private typedAtMs = Number.NEGATIVE_INFINITY;
  private prunedAtMs = Number.NEGATIVE_INFINITY;

  private readonly formerAccount: string | null;

  private constructor(
    parts: ServeParts,
    people: People,
    sends: Sends,
    heard: Heard | undefined,
    formerAccount: string | null,
  ) {
    const { kind, channel, log, nowMs } = parts;
    this.parts = parts;
    this.people = people;
    this.sends = sends;
    this.formerAccount = formerAccount;
    this.heard = heard;
    this.receiver = new Receiver({ ...parts, people, sends, heard, formerAccount });
    const onOutcome = (problem: string | null) => {
      this.sendProblem = problem;
    };
    this.outbox = new Outbox({ kind, channel, sends, log, nowMs, onOutcome });
    this.listening = this.listen();
  }

  static async start(parts: ServeParts): Promise<ServedChannel> {
    const { fs, kind, channel, log, nowMs } = parts;
    const formerAccount = await formerAccountOf(parts);
    const people = await People.open({ fs, channel: kind.name, log, nowMs });
    if (channel.ownChat !== undefined) await people.pairOwner(channel.ownChat, kind.title);
    const sends = await Sends.open(fs, kind.name, {
      account: channel.account ?? "",
      formerAccount,
      hidesChats: channel.formerChat !== undefined,
    });
    const heard = kind.hasEdits === true ? await Heard.open(fs, kind.name, channel.account ?? "") : undefined;
    return new ServedChannel(parts, people, sends, heard, formerAccount);
  }

  /** Sends what is due now, and says how the channel does. Throws what the disk throws. */
  async note(items: readonly ChannelItem[], isNotified: boolean, conversation: ConversationReader): Promise<void> {
    await this.people.refresh();
    const { paired } = this.people;
    this.outbox.note([...this.greetings(), ...items], paired, isNotified);
    this.showTyping(conversation);
    await this.writeState();
    await this.people.writeStrangers();
    const nowMs = performance.now();
    if (nowMs - this.prunedAtMs < PRUNE_EVERY_MS) return;
    this.prunedAtMs = nowMs;
    await this.sends.prune();
    await this.heard?.prune();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all([this.listening, this.outbox.close()]);
  }

  /** Receives for ever. */
  private async listen(): Promise<void> {
    const { kind, channel, log } = this.parts;
    const { signal } = this.ending;
    let cursor: string | undefined;
    let failures = 0;
    /** Groups of the unconfirmed updates that are durable. */
    let takenMax = 0;
    const gathering = new Gathering();
    let isBegun = false;
    while (!signal.aborted) {
      try {
        if (!isBegun) {
          if (kind.keepsCursor) cursor = await this.readCursor();
          await channel.about(signal);
          isBegun = true;
          this.receiveState = { state: "connected" };
          this.parts.onChange();
        }
        const polled = await channel.poll(cursor, signal);
        const { groups, held, waitMs } = gathering.ready(polled.incoming, polled.isFull === true, performance.now());
        let taken = 0;
        for (const group of groups) {
          await this.receiver.take(group, signal);
          // A message that was held up makes the next ones wait no longer.
          if (++taken > takenMax) [takenMax, failures] = [taken, 0];
        }
        // All before that is durable, so it may be confirmed.
        if (held === undefined && kind.keepsCursor && polled.cursor !== undefined && polled.cursor !== cursor)
          await this.writeCursor(polled.cursor);
        cursor = held === undefined ? polled.cursor : held.before;
        for (const [{ chat }] of groups) this.outbox.wake(chat);
        if (polled.incoming.length > 0) this.parts.onChange();
        failures = 0;
        takenMax = 0;
        this.receiveState = { state: "connected" };
        if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        // Messages that are not known to be confirmed come again.
        if (!kind.keepsCursor) cursor = undefined;
        const isVendors = error instanceof ChannelError;
        const detail = problemOf(error);
        if (failures === 0)
          log.warn("a channel cannot receive", { channel: kind.name, error: isVendors ? detail : error });
        this.receiveState = { state: isVendors ? error.kind : "unreachable", detail };
        const asked = isVendors ? error.afterMs : undefined;
        const ms = asked ?? Math.min(POLL_RETRY_MS_MAX, POLL_RETRY_MS_MIN * 2 ** failures);
        failures++;
        await wait(Math.min(ms, RETRY_AFTER_MS_MAX), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private greetings(): ChannelItem[] {
    if (this.parts.kind.pairing !== "code") return [];
    return this.people.paired.map((person) => ({
      id: `paired ${person.id} ${person.againAt ?? person.at}`,
      at: person.againAt ?? person.at,
      text: WORDS.paired,
      origin: [person],
      isNews: false,
      isUrgent: false,
    }));
  }

  private showTyping(conversation: ConversationReader): void {
    const { kind, channel, log } = this.parts;
    const nowMs = performance.now();
    if (channel.showTyping === undefined || nowMs - this.typedAtMs < TYPING_EVERY_MS) return;
    const chats = conversation.writingTo().flatMap((via) => (this.people.at(via) === undefined ? [] : via));
    for (const { chat, channel: name } of chats) {
      if (name !== kind.name) continue;
      this.typedAtMs = nowMs;
      channel.showTyping(chat, this.ending.signal).catch((error: unknown) => {
        log.debug("that an answer is being written could not be shown", { channel: name, error });
      });
    }
  }

  private async writeState(): Promise<void> {
    const { fs, kind, nowMs } = this.parts;
    const { waiting } = this.outbox;
    const receiving = this.receiveState;
    const isSendingOnlyBroken = receiving.state === "connected" && this.sendProblem !== null && waiting > 0;
    const state = isSendingOnlyBroken ? { state: "unreachable" as const, detail: this.sendProblem ?? "" } : receiving;
    const text = JSON.stringify({ ...state, waiting });
    if (text === this.written) return;
    const record: ChannelState = { at: new Date(nowMs()).toISOString(), ...state, waiting };
    await replaceView(fs, channelStatePath(kind.name), `${JSON.stringify(record)}\n`);
    this.written = text;
  }

  private async readCursor(): Promise<string | undefined> {
    const { fs, kind, channel } = this.parts;
    try {
      const record = await readRecord(fs, ChannelCursor, channelCursorPath(kind.name));
      const { cursor, account = this.formerAccount } = record ?? {};
      return account === (channel.account ?? "") ? cursor : undefined;
    } catch (error) {
      if (error instanceof BadJson) return undefined;
      throw error;
    }
  }

  private async writeCursor(cursor: string): Promise<void> {
    const { fs, kind, channel } = this.parts;
    const record = { cursor, account: channel.account ?? "" };
    await replaceView(fs, channelCursorPath(kind.name), `${JSON.stringify(record)}\n`);
  }
}

/** The reason of a failure, for people. Codes of the system are those of the disk: a channel throws ChannelError. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" && !(error instanceof ChannelError)
    ? `the state directory refuses (${error.code})`
    : error.message;
}

/** Says how a channel does that has not been started. Throws what the disk throws. */
export async function writeUnstarted(fs: FileSystem, name: string, state: ChannelState): Promise<void> {
  await makeDurableDir(fs, channelOf(name));
  await replaceView(fs, channelStatePath(name), `${JSON.stringify(state)}\n`);
}

/**
 * The account to which the records belong that name none: the one with which this version starts first. It is noted once, before
 * anything else is made there.
 */
async function formerAccountOf({ fs, kind, channel }: ServeParts): Promise<string | null> {
  const isUsed = await fs.exists(channelPeopleOf(kind.name));
  await makeDurableDir(fs, channelOf(kind.name));
  const path = formerAccountPath(kind.name);
  await createRecord(fs, FormerAccount, path, { account: isUsed ? (channel.account ?? "") : null });
  return (await readRecord(fs, FormerAccount, path))?.account ?? null;
}
