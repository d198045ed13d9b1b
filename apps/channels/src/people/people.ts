/**
 * The people who may speak by a channel: those that are paired, a file for each. The file is the pairing: removing it,
 * here or with `mimikit channels unpair`, ends it. All others are strangers, who are counted and get no answer.
 */

import { createHash } from "node:crypto";
import { BadJson } from "@mimikit/protocol/base/json";
import { PairedPerson, PairingOffer, Strangers } from "@mimikit/protocol/channels/records";
import type { Via } from "@mimikit/protocol/channels/via";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { Log } from "@mimikit/runtime/audit/log";
import { PAIRING_MS, typedIn } from "@mimikit/runtime/home/pairing";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurableDir, readRecord, replaceView } from "@mimikit/store/disk/record";
import {
  channelOf,
  channelPeopleOf,
  pairedPersonPath,
  pairingOfferPath,
  strangersPath,
} from "@mimikit/store/disk/state";
import { hiddenChat, type Incoming, OWNER } from "../contract/channel.ts";

/** So many strangers are listed; of the others only the number is known. */
const STRANGERS_MAX = 20;
const NAME_CHARS_MAX = 128;
const HASH_CHARS = 32;
/** Of a person who was paired without one: the hash of nothing. */
const NO_CODE = "0".repeat(64);

export interface PeopleParts {
  fs: FileSystem;
  channel: string;
  log: Log;
  nowMs(): number;
}

export class People {
  private readonly parts: PeopleParts;
  private readonly all = new Map<string, PairedPerson>();
  private version: string | null = null;
  private isWritten = true;
  private strangers: Strangers = { count: 0, latest: [] };

  private constructor(parts: PeopleParts) {
    this.parts = parts;
  }

  static async open(parts: PeopleParts): Promise<People> {
    const people = new People(parts);
    const { fs, channel } = parts;
    await makeDurableDir(fs, channelPeopleOf(channel));
    people.strangers = (await readView(fs, channel)) ?? people.strangers;
    await people.refresh();
    return people;
  }

  /** Looks who is paired now. */
  async refresh(): Promise<void> {
    const { fs, channel, log } = this.parts;
    const dir = channelPeopleOf(channel);
    const version = await fs.version(dir);
    if (version !== null && version === this.version) return;
    const ids = (await fs.list(dir)).flatMap((name) => /^(p-[0-9a-f]+)\.json$/.exec(name)?.[1] ?? []);
    for (const id of this.all.keys()) if (!ids.includes(id)) this.all.delete(id);
    for (const id of ids) {
      if (this.all.has(id)) continue;
      try {
        const person = await readRecord(fs, PairedPerson, pairedPersonPath(channel, id));
        if (person !== null && person.id === id && person.channel === channel) this.all.set(id, person);
      } catch (error) {
        if (!(error instanceof BadJson)) throw error;
        log.warn("a paired person cannot be read", { channel, id, reason: error.message });
      }
    }
    this.version = version;
  }

  get paired(): readonly PairedPerson[] {
    return [...this.all.values()];
  }

  /** The paired person of this way; undefined for a stranger. */
  at({ channel, chat, person }: Via): PairedPerson | undefined {
    return this.all.get(personId({ channel, chat, person }));
  }

  /** Pairs the owner, of a channel that is paired by being set up. Earlier versions kept the chat under its own name. */
  async pairOwner(chat: string, name: string): Promise<void> {
    const { fs, channel, nowMs } = this.parts;
    const via = { channel, chat, person: OWNER };
    const former = this.paired.find((each) => hiddenChat(each.chat) === chat);
    const at = former?.at ?? new Date(nowMs()).toISOString();
    if (this.at(via) === undefined) await this.add({ ...via, id: personId(via), name, at, code: NO_CODE });
    for (const { id } of this.paired) if (id !== personId(via)) await fs.unlink(pairedPersonPath(channel, id));
    await fs.syncDir(channelPeopleOf(channel));
    await this.refresh();
  }

  /**
   * Pairs who sends the code of an open offer, once. Delivered again, the same code pairs the same person.
   * @returns whether `said` was such a code: then it is no message.
   */
  async tryPairing(via: Via, name: string, said: string): Promise<boolean> {
    // Telegram sends what follows a link as `/start <code>`.
    const typed = typedIn(said.replace(/^\/start\s+/, ""));
    if (typed === null) return false;
    const { fs, channel, log, nowMs } = this.parts;
    const code = hashOf(typed);
    const path = pairingOfferPath(channel, code);
    const known = this.paired.find((person) => person.code === code);
    const offer = await readOffer(fs, path);
    if (known !== undefined && offer !== null) await remove(fs, channel, path);
    if (known !== undefined) return known.id === personId(via);
    if (offer === null) return false;
    const leftMs = Date.parse(offer.expiresAt) - nowMs();
    // A time too far ahead means that the clock was set back since.
    if (!(leftMs > 0 && leftMs <= PAIRING_MS)) {
      await remove(fs, channel, path);
      return false;
    }
    const at = new Date(nowMs()).toISOString();
    const before = this.at(via);
    if (before === undefined) await this.add({ ...via, id: personId(via), name, at, code });
    else await this.pairAgain({ ...before, name: beginningOf(name, NAME_CHARS_MAX), code, againAt: at });
    // Last: a kill before it finds the person by the code.
    await remove(fs, channel, path);
    log.audit({ event: "channel_paired", detail: { channel, person: personId(via) } });
    return true;
  }

  /** Notes that an unpaired person spoke. It is a number: what was not written yet is lost in a kill. */
  noteStranger({ person, name, isPrivate }: Incoming): void {
    const { channel, log, nowMs } = this.parts;
    const at = new Date(nowMs()).toISOString();
    const others = this.strangers.latest.filter((each) => each.person !== person);
    const before = this.strangers.latest.find((each) => each.person === person);
    const count = (before?.count ?? 0) + 1;
    const entry = { person, name: beginningOf(name, NAME_CHARS_MAX), isGroup: !isPrivate, count, at };
    this.strangers = { count: this.strangers.count + 1, latest: [...others, entry].slice(-STRANGERS_MAX) };
    if (before === undefined) log.audit({ event: "channel_stranger", detail: { channel, isGroup: !isPrivate } });
    this.isWritten = false;
  }

  /** Writes what was noted of strangers: once for all that came together. */
  async writeStrangers(): Promise<void> {
    if (this.isWritten) return;
    this.isWritten = true;
    await replaceView(this.parts.fs, strangersPath(this.parts.channel), `${JSON.stringify(this.strangers)}\n`);
  }

  private async add(person: PairedPerson): Promise<void> {
    const { fs, channel } = this.parts;
    const record = { ...person, name: beginningOf(person.name, NAME_CHARS_MAX) };
    await createRecord(fs, PairedPerson, pairedPersonPath(channel, person.id), record);
    this.version = null;
    await this.refresh();
  }

  /** With another bot, or once more with the same. */
  private async pairAgain(person: PairedPerson): Promise<void> {
    const { fs, channel } = this.parts;
    await replaceView(fs, pairedPersonPath(channel, person.id), `${JSON.stringify(person)}\n`);
    this.all.set(person.id, person);
  }
}

/** The id of a person on a way. */
export function personId({ channel, chat, person }: Via): string {
  return `p-${hashOf(JSON.stringify([channel, chat, person])).slice(0, HASH_CHARS)}`;
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function readOffer(fs: FileSystem, path: string): Promise<PairingOffer | null> {
  try {
    return await readRecord(fs, PairingOffer, path);
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

async function readView(fs: FileSystem, channel: string): Promise<Strangers | null> {
  try {
    return await readRecord(fs, Strangers, strangersPath(channel));
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

async function remove(fs: FileSystem, channel: string, path: string): Promise<void> {
  await fs.unlink(path);
  await fs.syncDir(channelOf(channel));
}
