/**
 * Files that messages name, in a simulated run (SPEC I8): a client uploads them and names them later, the upkeep sweeps those that are old
 * and that no message names. Whether a file is there with its content is looked at here, by the messages that were acknowledged.
 */
import { createHash } from "node:crypto";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import {
  AttachmentGoing,
  assertKept,
  keepAttachments,
  nameAttachment,
  sweepAttachments,
  UnknownAttachment,
} from "@mimikit/store/attachments/attachments";
import { attachmentPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { NamedAttachments } from "../../apps/supervisor/src/upkeep/named-attachments.ts";
import type { Environment, World } from "./world.ts";

/** One message in so many names a file. */
const FILE_EVERY = 2;
/** Different files: the same one is named by several messages. */
const FILES = 3;
/** That a client uploads a file that nobody names for now, for each of its turns. */
const UPLOAD_CHANCE = 0.01;
/** That the upkeep sweeps, for each tick of a supervisor. */
const SWEEP_CHANCE = 0.05;
/** There is no history on this disk: every turn is read from the archive. */
const NO_HISTORY = () => ({ isAsRead: () => true, async *follow() {} });

export class Attachments {
  private readonly world: World;
  /** The files that a client thinks are stored. */
  private readonly uploaded = new Set<string>();
  /** The files that acknowledged messages name. */
  private readonly promised = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  /** The files that a message names, as the gateway puts them into its record; they are uploaded first where they must be. Throws what the disk throws. */
  async named(number: number, { fs }: Environment): Promise<AttachedFile[]> {
    if (number % FILE_EVERY !== 0) return [];
    const text = textOf(number);
    const id = idOf(text);
    if (!this.uploaded.has(id)) await this.upload(text, fs);
    return this.refusing(id, () => keepAttachments(fs, [{ id }]));
  }

  /** The last look before the message is acknowledged, as the gateway takes it. Throws what the disk throws. */
  async assertKept(files: readonly AttachedFile[], { fs }: Environment): Promise<void> {
    for (const { id } of files) await this.refusing(id, () => assertKept(fs, [{ id }]));
  }

  /** The client hears of it, uploads the file again and sends the message again. */
  private async refusing<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UnknownAttachment) this.uploaded.delete(id);
      throw error;
    }
  }

  /** A client uploads something for later, now and then. */
  async prepare({ fs }: Environment): Promise<void> {
    const { random, isCalm } = this.world;
    if (!isCalm && random() < UPLOAD_CHANCE) await this.upload(textOf(Math.floor(random() * FILES) * FILE_EVERY), fs);
  }

  acknowledged(files: readonly AttachedFile[]): void {
    for (const { id } of files) this.promised.add(id);
  }

  /** The upkeep, which one process does at a time. */
  async sweep(cache: StateCache, environment: Environment): Promise<void> {
    const { world } = this;
    if (world.random() >= SWEEP_CHANCE) return;
    const named = new NamedAttachments(environment.fs, cache, NO_HISTORY);
    const sweep = () => sweepAttachments(environment.fs, () => named.ids(), environment.nowMs());
    await world.besideQuiet(() => world.lockOf(environment)("sweep", sweep));
    this.check();
  }

  /** Promised files are there, in all states of the disk between two operations. */
  check(): void {
    const { disk } = this.world;
    for (const id of this.promised) {
      const text = disk.read(attachmentPath(id), RECORD_BYTES_MAX);
      const isThere = text !== null && idOf(text) === id && disk.read(`${attachmentPath(id)}.json`)?.includes(id);
      if (!isThere) this.world.violate(`a message names the file ${id.slice(0, 8)}, and it is not there`);
    }
  }

  private async upload(text: string, fs: Environment["fs"]): Promise<void> {
    const temporary = fs.temporary();
    const id = idOf(text);
    try {
      await fs.write(temporary, text);
      await nameAttachment(fs, temporary, { id, type: "text/plain", bytes: text.length });
    } finally {
      await fs.unlink(temporary);
    }
    this.uploaded.add(id);
  }
}

/** Is it what a client hears whose file is being removed, or is there no more? */
export function isRefused(error: unknown): boolean {
  return error instanceof UnknownAttachment || error instanceof AttachmentGoing;
}

const textOf = (number: number) => `file ${(number / FILE_EVERY) % FILES}`.repeat(5);
const idOf = (text: string) => createHash("sha256").update(text).digest("hex");
