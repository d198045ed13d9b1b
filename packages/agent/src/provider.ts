/**
 * A provider: the offline engine, a model endpoint, an agent CLI. `run` never throws: a failure is its last event. Tools
 * are called through `run.bus`, the only place where a role can do anything.
 */

import type { PlanLimit } from "@mimikit/core/views/notices";
import type { Cause } from "@mimikit/protocol/base/cause";
import { FailureReason } from "@mimikit/protocol/base/failure";
import type { Role } from "@mimikit/protocol/base/role";
import type { Usage } from "@mimikit/protocol/base/usage";
import type { ResultType } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import type { TranscriptEntry } from "@mimikit/protocol/wire/transcript";
import type { Config } from "@mimikit/runtime/config/config";
import type { Effort } from "@mimikit/runtime/config/schema";
import type { Gate } from "./approval/gate.ts";
import type { ToolBus, ToolCallRecord } from "./bus.ts";
import type { Steering } from "./steering.ts";
import type { Context } from "./tools/context.ts";
import type { External } from "./tools/external.ts";
import type { Web } from "./web/web.ts";

/** One run of one attempt of a task. */
export interface Run {
  task: Task;
  /** 1 for the first attempt. */
  attempt: number;
  context: Context;
  bus: ToolBus;
  /** Tools that are not ours; none where not given. They are on `bus`. */
  external?: External;
  /** The part of the web that its own tools may load; nothing if not given. */
  web?: Web;
  /** The gate that asks the owner; without one, nothing asks. */
  gate?: Gate;
  /** Hears of calls that do not go through `bus`: those of a Worker's own tools. */
  onToolCall: (call: ToolCallRecord) => void;
  /** Tells people who look at the task about words and calls; the copy that is kept is lossy. */
  tell: (told: TranscriptEntry) => void;
  /** Steering messages: look at them whenever a tool has run, and before the end. */
  steering: Steering;
  /** The workspace: where commands run. */
  workDir: string;
  /** The state directory, where a Worker's tools may not reach. */
  home: string;
  /** Whether a Worker's shell is kept from the state directory by a sandbox. */
  sandbox: SandboxMode;
  /** Paths that a Worker may read and not change, beside the state directory: the user's own tree, if the workspace is a copy of it. */
  protect?: readonly string[];
  /** This attempt's own folder for scratch files and artifacts; exists. */
  runDir: string;
  /** Marks every child process of this attempt (docs/file-protocol.md R6): pass it on in the child's environment. */
  environment: Record<string, string>;
  /**
   * Why no more may be spent on the task, given what this attempt has used; null while it may (SPEC N2). A provider that
   * can stop between two requests to the model asks before each.
   */
  overBudget(usage: Usage): string | null;
}

/** Last event: it ended as it should. `text` is a Teller's reply where no `reply` was staged. */
export interface DoneEvent {
  type: "done";
  /** The model could not take all that it was shown: later turns are to be told less (SPEC F3). */
  wasTooLong?: boolean;
  status: "done" | "needs_input";
  text?: string;
  resultType?: ResultType;
  result?: unknown;
  question?: string;
  /** A plan's: what it says beside its tasks. */
  note?: string;
  /** A plan's: the limit at which it had to end, though the model might have gone on. */
  limit?: PlanLimit;
  usage: Usage;
}

/** Last event. `retryable`: the same run may succeed later (a time-out, an outage); a command's own failure is not. */
export interface FailedEvent {
  type: "failed";
  wasTooLong?: boolean;
  failureReason: FailureReason;
  error: string;
  /** Why the model did not answer; not given where it did, and something else went wrong. */
  cause?: Cause;
  /** Where it was asked, with its port. */
  host?: string;
  /** Models of that place whose names are like the one that is not there. */
  names?: readonly string[];
  retryable: boolean;
  /** The provider cannot be reached at all: nothing is wrong with the task, and nothing was done (SPEC G4). */
  isOutage?: boolean;
  /** The model answers later by itself: nothing is wrong with the task, which waits. */
  waits?: boolean;
  /** How long the model asks to be left alone, in ms. */
  retryAfterMs?: number;
  resultType?: ResultType;
  result?: unknown;
  usage: Usage;
}

/** A stream line is a piece of the text that the user will see (`delta`), or what it is doing now (`progress`). */
export type ProviderEvent = StreamLine | DoneEvent | FailedEvent;

export interface Provider {
  name: string;
  /** The name of the model that it asks, where it is known. */
  model?: string;
  /** Must end soon after `signal` aborts, with all its child processes gone. */
  run(run: Run, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}

/** The model that the settings, as a provider sees them, name for `role`; undefined where they name none. */
export function modelOf(role: Role, { model, models }: Pick<Config, "model" | "models">): string | undefined {
  return models[role] ?? model;
}

/** How much the model of `role` shall think; undefined leaves it to the model. */
export function effortOf(role: Role, { effort, efforts }: Pick<Config, "effort" | "efforts">): Effort | undefined {
  return efforts[role] ?? effort;
}

/**
 * Why a run was told to stop. The caller that aborts gives it: `controller.abort("cancelled")`, or
 * `AbortSignal.timeout(ms)` for the time limit. Without a reason it is `killed`.
 */
export function stopReason(signal: AbortSignal): FailureReason {
  const reason: unknown = signal.reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError") return "timeout";
  return FailureReason.safeParse(reason).data ?? "killed";
}

/** `auto` is a sandbox where it works, `required` is none without it. */
export type SandboxMode = Config["sandbox"];
