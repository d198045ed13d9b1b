/** One tick: look, decide, do. Whatever was cut off in the last one is simply found undone (ARCHITECTURE 1). */
import { decide } from "@mimikit/core/decide";
import type { Identity } from "@mimikit/protocol/claim";
import { Mirror } from "@mimikit/store/mirror";
import { execute, type Hands } from "./execute.ts";
import { observe } from "./observe.ts";

export interface SupervisorOptions extends Omit<Hands, "ledger"> {
  isAlive(owner: Identity): boolean;
  /** Every so often, in milliseconds, all directories are read again whatever they look like. */
  rereadMs: number;
}

export class Supervisor {
  readonly mirror: Mirror;
  private readonly options: SupervisorOptions;
  private readonly hands: Hands;
  private lastRereadMs: number | undefined;

  constructor(options: SupervisorOptions) {
    const { fs, token, audit } = options;
    this.options = options;
    this.mirror = new Mirror(fs, {
      token,
      durable: true,
      onBadArchive: (path, reason) => audit({ event: "archive_damaged", detail: { path, reason } }),
    });
    this.hands = { ...options, ledger: this.mirror.ledger };
  }

  /** Reads every name in the archive; once, before the first tick. */
  load(): Promise<void> {
    return this.mirror.ledger.load();
  }

  /**
   * Does everything that can be done now.
   * @returns how many actions there were; after any, another look is worth while.
   */
  async tick(): Promise<number> {
    const nowMs = this.options.nowMs();
    const isFull = this.isRereadDue(nowMs);
    await this.mirror.refresh(nowMs, isFull);
    if (isFull) this.lastRereadMs = nowMs;
    const actions = decide(await observe(this.mirror, this.options.isAlive), nowMs);
    const errors: unknown[] = [];
    for (const action of actions) await execute(action, this.hands).catch((error: unknown) => errors.push(error));
    // One action that cannot be done now must not hold up the others; the next tick tries it again.
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, `${errors.length} actions failed`);
    return actions.length;
  }

  /** A clock that was set back must not put off the safety net. */
  private isRereadDue(nowMs: number): boolean {
    return this.lastRereadMs === undefined || Math.abs(nowMs - this.lastRereadMs) >= this.options.rereadMs;
  }
}
