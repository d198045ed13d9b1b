/**
 * Circuit breaker (SPEC G4): one per provider, in the memory of the pool; it stops calls to a provider that cannot be
 * reached until its cooldown ends. It opens at an outage, or after FAILURES_IN_A_ROW_MAX failures in a row; when it has
 * cooled down one run may try. An answer closes it, without it the circuit opens for twice as long. A rate limit is a
 * matter of one model: it has a circuit of its own, which opens for as long as the provider says.
 */

import type { ProviderProblem } from "@mimikit/protocol/base/cause";

/** So many failures in a row, before anything was said, look like an outage. */
export const FAILURES_IN_A_ROW_MAX = 3;

/**
 * A run's verdict on its provider. `answering`: it has begun to answer, and the run goes on; at its end, `outage`: there
 * was no connection; `limited`: it answers later by itself; `failed`: there was a connection, but no result; `reached`: it
 * answered, whatever the answer; `unknown`: the run was stopped before it could tell.
 */
export type ProviderVerdict = "answering" | "outage" | "limited" | "failed" | "reached" | "unknown";

/** `trial`: it has cooled down, and one run may try. */
export type CircuitState = "closed" | "open" | "trial";

/** How long an open circuit cools down, in milliseconds: the first time, and at most. */
export interface CooldownMs {
  first: number;
  max: number;
}

/** Says what is known of a run that entered. @param trouble why it was an outage or failed. */
export type Tell = (verdict: ProviderVerdict, nowMs: number, trouble?: Trouble) => void;

/** Why a provider did not answer: for people, and the cause as far as it is known. */
export interface Trouble {
  error: string;
  problem?: ProviderProblem;
  /** How long the provider asks to be left alone, in milliseconds. */
  retryAfterMs?: number;
}

const NO_TROUBLE: Trouble = { error: "" };

/** The circuit of one provider, or of one of its models. Times are milliseconds of a clock that never jumps. */
export class Circuit {
  /** Why it is open; empty while it is closed. */
  trouble: Trouble = NO_TROUBLE;
  private readonly cooldown: () => CooldownMs;
  private readonly onChange: () => void;
  private failures = 0;
  private isOpen = false;
  /** The last one since a provider was reached; 0 after that. */
  private cooldownMs = 0;
  private openUntilMs = 0;
  /** The same on the wall clock, where the provider named a moment: a machine that sleeps does not wait longer. */
  private untilWallMs = Number.POSITIVE_INFINITY;
  private isTried = false;
  private readonly wallMs: () => number;

  /**
   * @param cooldown as the settings are now; asked whenever the circuit opens.
   * @param onChange hears that it has opened, for the first time or for longer, or closed.
   */
  constructor(cooldown: () => CooldownMs, onChange = () => {}, wallMs = () => Date.now()) {
    this.cooldown = cooldown;
    this.onChange = onChange;
    this.wallMs = wallMs;
  }

  /** Milliseconds until it is tried again, 0 where that may be now; null while it is closed. */
  remainingMs(nowMs: number): number | null {
    if (!this.isOpen) return null;
    return Math.max(0, Math.min(this.openUntilMs - nowMs, this.untilWallMs - this.wallMs()));
  }

  stateAt(nowMs: number): CircuitState {
    const remainingMs = this.remainingMs(nowMs);
    if (remainingMs === null) return "closed";
    return this.isTried || remainingMs > 0 ? "open" : "trial";
  }

  /** Lets a run in, which must tell how it ended; null while the circuit is open. */
  enter(nowMs: number): Tell | null {
    const state = this.stateAt(nowMs);
    if (state === "open") return null;
    let isTrial = state === "trial";
    if (isTrial) this.isTried = true;
    return (verdict, toldMs, trouble = NO_TROUBLE) => {
      if (isTrial) this.isTried = false;
      if (verdict === "reached" || verdict === "answering") this.close(verdict);
      else if (verdict !== "unknown") this.noteFailure(verdict, isTrial, toldMs, trouble);
      // The trial is over with its first word; what the run comes to later, it comes to as any other.
      isTrial = false;
    };
  }

  private close(verdict: "reached" | "answering"): void {
    const wasOpen = this.isOpen;
    this.isOpen = false;
    this.trouble = NO_TROUBLE;
    if (wasOpen) this.onChange();
    if (verdict === "answering") return;
    this.failures = 0;
    this.cooldownMs = 0;
  }

  private noteFailure(
    verdict: "outage" | "limited" | "failed",
    isTrial: boolean,
    nowMs: number,
    trouble: Trouble,
  ): void {
    // Runs that began together fail together: only the first of them, and then each trial, is news.
    if (this.isOpen && !isTrial) return;
    this.failures++;
    if (!isTrial && verdict === "failed" && this.failures < FAILURES_IN_A_ROW_MAX) return;
    const { first, max } = this.cooldown();
    const { retryAfterMs } = trouble;
    if (retryAfterMs === undefined)
      this.cooldownMs = Math.min(max, this.cooldownMs === 0 ? first : this.cooldownMs * 2);
    const waitMs = retryAfterMs ?? this.cooldownMs;
    this.openUntilMs = nowMs + waitMs;
    this.untilWallMs = retryAfterMs === undefined ? Number.POSITIVE_INFINITY : this.wallMs() + retryAfterMs;
    this.isOpen = true;
    this.trouble = trouble;
    this.onChange();
  }
}

/** A provider that is asked, and its model where that is known. */
export interface Asked {
  name: string;
  model?: string | undefined;
}

const limitKey = ({ name, model = "" }: Asked) => `${name} ${model}`;

/** An open circuit, as it is shown. */
export interface Open {
  provider: string;
  reason: string;
  remainingMs: number;
}

/** The circuits of all providers and their models. One that was not asked for yet is closed. */
export class Circuits {
  private readonly cooldown: () => CooldownMs;
  private readonly onChange: () => void;
  private readonly byName = new Map<string, Circuit>();
  private readonly limits = new Map<string, { provider: string; circuit: Circuit }>();

  /** @param cooldown as the settings are now. @param onChange hears that one has opened or closed. */
  constructor(cooldown: () => CooldownMs, onChange = () => {}) {
    this.cooldown = cooldown;
    this.onChange = onChange;
  }

  /** Those that are open, by the names of their providers. */
  open(nowMs: number): Open[] {
    const byProvider = [...this.byName].map(([provider, circuit]) => ({ provider, circuit }));
    return [...byProvider, ...this.limits.values()].flatMap(({ provider, circuit }) => {
      const remainingMs = circuit.remainingMs(nowMs);
      return remainingMs === null ? [] : [{ provider, reason: circuit.trouble.error, remainingMs }];
    });
  }

  /** The circuit of a provider, whatever its model. */
  of(name: string): Circuit {
    const circuit = this.byName.get(name) ?? new Circuit(this.cooldown, this.onChange);
    this.byName.set(name, circuit);
    return circuit;
  }

  /** The rate limit of a model. */
  limitOf(asked: Asked): Circuit {
    const { name } = asked;
    const key = limitKey(asked);
    const known = this.limits.get(key);
    if (known !== undefined) return known.circuit;
    const circuit = new Circuit(this.cooldown, this.onChange);
    this.limits.set(key, { provider: name, circuit });
    return circuit;
  }

  /** The stricter of the two circuits. */
  stateAt(asked: Asked, nowMs: number): CircuitState {
    const states = [this.of(asked.name), this.limitOf(asked)].map((circuit) => circuit.stateAt(nowMs));
    return states.find((state) => state === "open") ?? states.find((state) => state === "trial") ?? "closed";
  }

  /** The names of its circuits that one run alone may try now. */
  trialsOf(asked: Asked, nowMs: number): string[] {
    const isTrial = (circuit: Circuit) => circuit.stateAt(nowMs) === "trial";
    return [
      ...(isTrial(this.of(asked.name)) ? [asked.name] : []),
      ...(isTrial(this.limitOf(asked)) ? [limitKey(asked)] : []),
    ];
  }

  /** Why it is not asked; empty while it may be. */
  troubleOf(asked: Asked, nowMs: number): Trouble {
    const limit = this.limitOf(asked);
    return limit.stateAt(nowMs) === "open" ? limit.trouble : this.of(asked.name).trouble;
  }

  /** Lets a run in, which must tell how it ended; null while a circuit is open. */
  enter(asked: Asked, nowMs: number): Tell | null {
    if (this.stateAt(asked, nowMs) === "open") return null;
    const ofProvider = this.of(asked.name).enter(nowMs);
    const ofModel = this.limitOf(asked).enter(nowMs);
    return (verdict, toldMs, trouble) => {
      ofProvider?.(verdict === "limited" ? "reached" : verdict, toldMs, trouble);
      ofModel?.(verdict === "outage" || verdict === "failed" ? "unknown" : verdict, toldMs, trouble);
    };
  }

  /** Forgets everything: new settings may have cured it. Runs that are under way leave circuits that are not asked any more. */
  reset(): void {
    const isOneOpen = this.open(0).length > 0;
    this.byName.clear();
    this.limits.clear();
    if (isOneOpen) this.onChange();
  }
}
