/**
 * The browsers that are notified by Web Push: a file for each, named by its session. A subscription lives no longer than that
 * session: without it, the file says nothing and is removed.
 */

import { Id } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import { PushAddress, PushLanguage } from "@mimikit/protocol/wire/push";
import type { Log } from "@mimikit/runtime/audit/log";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { readRecord } from "@mimikit/store/disk/record";
import { PUSH, PUSH_KEYS_PATH, subscriptionPath } from "@mimikit/store/disk/state";
import { z } from "zod";
import { PUSH_ITEMS_MAX } from "./items.ts";

/** How many ids are remembered: twice as many as could be due. */
const SENT_MAX = 2 * PUSH_ITEMS_MAX;

const Subscription = z.object({
  address: PushAddress,
  language: PushLanguage,
  /** The page's own address. */
  origin: z.string(),
  at: z.iso.datetime(),
  /** The ids of what its push service has taken, and of what was there when it subscribed; the newest last. */
  sent: z.array(Id),
  /** The HTTP status with which its push service refuses what we send. */
  refused: z.number().optional(),
});
export type Subscription = z.infer<typeof Subscription>;

export class Subscriptions {
  private readonly fs: FileSystem;
  private readonly all = new Map<string, Subscription>();
  private last: Promise<void> = Promise.resolve();

  private constructor(fs: FileSystem) {
    this.fs = fs;
  }

  /** Reads them all. A file that is none stays where it is, and notifies no browser. */
  static async open(fs: FileSystem, log: Log): Promise<Subscriptions> {
    const subscriptions = new Subscriptions(fs);
    for (const name of await fs.list(PUSH)) {
      const device = name.replace(/\.json$/, "");
      const path = subscriptionPath(device);
      if (path === PUSH_KEYS_PATH) continue;
      try {
        const subscription = await readRecord(fs, Subscription, path);
        if (subscription !== null) subscriptions.all.set(device, subscription);
      } catch (error) {
        if (!(error instanceof BadJson)) throw error;
        log.warn("a subscription cannot be read", { path, reason: error.message });
      }
    }
    return subscriptions;
  }

  /** The sessions of all that are notified. */
  get devices(): readonly string[] {
    return [...this.all.keys()];
  }

  get(device: string): Subscription | undefined {
    return this.all.get(device);
  }

  /** Notifies this browser from now on, durably; in place of what was there before. */
  async put(device: string, subscription: Subscription): Promise<void> {
    const before = this.all.get(device);
    try {
      await this.change(device, subscription);
    } catch (error) {
      if (before === undefined) this.all.delete(device);
      throw error;
    }
  }

  /** Notes durably that its push service has taken something. In memory it counts even where the disk refuses. */
  async noteSent(device: string, itemId: string): Promise<void> {
    const subscription = this.all.get(device);
    if (subscription === undefined) return;
    const { refused: _over, ...accepted } = subscription;
    await this.change(device, { ...accepted, sent: [...accepted.sent, itemId].slice(-SENT_MAX) });
  }

  /** Notes that its push service refuses what it is sent. @returns false where that was known. */
  async noteRefused(device: string, status: number): Promise<boolean> {
    const subscription = this.all.get(device);
    if (subscription === undefined || subscription.refused === status) return false;
    await this.change(device, { ...subscription, refused: status });
    return true;
  }

  /** Notifies this browser no more. @returns false where it was not notified. */
  async remove(device: string): Promise<boolean> {
    const wasThere = this.all.delete(device);
    await this.inOrder(async () => {
      await this.fs.unlink(subscriptionPath(device));
      await this.fs.syncDir(PUSH);
    });
    return wasThere;
  }

  private async change(device: string, subscription: Subscription): Promise<void> {
    this.all.set(device, subscription);
    await this.inOrder(() => this.write(device));
  }

  /** Writes what counts now. */
  private async write(device: string): Promise<void> {
    const subscription = this.all.get(device);
    if (subscription === undefined) return;
    const temporary = this.fs.temporary();
    await this.fs.write(temporary, `${JSON.stringify(subscription)}\n`);
    await this.fs.rename(temporary, subscriptionPath(device));
    await this.fs.syncDir(PUSH);
  }

  /** One change of the disk after the other: the last one stays. */
  private inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
