/** Ends a process that the run ends, that is silent for too long, that should hear the user, or that is of no use. */
import type { Steering } from "../../steering.ts";
import type { CliAnswer } from "./answer.ts";

/** How long a CLI that has said all may take to end. */
const END_MS = 5_000;

export class ProcessWatch {
  /** Aborts when the process must end. */
  readonly stop: AbortSignal;
  isIdle = false;
  isSteered = false;
  private readonly idleMs: number;
  private readonly answer: CliAnswer;
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private hasSteer = false;
  private isOver = false;

  constructor(answer: CliAnswer, idleMs: number, signal: AbortSignal, steering: Steering) {
    this.answer = answer;
    this.idleMs = idleMs;
    this.stop = AbortSignal.any([signal, this.ending.signal]);
    this.look();
    void steering.arrived().then(() => {
      this.hasSteer = true;
      this.steer();
    });
  }

  /** The CLI has said something, so the time of silence starts over. */
  look(): void {
    clearTimeout(this.timer);
    if (this.isOver) return;
    if (this.answer.problem !== null) this.ending.abort();
    else if (this.answer.isCompleted) this.timer = setTimeout(() => this.giveUp(), END_MS);
    else if (!this.answer.isBusy) this.timer = setTimeout(() => this.giveUp(), this.idleMs);
    this.steer();
  }

  /** The process has ended. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private giveUp(): void {
    this.isIdle = true;
    this.ending.abort();
  }

  /** A call of a role tool takes no time and must be told whole: the model believes in it as soon as it is answered. */
  private steer(): void {
    if (!this.hasSteer || this.isOver || this.answer.isCalling || this.ending.signal.aborted) return;
    this.isSteered = true;
    this.ending.abort();
  }
}
