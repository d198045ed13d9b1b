/** The script of a model: one language, whatever the wire. */
import type { Role } from "@mimikit/protocol/base/role";
import type { ModelRequest } from "./request.ts";

/**
 * A call of a tool by its bare name, whatever the client has put before it; or of whatever runs a command among the
 * tools that the request offers.
 */
export type ScriptedCall =
  | {
      name: string;
      args?: unknown;
      /** The arguments as they go over the wire, in place of `args`: for JSON that is none. */
      raw?: string;
    }
  | { shell: string };

/** An answer of the model. */
export interface Answer {
  say?: string;
  /** The model's thoughts before: they must come back with the calls that stand beside them. */
  think?: string;
  calls?: ScriptedCall[];
  /** `filter`: the vendor withheld the rest. */
  finish?: "stop" | "tool_calls" | "length" | "filter";
  /** Leave the usage out, as many endpoints do. */
  withoutUsage?: boolean;
  /** In one piece of JSON, without a stream. */
  whole?: boolean;
}

/** Every way in which there is none. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** The connection breaks before an answer. */
  | { reset: true }
  /** It breaks after this text. */
  | { cut: string }
  /** Nothing comes, from the beginning or after this text, until the client gives up. */
  | { hang: true | string }
  /** Bytes as they are, as an event stream. */
  | { stream: string };

/** The model's reaction to one request. */
export type Step = Answer | Fault;

/** By role: one step after the other (the last stays), or a function of the request. */
export type Script = Partial<Record<Role, Step[] | ((request: ModelRequest) => Step)>>;

export function isFault(step: Step): step is Fault {
  return "status" in step || "reset" in step || "cut" in step || "hang" in step || "stream" in step;
}
