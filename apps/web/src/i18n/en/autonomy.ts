/** The words for what a model may do without asking, in the language of the page. */
import type { Autonomy, Reach } from "@mimikit/protocol/approvals/approval";

export const autonomyWords = {
  title: "Actions without asking",
  modes: { ask: "Ask me", workspace: "In the workspace", full: "Everything" } satisfies Record<Autonomy, string>,
  meaning: {
    ask: "You are asked before each command, and before anything that reaches beyond the workspace.",
    workspace:
      "Commands run in a sandbox in the workspace. You are asked before a command has the network or changes files elsewhere, and before each one where there is no sandbox.",
    full: "You are never asked.",
  } satisfies Record<Autonomy, string>,
  allowed: "These commands run without asking, because you allowed them for good:",
  holdsNoMore: "asks again: this program runs others",
  askAgain: "Ask again",
  askAgainFor: (prefix: string) => `Ask again before ${prefix}`,
  reaches: {
    command: "in the sandbox",
    network: "the network",
    outside: "files elsewhere",
    "no-sandbox": "without a sandbox",
    level: "more than reading",
  } satisfies Record<Reach, string>,
};
