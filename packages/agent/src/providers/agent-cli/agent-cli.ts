/**
 * The interface of an agent CLI. Its adapter says how it is started and what its lines mean; everything that all CLIs
 * have in common (threads, steering, role tools, time-outs, the end) is done by `runAgentCli`.
 */
import type { Cause } from "@mimikit/protocol/base/cause";
import type { Usage } from "@mimikit/protocol/base/usage";
import type { ToolCallRecord } from "../../bus.ts";
import type { Run } from "../../provider.ts";
import type { CliCommand, CliEnd } from "./run-cli.ts";

/** One question to the CLI: a process of its own. */
export interface CliAsk {
  run: Run;
  /** The rules of the role. */
  system: string;
  /** The file that holds the rules too. */
  systemPath: string;
  /** The thread that goes on; null begins one. */
  threadId: string | null;
  /** The file for `mimikit mcp tools`, for runs with tools. */
  toolsPath: string | null;
  /** The socket over which tools from outside are called, for runs with such. */
  socketPath: string | null;
}

/** A call of a role tool that succeeded, as the CLI tells it. */
export interface AnsweredCall {
  requestId: string;
  tool: string;
  input: unknown;
  /** The answer of our MCP server, as text. */
  answer: string;
  durationMs?: number;
}

/** The meaning of a line, independent of the CLI. */
export type CliEvent =
  /** The thread that all this belongs to. */
  | { type: "thread"; id: string }
  /** Something that takes its time has begun; silence is no fault until it has ended. `isCall`: of a role tool. */
  | { type: "began"; item: string; step: string; isCall: boolean }
  | { type: "ended"; item: string }
  | { type: "progress"; step: string }
  /** A piece of a text while it is written; `isFirst` begins a text. */
  | { type: "delta"; text: string; isFirst: boolean }
  /** A whole text. `isShown`: its pieces came as deltas. */
  | { type: "said"; text: string; isShown?: boolean }
  | { type: "called"; call: AnsweredCall }
  /** A call of its own tools, or one of a role tool that failed: for the audit log and the transcript. */
  | { type: "used"; record: ToolCallRecord; input?: unknown; output?: string }
  /** It says why something does not work; whether that is the end shows at the end. */
  | { type: "trouble"; message: string }
  /** Further output is of no use: the process is ended at once. */
  | { type: "broken"; message: string }
  /** The question is answered, and this is what it cost (see `countsThread`). */
  | { type: "completed"; usage: Usage };

/** Why a question was not answered. */
export interface CliFailure {
  error: string;
  /** Not given where it did answer, and something else went wrong. */
  cause?: Cause;
  retryable: boolean;
  /** The provider cannot be reached (SPEC G4). */
  isOutage?: boolean;
  /** The model answers later by itself: the task waits. */
  waits?: boolean;
  /** How long it asks to be left alone, in ms. */
  retryAfterMs?: number;
  /** The thread is not there any more: begin a new one. */
  isThreadGone?: boolean;
  /** It did not get as far as a request, and the same may work at once. */
  isUnasked?: boolean;
  /** The model cannot take all that it was told. */
  wasTooLong?: boolean;
}

/** The facts about a process that did not answer. */
export interface BadEnd extends CliEnd {
  /** Its messages about trouble, in order; the last is the nearest to the end. */
  troubles: readonly string[];
}

export interface AgentCli {
  /** The provider's name; also in the name of thread records. */
  name: string;
  /** Where its model is asked, where the settings say so. */
  host?: string;
  /** The maximum length of its standard input; longer words are shortened, and say so. */
  inputCharsMax: number;
  /** How long it may be silent while nothing is in progress. */
  idleMs: number;
  /** Is `completed.usage` what the whole thread has cost (true), or the process alone (false)? */
  countsThread: boolean;
  /** How to start it. Throws `UnusableCli` where it cannot be started at all. */
  command(ask: CliAsk): Promise<Omit<CliCommand, "input" | "mark">>;
  /** Its standard input, if that is more than the words. Throws what the disk throws. */
  input?(ask: CliAsk, words: string): Promise<string>;
  /** Reads the lines of one process. Lines that mean nothing to us yield nothing. */
  createReader(ask: CliAsk): (line: unknown) => Iterable<CliEvent>;
  explain(end: BadEnd): CliFailure;
  /** A thread that is not continued: removes what the CLI keeps of it. */
  forget(threadId: string): Promise<void>;
}
