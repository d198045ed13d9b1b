/** Why codex did not answer, and what that means. It has no codes, so it is told from its words (those of 0.169.0). */
import type { BadEnd, CliFailure } from "../agent-cli/agent-cli.ts";

type Meaning = Omit<CliFailure, "error"> & { hint?: string };

/** The first that fits counts. */
const MEANINGS: readonly [RegExp, Meaning][] = [
  // Each codex removes, now and then, what another one that starts at the same moment is about to use.
  [/\bfs sandbox helper failed\b/, { retryable: true, isUnasked: true }],
  // Nobody there, as opposed to somebody who hangs up.
  [/\bConnection failed\b/, { retryable: true, isOutage: true }],
  [/\bNo such file or directory\b.*\bcodex\b|\bENOENT\b|\bEACCES\b/, { retryable: true, isOutage: true }],
  [/\bno rollout found\b|\bthread not found\b|\bno (?:saved )?session\b/i, { retryable: true, isThreadGone: true }],
  [
    /\bstatus 401\b/,
    { retryable: false, hint: "the key or the login is refused: see OPENAI_API_KEY, or log in again" },
  ],
  [/\bstatus 403\b/, { retryable: false }],
  [/\bstatus 404\b/, { retryable: false, hint: "is the address right, and the model there?" }],
  [/\bnot logged in\b|\bNot authenticated\b|\brefresh token\b/i, { retryable: false, hint: "log in again" }],
  [/\bquota\b|\busage limit\b|\bbilling\b/i, { retryable: false }],
  [/\bcontext window\b|\bcontext length\b/i, { retryable: false, wasTooLong: true }],
  [/\b429\b|\bstatus 5\d\d\b|\bhigh demand\b|\bstream disconnected\b|\bReconnecting\b/, { retryable: true }],
  [/^\{|\bstatus 4\d\d\b|\binvalid_request_error\b/, { retryable: false }],
];

/** What happened otherwise: a crash, a killed process, something new. */
const UNKNOWN: Meaning = { retryable: true };

/** @param end of a process that has not answered. */
export function explainCodex({ troubles, stderr, exitCode, signal, cause }: BadEnd): CliFailure {
  const reason = troubles.at(-1) ?? (cause instanceof Error ? cause.message : lastLine(stderr));
  const { hint, ...meaning } = MEANINGS.find(([pattern]) => pattern.test(reason))?.[1] ?? UNKNOWN;
  const how = signal === undefined ? `ended with code ${exitCode ?? "none"}` : `was ended by ${signal}`;
  const what = reason === "" ? `codex ${how} without a word` : `codex: ${reason}`;
  return { error: hint === undefined ? what : `${what} (${hint})`, ...meaning };
}

/** Standard error tells warnings too; the reason for the end comes last. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
