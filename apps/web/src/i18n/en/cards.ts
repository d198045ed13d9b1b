/** The words of the cards, in the language of the page; they are loaded with the first of them. */
import type { FailureReason } from "@mimikit/protocol/base/failure";

export const cardWords = {
  members: (title: string) => `Steps of ${title}`,
  share: (title: string) => `Progress of ${title}`,
  outcome: "Result",
  outcomeOf: (title: string) => `Result of ${title}`,
  reported: "Reported here",
  scheduled: "Scheduled",
  over: "ended",
  noOutcome: "No result.",
  failed: {
    error: "Failed",
    timeout: "Timed out",
    killed: "Killed from outside",
    interrupted: "Interrupted",
    poison: "Its process crashed repeatedly",
    cancelled: "Cancelled",
    budget: "The budget is used up",
    invalid_result: "No usable result",
    provider: "The model did not answer",
    needs_approval: "Waiting for your approval",
  } satisfies Record<FailureReason, string>,
  /** Why a task failed, with its error as it was told. */
  because: (reason: string, error: string) => `${reason}: ${error}`,
};

/** The words of the list below a reply that tells what of memory it has used. */
export const usedWords = {
  used: (n: number) => `Used: ${n} ${n === 1 ? "memory" : "memories"}`,
  always: "always shown",
  changed: "changed or forgotten since",
  fromConversation: "from the conversation",
  inConversation: "from a message",
  inFile: (file: string) => `Show it in ${file}`,
  gone: "The memories used for this reply are no longer known.",
};
