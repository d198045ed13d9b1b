/**
 * Whoever cannot be reached is left alone for a while (SPEC G4): one circuit per provider, in the memory of the pool. It
 * opens at an outage, or after FAILURES_IN_A_ROW_MAX failures in a row; when it has cooled down one run may try, and what
 * comes of that closes it or opens it for twice as long.
 */

/** So many failures in a row, before anything was said, look like an outage. */
export const FAILURES_IN_A_ROW_MAX = 3;

/**
 * What a run says of its provider. `outage`: nobody was there; `failed`: somebody, but nothing came of it; `reached`: it
 * answered, whatever the answer; `unknown`: the run was stopped before it could tell.
 */
export type Verdict = "outage" | "failed" | "reached" | "unknown";

/** `trial`: it has cooled down, and one run may try. */
export type CircuitState = "closed" | "open" | "trial";

/** How long an open circuit cools down, in milliseconds: the first time, and at most. */
export interface CooldownMs {
  first: number;
  max: number;
}

/** Says what came of a run that entered. @param error why it was an outage or failed, for people. */
export type Leave = (verdict: Verdict, nowMs: number, error?: string) => void;

/** The circuit of one provider. Times are milliseconds of a clock that never jumps. */
export class Circuit {
  /** Why it is open, for people; empty while it is closed. */
  error = "";
  private readonly cooldown: () => CooldownMs;
  private failures = 0;
  /** 0: it is closed. */
  private cooldownMs = 0;
  private openUntilMs = 0;
  private isTried = false;

  /** @param cooldown as the settings are now; asked whenever the circuit opens. */
  constructor(cooldown: () => CooldownMs) {
    this.cooldown = cooldown;
  }

  stateAt(nowMs: number): CircuitState {
    if (this.cooldownMs === 0) return "closed";
    return this.isTried || nowMs < this.openUntilMs ? "open" : "trial";
  }

  /** Lets a run in, which must leave again; null while the circuit is open. */
  enter(nowMs: number): Leave | null {
    const state = this.stateAt(nowMs);
    if (state === "open") return null;
    const isTrial = state === "trial";
    if (isTrial) this.isTried = true;
    return (verdict, leftMs, error = "") => {
      if (isTrial) this.isTried = false;
      if (verdict === "reached") this.close();
      else if (verdict !== "unknown") this.noteFailure(verdict, isTrial, leftMs, error);
    };
  }

  private close(): void {
    this.failures = 0;
    this.cooldownMs = 0;
    this.error = "";
  }

  private noteFailure(verdict: "outage" | "failed", isTrial: boolean, nowMs: number, error: string): void {
    // Runs that began together fail together: only the first of them, and then each trial, is news.
    if (this.cooldownMs > 0 && !isTrial) return;
    this.failures++;
    if (!isTrial && verdict === "failed" && this.failures < FAILURES_IN_A_ROW_MAX) return;
    const { first, max } = this.cooldown();
    this.cooldownMs = Math.min(max, this.cooldownMs === 0 ? first : this.cooldownMs * 2);
    this.openUntilMs = nowMs + this.cooldownMs;
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
