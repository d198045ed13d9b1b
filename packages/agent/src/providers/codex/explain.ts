/** Why codex did not answer, and what that means. It has no codes, so it is told from its words (those of 0.169.0). */
import type { BadEnd, CliFailure } from "../agent-cli/agent-cli.ts";
import { firstLine } from "../agent-cli/run-cli.ts";
import { waitOf } from "../endpoint/wait.ts";

type Meaning = Omit<CliFailure, "error">;

/** The first that fits counts. */
const MEANINGS: readonly [RegExp, Meaning][] = [
  // Each codex removes, now and then, what another one that starts at the same moment is about to use.
  [/\bfs sandbox helper failed\b/, { retryable: true, isUnasked: true, cause: "program" }],
  // No connection at all, as opposed to one that is closed.
  [/\bConnection failed\b/, { retryable: true, isOutage: true, cause: "down" }],
  [
    /\bNo such file or directory\b.{0,300}\bcodex\b|\bENOENT\b|\bEACCES\b/,
    { retryable: true, isOutage: true, cause: "program" },
  ],
  [/\bno rollout found\b|\bthread not found\b|\bno (?:saved )?session\b/i, { retryable: true, isThreadGone: true }],
  [
    /\bmodel_not_found\b|\bmodel is not supported\b|\bmodel\b.{0,300}\bdoes not exist\b|\bnot (?:authorized to|have) access (?:to )?(?:this )?model\b/i,
    { retryable: false, cause: "model" },
  ],
  [/\bquota\b|\busage limit\b|\bbilling\b|\bcredits\b/i, { retryable: false, cause: "credit" }],
  [
    /\bstatus:? 40[13]\b|\bnot logged in\b|\bNot authenticated\b|\brefresh token\b/i,
    { retryable: false, cause: "key" },
  ],
  [/\bstatus 404\b/, { retryable: false, cause: "model" }],
  [/\bcontext window\b|\bcontext length\b/i, { retryable: false, wasTooLong: true, cause: "window" }],
  [
    /\b429\b|\bstatus 5\d\d\b|\bhigh demand\b|\bstream disconnected\b|\bReconnecting\b/,
    { retryable: true, cause: "busy" },
  ],
  [/^\{|\bstatus 4\d\d\b|\binvalid_request_error\b/, { retryable: false, cause: "other" }],
];

/** A limit of use, of which codex says when it ends. */
const LIMIT = /\busage limit\b|\busage_limit_reached\b|\brate.?limit|\bquota\b|\b429\b/i;
/** The endpoint works, and answers later by itself. */
const WAITS = /\b429\b|\bhigh demand\b|\boverloaded\b/i;

/** @param end of a process that has not answered. */
export function explainCodex({ troubles, stderr, exitCode, signal, cause }: BadEnd): CliFailure {
  const reason = troubles.at(-1) ?? (cause instanceof Error ? cause.message : lastLine(stderr));
  const meaning = MEANINGS.find(([pattern]) => pattern.test(reason))?.[1];
  const retryAfterMs = LIMIT.test(reason) ? waitOf(null, reason, Date.now()) : null;
  if (retryAfterMs !== null)
    return { error: `codex: ${reason}`, cause: "limit", retryable: true, waits: true, retryAfterMs };
  if (meaning !== undefined) {
    const waits = meaning.cause === "busy" && WAITS.test(reason);
    return { error: `codex: ${reason}`, ...meaning, ...(waits && { waits }) };
  }
  // A crash, a killed process, something new.
  const how = signal === undefined ? `ended with code ${exitCode ?? "none"}` : `was ended by ${signal}`;
  const said = troubles.at(-1) ?? (cause instanceof Error ? cause.message : firstLine(stderr));
  const error = said === "" ? `codex ${how} without a word` : `codex: ${said}`;
  return { error, retryable: true, cause: troubles.length > 0 ? "other" : "program" };
}

/** Standard error tells warnings too; the reason for the end comes last. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
