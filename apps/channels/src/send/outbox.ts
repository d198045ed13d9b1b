/**
 * Sends what is due by one channel. Nothing is queued: what is due follows from what there is to say and from the ends of sends, so that a
 * kill at any instant loses nothing. Each chat has a lane of its own, in order; one that has to wait holds up no other.
 */
import { buttonsFor } from "@mimikit/core/tasks/buttons";
import type { PairedPerson } from "@mimikit/protocol/channels/records";
import type { Question } from "@mimikit/protocol/records/question";
import type { Log } from "@mimikit/runtime/audit/log";
import { type Channel, ChannelError, type ChannelKind, type VendorMessage } from "../contract/channel.ts";
import { hashOf } from "../people/people.ts";
import { type ChannelItem, isFor, SEND_AGE_MS_MAX } from "./items.ts";
import type { Sends } from "./sends.ts";
import { split } from "./split.ts";
import { WORDS } from "./words.ts";

/** Tries of a part of which each may have arrived. */
const UNSURE_MAX = 3;
/** The first pause before another try, and the longest, in ms. */
const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 300_000;
/** The longest that a vendor may ask for. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** A send that is under way at the end gets this long, in ms: else it is unknown whether it arrived. */
const CLOSE_MS_MAX = 5_000;
const ID_CHARS = 32;
const QUESTION_HASH_CHARS = 24;

export interface OutboxParts {
  kind: Pick<ChannelKind, "name" | "hasTitles" | "textUnitsMax" | "unsure" | "buttons" | "hasReplies">;
  channel: Pick<Channel, "send" | "about" | "formerChat">;
  sends: Sends;
  log: Log;
  nowMs(): number;
  /** The vendor's answer to the last send: null if it was accepted. */
  onOutcome(problem: string | null): void;
}

interface Lane {
  isBusy: boolean;
  failures: number;
  retry: NodeJS.Timeout | undefined;
  /** It waits for its person to write. */
  isForPerson: boolean;
}

interface Due {
  item: ChannelItem;
  part: VendorMessage;
  number: number;
}

export class Outbox {
  private readonly parts: OutboxParts;
  private readonly lanes = new Map<string, Lane>();
  private readonly running = new Set<Promise<void>>();
  private readonly ending = new AbortController();
  private isClosing = false;
  private items: readonly ChannelItem[] = [];
  private people: readonly PairedPerson[] = [];
  private isNotified = false;
  /** The items that are due and were not sent, by the id of the send. */
  private missed = new Map<string, ChannelItem>();
  /** The parts of each item by chat: a day has a thousand items, and each look asks for all of them. */
  private readonly cut = new WeakMap<ChannelItem, Map<string, readonly Due[]>>();

  constructor(parts: OutboxParts) {
    this.parts = parts;
  }

  /** Sends what is due now. @param isNotified do notifications go to this channel? */
  note(items: readonly ChannelItem[], people: readonly PairedPerson[], isNotified: boolean): void {
    this.items = items;
    this.people = people;
    this.isNotified = isNotified;
    this.tellMissed();
    for (const person of people) this.begin(person.chat);
  }

  /** The person of a chat has written: what waits for that is tried now. */
  wake(chat: string): void {
    const lane = this.lanes.get(chat);
    if (lane?.isForPerson !== true || lane.retry === undefined) return;
    clearTimeout(lane.retry);
    lane.retry = undefined;
    this.begin(chat);
  }

  /** How many messages wait. */
  get waiting(): number {
    return this.missed.size;
  }

  /** Sends nothing more, and waits for what is under way. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const { retry } of this.lanes.values()) clearTimeout(retry);
    const cutOff = setTimeout(() => this.ending.abort(), CLOSE_MS_MAX);
    await Promise.all(this.running);
    clearTimeout(cutOff);
  }

  private begin(chat: string): void {
    const lane = this.lanes.get(chat) ?? { isBusy: false, failures: 0, retry: undefined, isForPerson: false };
    this.lanes.set(chat, lane);
    if (lane.isBusy || lane.retry !== undefined || this.isClosing) return;
    lane.isBusy = true;
    const run = this.drain(chat, lane)
      .catch((error: unknown) => {
        this.parts.log.error("a message could not be sent", { channel: this.parts.kind.name, error });
        this.rest(chat, lane, undefined);
      })
      .finally(() => {
        this.running.delete(run);
      });
    this.running.add(run);
  }

  /** Sends one part after the other, until nothing is due or it has to wait. */
  private async drain(chat: string, lane: Lane): Promise<void> {
    await this.parts.sends.writeEnds();
    for (;;) {
      const due = this.isClosing ? undefined : this.nextDue(chat);
      if (due === undefined) {
        // Nothing waits between this look and the end, so a later look starts over.
        lane.isBusy = false;
        return;
      }
      if (!(await this.send(chat, lane, due))) return;
    }
  }

  /** @returns whether the next may follow at once. */
  private async send(chat: string, lane: Lane, { item, part, number }: Due): Promise<boolean> {
    const { kind, channel, sends, log, nowMs, onOutcome } = this.parts;
    const { id } = part;
    const unsure = sends.unsureTries(id);
    const about = { channel: kind.name, send: id, of: item.id };
    const end = (outcome: "sent" | "unsure" | "refused", more: { remote?: string; detail?: string } = {}) =>
      sends.end({ id, at: new Date(nowMs()).toISOString(), outcome, of: item.id, chat, ...more });
    if (unsure >= UNSURE_MAX && kind.unsure === "mark") {
      log.audit({ event: "channel_unsure", detail: { ...about, tries: unsure } });
      await end("unsure");
      return true;
    }
    const marked = unsure > 0 && kind.unsure === "mark";
    if (marked && !(await this.answers(chat, lane))) return false;
    if (unsure > 0) log.audit({ event: "channel_unsure", detail: { ...about, tries: unsure } });
    await sends.begin(id, item.id, number);
    const sent = await channel.send(chat, marked ? this.marked(part) : part, this.ending.signal);
    switch (sent.outcome) {
      case "sent":
        lane.failures = 0;
        await end("sent", sent.remote === undefined ? {} : { remote: sent.remote });
        log.audit({ event: "channel_sent", detail: { ...about, part: number } });
        onOutcome(null);
        return true;
      case "refused":
        await end("refused", { detail: sent.reason });
        log.audit({ event: "channel_refused", detail: { ...about, reason: sent.reason } });
        return true;
      case "waits":
        await sends.takeBack(id);
        if (lane.failures === 0) log.warn("a message waits", { ...about, reason: sent.reason });
        onOutcome(sent.reason);
        lane.isForPerson = sent.isForPerson === true;
        this.rest(chat, lane, sent.afterMs);
        return false;
      case "unsure":
        log.warn("nobody knows whether a message has arrived", { ...about, reason: sent.reason });
        onOutcome(sent.reason);
        this.rest(chat, lane, undefined);
        return false;
    }
  }

  /** Does the vendor answer at all? An outage must not use up the few tries of what may have arrived. */
  private async answers(chat: string, lane: Lane): Promise<boolean> {
    try {
      await this.parts.channel.about(this.ending.signal);
      return true;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.parts.onOutcome(error.message);
      this.rest(chat, lane, error.afterMs);
      return false;
    }
  }

  private marked(part: VendorMessage): VendorMessage {
    return { ...part, text: `${WORDS.repeated}\n${part.text}` };
  }

  /** The oldest part that is for this chat and has no end. */
  private nextDue(chat: string): Due | undefined {
    for (const item of this.itemsFor(chat))
      for (const due of this.partsOf(chat, item)) if (!this.parts.sends.isOver(due.part.id)) return due;
    return undefined;
  }

  private itemsFor(chat: string): ChannelItem[] {
    const nowMs = this.parts.nowMs();
    const people = this.people.filter((person) => person.chat === chat);
    return this.items.filter((item) => people.some((person) => isFor(item, person, this.isNotified, nowMs)));
  }

  private partsOf(chat: string, item: ChannelItem): readonly Due[] {
    const known = this.cut.get(item) ?? new Map<string, readonly Due[]>();
    const parts = known.get(chat) ?? this.partsIn(chat, item);
    this.cut.set(item, known.set(chat, parts));
    return parts;
  }

  private partsIn(chat: string, item: ChannelItem): Due[] {
    const { kind } = this.parts;
    const texts = this.textsOf(item);
    return texts.map((text, number) => ({
      item,
      number,
      part: {
        id: this.sendIdOf(chat, item, number),
        text,
        ...(kind.hasTitles && item.title !== undefined && number === 0 && { title: item.title }),
        ...(item.question !== undefined && number === texts.length - 1 && answersTo(item.question, kind)),
        isUrgent: item.isUrgent,
      },
    }));
  }

  /** That of the item and the part: also one that another bot has sent is not sent again. */
  private sendIdOf(chat: string, { id }: ChannelItem, part: number): string {
    const { kind, channel, sends } = this.parts;
    const former = sendId(kind.name, channel.formerChat ?? chat, id, part);
    return sends.isKnown(former) ? former : sendId(kind.name, chat, id, part);
  }

  private textsOf({ title, text: said, question }: ChannelItem): readonly string[] {
    const { kind } = this.parts;
    const titled = kind.hasTitles || title === undefined ? said : `${title}\n${said}`;
    const text = question === undefined ? titled : `${titled}${optionsOf(question, kind)}`;
    // The mark of a repetition must have room.
    return split(text, kind.textUnitsMax - WORDS.repeated.length - 1);
  }

  /** Reports the items that became too old while they waited. An item that was answered elsewhere, or has no receiver any more, is not given up. */
  private tellMissed(): void {
    const due = new Map<string, ChannelItem>();
    for (const { chat } of this.people)
      for (const item of this.itemsFor(chat))
        for (const { part } of this.partsOf(chat, item)) if (!this.parts.sends.isOver(part.id)) due.set(part.id, item);
    const { kind, sends, log, nowMs } = this.parts;
    for (const [send, { id: of, at }] of this.missed) {
      const isOld = nowMs() - Date.parse(at) > SEND_AGE_MS_MAX;
      if (isOld && !due.has(send) && !sends.isOver(send))
        log.audit({ event: "channel_gave_up", detail: { channel: kind.name, send, of } });
    }
    this.missed = due;
  }

  /** Leaves a lane alone for a while: as long as it was asked to, or longer with each failure. */
  private rest(chat: string, lane: Lane, afterMs: number | undefined): void {
    lane.isBusy = false;
    if (this.isClosing) return;
    const ms = Math.min(afterMs ?? Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** lane.failures), RETRY_AFTER_MS_MAX);
    lane.failures++;
    lane.retry = setTimeout(() => {
      lane.retry = undefined;
      this.begin(chat);
    }, ms).unref();
  }
}

function sendId(channel: string, chat: string, item: string, part: number): string {
  return `s-${hashOf(JSON.stringify([channel, chat, item, part])).slice(0, ID_CHARS)}`;
}

type Answerable = Pick<ChannelKind, "buttons" | "hasReplies">;

/** The options as buttons of this channel; null where they are not, and are numbered in the text. */
export function optionButtons(question: Question, { buttons }: Answerable): readonly string[] | null {
  return buttons === undefined ? null : buttonsFor(question, buttons);
}

function answersTo(question: Question, kind: Answerable): Pick<VendorMessage, "buttons" | "asksReply"> {
  const labels = optionButtons(question, kind);
  if (labels === null) return kind.hasReplies === true ? { asksReply: true } : {};
  return { buttons: labels.map((label, place) => ({ label, data: `a ${questionHash(question.id)} ${place}` })) };
}

/** The options that are no buttons, and how they are answered; the text ends with that. */
function optionsOf(question: Question, kind: Answerable): string {
  if (optionButtons(question, kind) !== null) return "";
  const { options } = question;
  const listed = options.map((option, place) => `${place + 1}. ${option.replace(/\s+/g, " ")}`);
  const how = kind.hasReplies === true ? (options.length > 0 ? [WORDS.answerByNumber] : []) : [WORDS.answerElsewhere];
  return [...listed, ...how].map((line, place) => `${place === 0 ? "\n\n" : "\n"}${line}`).join("");
}

/** How a button names its question: short enough for every vendor, and useless for people who are not paired. */
export function questionHash(id: string): string {
  return hashOf(id).slice(0, QUESTION_HASH_CHARS);
}
