/** A caller that guesses credentials is slowed down; one with the right credential is not, even from the same address. */

const WRONG_MAX = 10;
const WINDOW_MS = 60_000;
const LOCKED_MS = 300_000;
const ADDRESSES_MAX = 10_000;

/** Counts wrong credentials by remote address. Times are ms of a clock that never jumps. */
export class WrongCredentials {
  private readonly byAddress = new Map<string, { wrongAtMs: number[]; lockedUntilMs: number }>();

  /** How long an address must still wait before a wrong or missing credential is looked at again, in seconds; 0: not at all. */
  waitSec(address: string, nowMs: number): number {
    const lockedUntilMs = this.byAddress.get(address)?.lockedUntilMs ?? 0;
    return Math.max(0, Math.ceil((lockedUntilMs - nowMs) / 1000));
  }

  /** Notes a wrong credential. Returns whether it was the one too many. */
  noteWrong(address: string, nowMs: number): boolean {
    const entry = this.byAddress.get(address) ?? { wrongAtMs: [], lockedUntilMs: 0 };
    entry.wrongAtMs = [...entry.wrongAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    const isTooMany = entry.wrongAtMs.length >= WRONG_MAX;
    if (isTooMany) {
      entry.lockedUntilMs = nowMs + LOCKED_MS;
      entry.wrongAtMs = [];
    }
    // Re-inserting keeps the map in order of last use, so that the oldest address is the one to forget.
    this.byAddress.delete(address);
    this.byAddress.set(address, entry);
    if (this.byAddress.size > ADDRESSES_MAX) this.byAddress.delete(this.byAddress.keys().next().value ?? "");
    return isTooMany;
  }
}
