/** The words of what stands behind the name of the model in the top line. */

export const overviewWords = {
  connectModel: "Connect a model",
  connectAbout: "Choose who answers. A key stays on the computer where Mimikit runs, in a file that only you can read.",
  connectOpen: "Choose a provider",
  offlineEngine: "No model is connected. The built-in engine answers: send “help” to see what it can do.",
  passedOver: "Not chosen automatically",
  tokensInOut: (input: string, output: string) => `${input} tokens in, ${output} out`,
  tool: "tool",
  calls: "calls",
  failedCalls: "failed",
  meanTime: "mean time",
  budgetOfDay: "Budget of the day",
  budgetOfMonth: "Budget of the month",
  tokensOf: (spent: string, limit: string) => `${spent} of ${limit} tokens`,
  costOf: (spent: string, limit: string) => `${spent} of ${limit}`,
  reserved: (tokens: string) => `${tokens} tokens reserved for what runs`,
  budgetReached: (until: string) => `Used up: work waits until ${until}. Your messages are still answered.`,
};
