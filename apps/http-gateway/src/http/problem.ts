/** Errors for clients: one shape for every error, and never a stack (docs/api.md#errors). */
import { BadJson } from "@mimikit/protocol/base/json";
import { type Coded, coded, codeOrQuote, englishOf } from "@mimikit/protocol/texts/coded";
import type { ApiError } from "@mimikit/protocol/wire/api";
import { hasCode } from "@mimikit/store/disk/error-code";

/** The code and the meaning of an error, by its HTTP status. */
export const PROBLEMS: Readonly<Record<number, { code: string; meaning: string }>> = {
  400: { code: "invalid", meaning: "the request is not valid; the message names the field" },
  401: { code: "unauthorized", meaning: "not signed in" },
  403: { code: "forbidden_origin", meaning: "sent by a page of another origin" },
  404: { code: "not_found", meaning: "not found" },
  405: { code: "method_not_allowed", meaning: "wrong method; Allow lists the right ones" },
  408: { code: "timeout", meaning: "the request took too long to arrive" },
  409: { code: "conflict", meaning: "conflict with the current state" },
  410: { code: "gone", meaning: "gone: it has ended or expired" },
  413: { code: "too_large", meaning: "the body is too large" },
  415: { code: "not_json", meaning: "the body is not JSON" },
  416: { code: "no_such_range", meaning: "the file has no such bytes" },
  421: { code: "wrong_host", meaning: "the gateway does not answer to this host" },
  422: { code: "key_reused", meaning: "the Idempotency-Key was used before, with other content: nothing was done" },
  426: { code: "upgrade_needed", meaning: "this address is a WebSocket; upgrade the connection" },
  429: { code: "slow_down", meaning: "too many wrong credentials; Retry-After says when to try again" },
  431: { code: "too_large", meaning: "the headers are too large" },
  500: { code: "internal", meaning: "internal error; see the log of the gateway" },
  503: { code: "not_ready", meaning: "temporarily unreadable" },
  507: {
    code: "disk_full",
    meaning:
      "the disk is full, or (`read_only`) cannot be written, or (`disk_failed`) reports an error: nothing was saved",
  },
};

interface ProblemOptions {
  /** That of the status when not given. */
  code?: string;
  hint?: string;
  headers?: Record<string, string>;
  /** The field of the request that it is about, for clients of /v1. */
  param?: string;
}

/** An error that may be shown to a client, word by word. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** Its message as a code, for other languages. */
  readonly said: Coded;
  readonly hint: string | undefined;
  readonly headers: Record<string, string>;
  readonly param: string | null;

  constructor(status: number, said: Coded, options: ProblemOptions = {}) {
    super(englishOf(said));
    this.said = said;
    this.status = status;
    this.code = options.code ?? PROBLEMS[status]?.code ?? "error";
    this.hint = options.hint;
    this.headers = options.headers ?? {};
    this.param = options.param ?? null;
  }

  get body(): ApiError {
    const { code, message, hint, said } = this;
    return { error: { code, message, ...(hint !== undefined && { hint }), coded: { message: said } } };
  }
}

/** The same in the shape that clients of OpenAI's API know. */
export function v1ErrorOf({ status, code, message, hint, param }: HttpProblem) {
  const type = V1_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
  return { error: { message: hint === undefined ? message : `${message}. ${hint}`, type, param, code } };
}

const V1_TYPES: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error" };

/** The answer for the client about any thrown value. Unknown errors say nothing about our insides. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof BadJson) return new HttpProblem(400, codeOrQuote(error.message));
  if (error instanceof URIError) return new HttpProblem(400, coded("address_malformed"));
  if (hasCode(error, "ENOSPC", "EDQUOT")) {
    return new HttpProblem(507, coded("disk_full"), { hint: "Free some space, then send it again." });
  }
  if (hasCode(error, "EROFS")) {
    const hint = "Run `mimikit doctor` where it runs.";
    return new HttpProblem(507, coded("disk_read_only"), { code: "read_only", hint });
  }
  if (hasCode(error, "EIO")) {
    const hint = "Check the disk, then send it again.";
    return new HttpProblem(507, coded("disk_failed"), { code: "disk_failed", hint });
  }
  // Express and the file server throw errors that carry a status, for example for a malformed path.
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) return new HttpProblem(status, coded("http_status", { status }));
  return new HttpProblem(500, coded("internal"), { hint: "The log of the gateway says what." });
}
