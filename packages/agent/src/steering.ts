/**
 * What the user says to a run while it runs (SPEC I5). The pool offers, the provider takes at its next boundary; what is
 * never taken becomes an ordinary message when the task has ended.
 */
import { STEERS_MAX } from "@mimikit/protocol/result";
import type { Steer } from "@mimikit/protocol/signal";

export class Steering {
  private readonly known = new Set<string>();
  private readonly heard: Steer[] = [];
  private waiting: Steer[] = [];
  private arrival = Promise.withResolvers<void>();

  /** Offering twice is offering once. Beyond STEERS_MAX nothing is offered: the user hears of it as a message's answer. */
  offer(steer: Steer): void {
    if (this.known.has(steer.id) || this.known.size >= STEERS_MAX) return;
    this.known.add(steer.id);
    this.waiting.push(steer);
    this.arrival.resolve();
  }

  /** What has come since the last time, oldest first. The run answers for it from now on. */
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
    this.waiting = this.waiting.filter((steer) => !ids.has(steer.id));
    for (const steer of steers) {
      if (this.heard.some((each) => each.id === steer.id)) continue;
      this.known.add(steer.id);
      this.heard.push(steer);
    }
    if (this.waiting.length === 0) this.arrival = Promise.withResolvers<void>();
  }

  /** Everything that was taken, in its order. */
  get taken(): readonly Steer[] {
    return this.heard;
  }

  /** Resolves when there is something to take. */
  arrived(): Promise<void> {
    return this.waiting.length > 0 ? Promise.resolve() : this.arrival.promise;
  }
}
