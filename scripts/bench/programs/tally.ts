/** The tally of a worker: when each run began, and how many have ended. */
import { sharedMs } from "../measure/clock.ts";

export class Tally {
  private readonly began = new Map<string, number>();
  private ended = 0;
  private readonly waiting: { count: number; resolve: () => void }[] = [];

  /** The handler of a job has been called. */
  begin(id: string): void {
    this.began.set(id, sharedMs());
  }

  /** All that there is to do for a job has been done. */
  end(): void {
    this.ended++;
    for (const { count, resolve } of this.waiting) if (this.ended >= count) resolve();
  }

  /** Resolves when so many jobs have ended. */
  whenEnded(count: number): Promise<void> {
    if (this.ended >= count) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ count, resolve }));
  }

  /** When each handler was called, on the clock that processes share, in milliseconds. */
  starts(): Record<string, number> {
    return Object.fromEntries(this.began);
  }
}
