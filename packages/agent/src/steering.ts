/**
 * Steering messages to a running task (SPEC I5). The pool offers, the provider takes at its next boundary; what is never
 * taken becomes an ordinary message when the task has ended.
 */

import type { Steer } from "@mimikit/protocol/base/signal";
import { hasRoomFor } from "@mimikit/protocol/records/result";

export class Steering {
  private readonly known = new Set<string>();
  private readonly heard: Steer[] = [];
  private waiting: Steer[] = [];
  private arrival = Promise.withResolvers<void>();

  /** Offering twice is offering once. A message that the run has no room for is not offered: it becomes an ordinary message. */
  offer(steer: Steer): void {
    if (this.known.has(steer.id)) return;
    this.known.add(steer.id);
    this.lineUp(steer);
  }

  /** The messages since the last call, oldest first. The run answers for it from now on. */
  take(): Steer[] {
    const taken = this.waiting;
    this.waiting = [];
    this.heard.push(...taken);
    this.arrival = Promise.withResolvers<void>();
    return taken;
  }

  /** An earlier attempt, whose session goes on, has heard these already. */
  recall(steers: readonly Steer[]): void {
    const ids = new Set(steers.map((steer) => steer.id));
    for (const steer of steers) {
      if (this.heard.some((each) => each.id === steer.id)) continue;
      this.known.add(steer.id);
      this.heard.push(steer);
    }
    const waiting = this.waiting.filter((steer) => !ids.has(steer.id));
    this.waiting = [];
    this.arrival = Promise.withResolvers<void>();
    // Read messages have taken room from those that wait.
    for (const steer of waiting) this.lineUp(steer);
  }

  /** Everything that was taken, in its order. */
  get taken(): readonly Steer[] {
    return this.heard;
  }

  /** Resolves when there is something to take. */
  arrived(): Promise<void> {
    return this.arrival.promise;
  }

  /** Puts it where it is taken from, as far as the result will have room for it. */
  private lineUp(steer: Steer): void {
    if (!hasRoomFor(steer, [...this.heard, ...this.waiting])) return;
    this.waiting.push(steer);
    this.arrival.resolve();
  }
}
