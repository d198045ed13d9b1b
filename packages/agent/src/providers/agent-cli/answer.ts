/** Collects the output of one process of a CLI, and decides whether it is an answer. */
import type { AgentCli, AnsweredCall, CliEvent, CliFailure } from "./agent-cli.ts";
import type { CliEnd } from "./run-cli.ts";
import type { ProcessWatch } from "./watch.ts";

const TROUBLES_MAX = 32;
/** Calls of role tools that one process may make; a model that makes more goes in circles. */
const CALLS_MAX = 100;

export class CliAnswer {
  /** The last text: what counts. */
  text = "";
  readonly calls: AnsweredCall[] = [];
  /** Why this is not the answer to our question at all; null while it may be. */
  problem: CliFailure | null = null;
  /** Why there is no answer; null where there is one, or where the user had something to say first. */
  failure: CliFailure | null = null;
  /** It has said that this is all. */
  isCompleted = false;
  /** The user has said something, so the CLI was stopped. */
  isInterrupted = false;
  private readonly expectedThread: string | null;
  private thread: string | null = null;
  private callsBegun = 0;
  private readonly open = new Map<string, { step: string; isCall: boolean }>();
  private readonly troubles: string[] = [];

  constructor(expectedThread: string | null) {
    this.expectedThread = expectedThread;
  }

  add(event: CliEvent): void {
    switch (event.type) {
      case "thread":
        if (event.id !== (this.thread ?? this.expectedThread ?? event.id))
          this.problem = { error: "the output is that of another thread", cause: "program", retryable: true };
        this.thread = event.id;
        return;
      case "began":
        this.open.set(event.item, event);
        if (event.isCall && ++this.callsBegun > CALLS_MAX)
          this.problem = { error: `its model has called more than ${CALLS_MAX} tools in one go`, retryable: false };
        return;
      case "ended":
        this.open.delete(event.item);
        return;
      case "said":
        this.text = event.text.trim();
        return;
      case "called":
        this.calls.push(event.call);
        return;
      case "trouble":
        this.troubles.push(event.message);
        if (this.troubles.length > TROUBLES_MAX) this.troubles.shift();
        return;
      case "broken":
        this.problem = { error: event.message, retryable: true };
        return;
      case "completed":
        this.isCompleted = true;
        return;
    }
  }

  /** Something is in progress, so silence is no fault. */
  get isBusy(): boolean {
    return this.open.size > 0;
  }

  /** A role tool is in progress. */
  get isCalling(): boolean {
    return [...this.open.values()].some(({ isCall }) => isCall);
  }

  /** Nothing more comes. */
  end(end: CliEnd, watch: ProcessWatch, cli: AgentCli): void {
    if (this.problem !== null) return;
    if (this.isCompleted && end.exitCode === 0) {
      if (this.thread === null)
        this.problem = { error: "it did not say which thread its output belongs to", retryable: true };
      // A line that cannot be read may have been a call, or the thread's name.
      else if (end.unreadable > 0)
        this.problem = { error: `${end.unreadable} lines of its output cannot be read`, retryable: true };
      return;
    }
    this.isInterrupted = watch.isSteered;
    if (this.isInterrupted) return;
    const what = this.isCompleted ? "has answered but did not end" : `was silent for ${cli.idleMs / 1_000} s`;
    if (watch.isIdle) this.failure = { error: `${cli.name} ${what}`, cause: "busy", retryable: true };
    else this.failure = cli.explain({ ...end, troubles: this.troubles });
  }

  /** Describes the work in progress when it was stopped, below `heading`; empty if there was none. */
  describeOpen(heading: string): string {
    const steps = [...this.open.values()].flatMap(({ step }) => (step === "" ? [] : [step]));
    return steps.length === 0 ? "" : `${heading}\n${steps.map((step) => `- ${step}`).join("\n")}`;
  }
}
