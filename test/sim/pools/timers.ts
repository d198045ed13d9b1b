/** Timers of one process on the simulated clock: they end with it, and stand still while it is paused. */
import type { Environment, World } from "../world.ts";

interface Timer {
  everyMs: number;
  dueMs: number;
  work(): void;
}

export class Timers {
  private readonly world: World;
  private readonly all = new Set<Timer>();

  constructor({ world, rest }: Environment) {
    this.world = world;
    void (async () => {
      for (;;) {
        await rest();
        this.fire();
      }
    })();
  }

  every(everyMs: number, work: () => void): () => void {
    const timer: Timer = { everyMs, dueMs: this.world.uptimeMs + everyMs, work };
    this.all.add(timer);
    return () => {
      this.all.delete(timer);
    };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = this.every(ms, () => {
        end();
        resolve();
      });
    });
  }

  /** Does what is due. */
  private fire(): void {
    for (const timer of [...this.all]) {
      if (timer.dueMs > this.world.uptimeMs || !this.all.has(timer)) continue;
      timer.dueMs = this.world.uptimeMs + timer.everyMs;
      timer.work();
    }
  }
}
