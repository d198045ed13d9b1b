/** Why claude did not answer, and what that means. */
import type { Cause } from "@mimikit/protocol/base/cause";
import type { BadEnd, CliFailure } from "../agent-cli/agent-cli.ts";
import { firstLine } from "../agent-cli/run-cli.ts";
import { waitOf } from "../endpoint/wait.ts";
import type { ClaudeReader } from "./reader.ts";
import type { ClaudeSettings } from "./settings.ts";

/** The connection could not be made at all; the CLI tells the system's code in its message. */
const UNREACHABLE = /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\)/;
const THREAD_GONE = /No conversation found with session ID/;
const TOO_LONG = /prompt is too long|context (?:window|length|limit)/i;
const NO_LOGIN = /Not logged in|Please run \/login|Failed to authenticate|Invalid API key|OAuth token has expired/i;
const NO_CREDIT = /credit balance|usage limit|out of (?:extra )?(?:usage|credits)/i;
/** A limit of use, of which the CLI says when it ends. */
const LIMIT = /\blimit\b|rate.?limit/i;
const NO_MODEL = /may not exist|not have access to (?:it|this model)|model: /i;
/** Statuses that another try may not meet again. */
const PASSING = [408, 409, 429];
const SERVER_ERROR = 500;
const RATE_LIMITED = 429;
const OVERLOADED = 529;

/** @param reader the one that has read the output of this process. */
export function explainClaude(end: BadEnd, reader: ClaudeReader, settings: ClaudeSettings): CliFailure {
  const { exitCode, signal, cause, stderr, troubles } = end;
  if (exitCode === undefined && signal === undefined)
    return {
      error: `claude cannot be started: ${messageOf(cause)}`,
      cause: "program",
      retryable: true,
      isOutage: true,
    };
  const said = troubles.at(-1) || firstLine(stderr);
  const { failure } = reader;
  if (failure === null) {
    const how = signal === undefined ? `ended with code ${exitCode}` : `was ended by ${signal}`;
    if (THREAD_GONE.test(stderr)) return { error: said, retryable: true, isThreadGone: true };
    const error = `claude ${how}, without a result${said === "" ? "" : `: ${said}`}`;
    return { error, cause: "program", retryable: true };
  }
  const error = `claude: ${said}`;
  if (failure.errors.some((each) => THREAD_GONE.test(each))) return { error, retryable: true, isThreadGone: true };
  if (failure.is_error && failure.api_error === "connection_failed" && UNREACHABLE.test(failure.result))
    // Where something was done before, the task has begun: that is a failure of this attempt.
    return { error, cause: "down", retryable: true, ...(!reader.hasSpoken && { isOutage: true }) };
  const status = failure.api_error_status ?? null;
  const isUnknown = NO_LOGIN.test(failure.result);
  if (isUnknown && settings.apiKey === undefined)
    return {
      error: `${error}. Run  CLAUDE_CONFIG_DIR='${settings.configDir}' claude  and there /login`,
      cause: "key",
      retryable: false,
    };
  const retryAfterMs = LIMIT.test(said) || status === RATE_LIMITED ? waitOfClaude(said, reader) : null;
  if (retryAfterMs !== null) return { error, cause: "limit", retryable: true, waits: true, retryAfterMs };
  const isPassing = status === null ? !isUnknown : PASSING.includes(status) || status >= SERVER_ERROR;
  const why = causeOf(status, said, isPassing);
  const waits = why === "busy" && (status === RATE_LIMITED || status === OVERLOADED);
  const more = { ...(waits && { waits }), ...(why === "window" && { wasTooLong: true }) };
  return { error, cause: why, retryable: isPassing, ...more };
}

/** By what it reports of its limits, else by its words. */
function waitOfClaude(said: string, { limitedUntilSec }: ClaudeReader): number | null {
  const nowMs = Date.now();
  const reported =
    limitedUntilSec === null ? null : waitOf(null, JSON.stringify({ resets_at: limitedUntilSec }), nowMs);
  return reported ?? waitOf(null, said, nowMs);
}

function causeOf(status: number | null, said: string, isPassing: boolean): Cause {
  if (TOO_LONG.test(said)) return "window";
  if (NO_CREDIT.test(said) || status === 402) return "credit";
  if (NO_LOGIN.test(said) || status === 401 || status === 403) return "key";
  if (status === 404 || (status === 400 && NO_MODEL.test(said))) return "model";
  return isPassing && status !== null ? "busy" : "other";
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
