/**
 * Sends what is due. Nothing is queued: what is due follows from the last look and from what was noted as sent, so that a kill at any
 * instant loses nothing. A push that was taken and not yet noted is sent again, under the same id. Each device has a lane of its
 * own: one that cannot be reached holds up no other.
 */

import type { PushBody } from "@mimikit/protocol/wire/push";
import type { Log } from "@mimikit/runtime/audit/log";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import type { Sessions } from "../auth/sessions.ts";
import type { StateView } from "../state/view.ts";
import { deliver, isUsable, type PushOutcome } from "./deliver.ts";
import { itemsOf, nextItem } from "./items.ts";
import { isProof, openKeys, type PushKeys, proofOf } from "./keys.ts";
import { messageOf, testMessage } from "./payload.ts";
import { type Subscription, Subscriptions } from "./subscriptions.ts";

/** Pushes that are under way at one time. */
const SENDS_MAX = 4;
/** The first pause before another try, and the longest, in ms. */
const RETRY_MS_MIN = 5_000;
const RETRY_MS_MAX = 900_000;
/** A push that is under way when the gateway stops gets this long, in ms: else it would be sent again. */
const CLOSE_MS_MAX = 1_000;

export interface SenderParts {
  fs: FileSystem;
  sessions: Pick<Sessions, "isSignedIn">;
  log: Log;
}

/** The sending to one device. */
interface Lane {
  isBusy: boolean;
  failures: number;
  retry: NodeJS.Timeout | undefined;
}

export class PushSender {
  private readonly parts: SenderParts;
  private readonly keys: PushKeys;
  private readonly subscriptions: Subscriptions;
  private readonly lanes = new Map<string, Lane>();
  private readonly ending = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly waiting: (() => void)[] = [];
  private free = SENDS_MAX;
  private state: StateView | undefined;

  private constructor(parts: SenderParts, keys: PushKeys, subscriptions: Subscriptions) {
    this.parts = parts;
    this.keys = keys;
    this.subscriptions = subscriptions;
  }

  /** Makes the keys where there are none, and reads who is subscribed. A session that is over takes its subscription along. */
  static async open(parts: SenderParts): Promise<PushSender> {
    const keys = await openKeys(parts.fs);
    const sender = new PushSender(parts, keys, await Subscriptions.open(parts.fs, parts.log));
    for (const device of sender.subscriptions.devices)
      if (!(await parts.sessions.isSignedIn(device, Date.now()))) await sender.remove(device, "signed out");
    return sender;
  }

  /** With what browsers subscribe. */
  get publicKey(): string {
    return this.keys.publicKey;
  }

  /** Sends what is new in it. */
  note(state: StateView): void {
    if (this.state === state) return;
    this.state = state;
    for (const device of this.subscriptions.devices) this.begin(device);
  }

  /** With which status a device's push service refuses what it is sent; null where it takes it; undefined where it is not notified. */
  refusedOf(device: string): number | null | undefined {
    const subscription = this.subscriptions.get(device);
    return subscription && (subscription.refused ?? null);
  }

  /**
   * Notifies a browser from now on; what is there already is no news to it. The same address again changes nothing but the language.
   * @returns false for a key that nothing can be encrypted with.
   */
  async subscribe(
    device: string,
    { subscription: address, language }: PushBody,
    origin: string,
    state: StateView,
  ): Promise<boolean> {
    if (!isUsable(address)) return false;
    const before = this.subscriptions.get(device);
    const isKnown = before !== undefined && before.address.endpoint === address.endpoint;
    const sent = before?.sent ?? itemsOf(state, Date.now()).map(({ id }) => id);
    const at = isKnown ? before.at : new Date().toISOString();
    await this.subscriptions.put(device, { address, language, origin, at, sent });
    if (isKnown) return true;
    this.parts.log.audit({ event: "push_subscribed", detail: { device } });
    this.wake(device);
    this.begin(device);
    return true;
  }

  /** Notifies it no more. @returns false where it was not notified. */
  async unsubscribe(device: string): Promise<boolean> {
    return this.remove(device, "unsubscribed");
  }

  /** Sends something harmless. @returns what came of it; null where the device is not notified. */
  async test(device: string): Promise<PushOutcome | null> {
    const subscription = this.subscriptions.get(device);
    if (subscription === undefined) return null;
    const delivery = await this.inTurn(() =>
      deliver(subscription, this.keys, testMessage(subscription.language), this.ending.signal),
    );
    if (delivery.outcome === "gone") await this.remove(device, `HTTP ${delivery.status}`);
    return delivery;
  }

  /** May this device answer this question by that proof? */
  mayAnswer(device: string, questionId: string, proof: string): boolean {
    return isProof(this.keys, device, questionId, proof);
  }

  /** Sends nothing more, and waits for what is under way. */
  async close(): Promise<void> {
    for (const { retry } of this.lanes.values()) clearTimeout(retry);
    const cutOff = setTimeout(() => this.ending.abort(), CLOSE_MS_MAX);
    this.state = undefined;
    await Promise.all(this.running);
    clearTimeout(cutOff);
  }

  /** Does what is due on the lane of a device, unless that is being done, or it rests after a failure. */
  private begin(device: string): void {
    const lane = this.lanes.get(device) ?? { isBusy: false, failures: 0, retry: undefined };
    this.lanes.set(device, lane);
    if (lane.isBusy || lane.retry !== undefined || this.ending.signal.aborted) return;
    lane.isBusy = true;
    const run = this.drain(device, lane)
      .catch((error: unknown) => {
        this.parts.log.error("a push could not be sent", { device, error });
        this.rest(device, lane, undefined);
      })
      .finally(() => {
        this.running.delete(run);
      });
    this.running.add(run);
  }

  /** Sends one after the other, until nothing is due or it has to wait. */
  private async drain(device: string, lane: Lane): Promise<void> {
    for (;;) {
      const subscription = this.subscriptions.get(device);
      const item = this.state && subscription && nextItem(itemsOf(this.state, Date.now()), subscription.sent);
      if (item === undefined || subscription === undefined) {
        // Nothing waits between this look and the end, so a later look starts over.
        lane.isBusy = false;
        return;
      }
      if (!(await this.parts.sessions.isSignedIn(device, Date.now()))) {
        await this.remove(device, "signed out");
        continue;
      }
      const proof = (questionId: string) => proofOf(this.keys, device, questionId);
      const message = messageOf(item, subscription.language, proof, Date.now());
      const delivery = await this.inTurn(() => deliver(subscription, this.keys, message, this.ending.signal));
      if (!(await this.conclude(device, lane, item.id, subscription, delivery))) return;
    }
  }

  /** Notes what came of a push. @returns whether the next may follow at once. */
  private async conclude(
    device: string,
    lane: Lane,
    itemId: string,
    { address }: Subscription,
    delivery: PushOutcome,
  ): Promise<boolean> {
    const { log } = this.parts;
    // Meanwhile the browser may have subscribed again: what an old address says is nothing to the new one.
    const isCurrent = this.subscriptions.get(device)?.address.endpoint === address.endpoint;
    switch (delivery.outcome) {
      case "taken":
        lane.failures = 0;
        await this.subscriptions.noteSent(device, itemId);
        return true;
      case "gone":
        if (isCurrent) await this.remove(device, `HTTP ${delivery.status}`);
        return true;
      case "unacceptable":
        log.audit({ event: "push_not_taken", detail: { device, id: itemId, status: delivery.status } });
        await this.subscriptions.noteSent(device, itemId);
        return true;
      case "refused":
        if (isCurrent && (await this.subscriptions.noteRefused(device, delivery.status)))
          log.audit({ event: "push_refused", detail: { device, status: delivery.status } });
        this.rest(device, lane, RETRY_MS_MAX);
        return false;
      case "unreachable":
        if (lane.failures === 0) log.warn("a push service could not be reached", { device, reason: delivery.reason });
        this.rest(device, lane, delivery.afterMs);
        return false;
    }
  }

  /** Leaves a lane alone for a while: as long as it was asked to, or longer with each failure. */
  private rest(device: string, lane: Lane, afterMs: number | undefined): void {
    lane.isBusy = false;
    if (this.ending.signal.aborted || this.state === undefined) return;
    const ms = afterMs ?? Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** lane.failures);
    lane.failures++;
    lane.retry = setTimeout(() => {
      lane.retry = undefined;
      this.begin(device);
    }, ms).unref();
  }

  /** Ends the rest of a lane: what it rested for is over. */
  private wake(device: string): void {
    const lane = this.lanes.get(device);
    if (lane === undefined) return;
    clearTimeout(lane.retry);
    lane.retry = undefined;
    lane.failures = 0;
  }

  private async remove(device: string, reason: string): Promise<boolean> {
    const wasThere = await this.subscriptions.remove(device);
    this.wake(device);
    if (wasThere) this.parts.log.audit({ event: "push_removed", detail: { device, reason } });
    return wasThere;
  }

  /** SENDS_MAX at a time, in the order in which they came. */
  private async inTurn<T>(send: () => Promise<T>): Promise<T> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free--;
    try {
      return await send();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
