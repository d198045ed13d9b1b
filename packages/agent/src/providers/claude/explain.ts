/** Why claude did not answer, and what that means. */
import type { BadEnd, CliFailure } from "../agent-cli/agent-cli.ts";
import type { ClaudeReader } from "./reader.ts";
import { type ClaudeSettings, KEY_VARIABLE } from "./settings.ts";

/** The connection could not be made at all; the CLI tells the system's code in its message. */
const UNREACHABLE = /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\)/;
const THREAD_GONE = /No conversation found with session ID/;
const TOO_LONG = /prompt is too long|context (?:window|length|limit)/i;
const NO_LOGIN = /Not logged in|Please run \/login|Failed to authenticate/i;
/** Statuses that another try may not meet again. */
const PASSING = [408, 409, 429];
const SERVER_ERROR = 500;

/** @param reader the one that has read the output of this process. */
export function explainClaude(end: BadEnd, reader: ClaudeReader, settings: ClaudeSettings): CliFailure {
  const { exitCode, signal, cause, stderr, troubles } = end;
  if (exitCode === undefined && signal === undefined)
    return { error: `claude cannot be started: ${messageOf(cause)}`, retryable: true, isOutage: true };
  const said = troubles.at(-1) || stderr;
  const { failure } = reader;
  if (failure === null) {
    const how = signal === undefined ? `ended with code ${exitCode}` : `was ended by ${signal}`;
    if (THREAD_GONE.test(stderr)) return { error: said, retryable: true, isThreadGone: true };
    return { error: `claude ${how}, without a result${said === "" ? "" : `: ${said}`}`, retryable: true };
  }
  const error = `claude: ${said}`;
  if (failure.errors.some((each) => THREAD_GONE.test(each))) return { error, retryable: true, isThreadGone: true };
  if (failure.is_error && failure.api_error === "connection_failed" && UNREACHABLE.test(failure.result))
    // Where something was done before, the task has begun: that is a failure of this attempt.
    return { error, retryable: true, ...(!reader.hasSpoken && { isOutage: true }) };
  const status = failure.api_error_status ?? null;
  if (NO_LOGIN.test(failure.result) && settings.apiKey === undefined)
    return {
      error: `${error}. Set ${KEY_VARIABLE}, or run  CLAUDE_CONFIG_DIR='${settings.configDir}' claude  and there /login`,
      retryable: false,
    };
  const isPassing =
    status === null ? !NO_LOGIN.test(failure.result) : PASSING.includes(status) || status >= SERVER_ERROR;
  return { error, retryable: isPassing, ...(TOO_LONG.test(said) && { wasTooLong: true }) };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
