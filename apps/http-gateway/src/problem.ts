/** What a client is told when something is wrong: one shape for every error, and never a stack (API.md, Errors). */
import { STATUS_CODES } from "node:http";
import type { ApiError } from "@mimikit/protocol/api";
import { BadJson } from "@mimikit/protocol/json";
import { hasCode } from "@mimikit/store/error-code";

/** The `code` of an answer, by its HTTP status. */
const CODES: Record<number, string> = {
  400: "invalid",
  401: "unauthorized",
  403: "forbidden_origin",
  404: "not_found",
  405: "method_not_allowed",
  408: "timeout",
  409: "conflict",
  410: "gone",
  413: "too_large",
  415: "not_json",
  421: "wrong_host",
  429: "slow_down",
  431: "too_large",
  500: "internal",
  503: "not_ready",
  507: "disk_full",
};

interface ProblemOptions {
  /** That of the status when not given. */
  code?: string;
  hint?: string;
  headers?: Record<string, string>;
}

/** An error that may be shown to a client, word by word. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, options: ProblemOptions = {}) {
    super(message);
    this.status = status;
    this.code = options.code ?? CODES[status] ?? "error";
    this.hint = options.hint;
    this.headers = options.headers ?? {};
  }

  get body(): ApiError {
    return { error: { code: this.code, message: this.message, ...(this.hint !== undefined && { hint: this.hint }) } };
  }
}

/** What to tell the client about any thrown value. Unknown errors say nothing about our insides. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BadJson) return new Problem(400, error.message);
  if (error instanceof URIError) return new Problem(400, "the address is not well-formed");
  if (hasCode(error, "ENOSPC", "EDQUOT")) {
    return new Problem(507, "the disk is full: nothing was saved", { hint: "Free some space, then send it again." });
  }
  // Express and the file server throw errors that carry a status, for example for a malformed path.
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) return new Problem(status, STATUS_CODES[status] ?? "the request is not valid");
  return new Problem(500, "something went wrong in the gateway", { hint: "The log of the gateway says what." });
}
