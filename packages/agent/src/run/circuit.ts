/**
 * Whoever cannot be reached is left alone for a while (SPEC G4): one circuit per provider, in the memory of the pool. It
 * opens at an outage, or after FAILURES_IN_A_ROW_MAX failures in a row; when it has cooled down one run may try. An answer
 * closes it, without it the circuit opens for twice as long.
 */

/** So many failures in a row, before anything was said, look like an outage. */
export const FAILURES_IN_A_ROW_MAX = 3;

/**
 * What a run says of its provider. `answering`: it has begun to answer, and the run goes on; at its end, `outage`: nobody
 * was there; `failed`: somebody, but nothing came of it; `reached`: it answered, whatever the answer; `unknown`: the run was
 * stopped before it could tell.
 */
export type Verdict = "answering" | "outage" | "failed" | "reached" | "unknown";

/** `trial`: it has cooled down, and one run may try. */
export type CircuitState = "closed" | "open" | "trial";

/** How long an open circuit cools down, in milliseconds: the first time, and at most. */
export interface CooldownMs {
  first: number;
  max: number;
}

/** Says what is known of a run that entered. @param error why it was an outage or failed, for people. */
export type Tell = (verdict: Verdict, nowMs: number, error?: string) => void;

/** The circuit of one provider. Times are milliseconds of a clock that never jumps. */
export class Circuit {
  /** Why it is open, for people; empty while it is closed. */
  error = "";
  private readonly cooldown: () => CooldownMs;
  private failures = 0;
  private isOpen = false;
  /** The last one since somebody was reached; 0 after that. */
  private cooldownMs = 0;
  private openUntilMs = 0;
  private isTried = false;

  /** @param cooldown as the settings are now; asked whenever the circuit opens. */
  constructor(cooldown: () => CooldownMs) {
    this.cooldown = cooldown;
  }

  stateAt(nowMs: number): CircuitState {
    if (!this.isOpen) return "closed";
    return this.isTried || nowMs < this.openUntilMs ? "open" : "trial";
  }

  /** Lets a run in, which must tell how it ended; null while the circuit is open. */
  enter(nowMs: number): Tell | null {
    const state = this.stateAt(nowMs);
    if (state === "open") return null;
    let isTrial = state === "trial";
    if (isTrial) this.isTried = true;
    return (verdict, toldMs, error = "") => {
      if (isTrial) this.isTried = false;
      if (verdict === "reached" || verdict === "answering") this.close(verdict);
      else if (verdict !== "unknown") this.noteFailure(verdict, isTrial, toldMs, error);
      // The trial is over with its first word; what the run comes to later, it comes to as any other.
      isTrial = false;
    };
  }

  private close(verdict: "reached" | "answering"): void {
    this.isOpen = false;
    this.error = "";
    if (verdict === "answering") return;
    this.failures = 0;
    this.cooldownMs = 0;
  }

  private noteFailure(verdict: "outage" | "failed", isTrial: boolean, nowMs: number, error: string): void {
    // Runs that began together fail together: only the first of them, and then each trial, is news.
    if (this.isOpen && !isTrial) return;
    this.failures++;
    if (!isTrial && verdict === "failed" && this.failures < FAILURES_IN_A_ROW_MAX) return;
    const { first, max } = this.cooldown();
    this.cooldownMs = Math.min(max, this.cooldownMs === 0 ? first : this.cooldownMs * 2);
    this.openUntilMs = nowMs + this.cooldownMs;
    this.isOpen = true;
    this.error = error;
  }
}

/** The circuits of all providers, by name. One that nobody has asked for yet is closed. */
export class Circuits {
  private readonly cooldown: () => CooldownMs;
  private readonly byName = new Map<string, Circuit>();

  /** @param cooldown as the settings are now. */
  constructor(cooldown: () => CooldownMs) {
    this.cooldown = cooldown;
  }

  of(name: string): Circuit {
    const circuit = this.byName.get(name) ?? new Circuit(this.cooldown);
    this.byName.set(name, circuit);
    return circuit;
  }

  /** Forgets everything: new settings may have cured it. Runs that are under way leave circuits that nobody asks any more. */
  reset(): void {
    this.byName.clear();
  }
}
