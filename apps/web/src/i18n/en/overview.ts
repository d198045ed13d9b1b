/** The words of what stands behind the name of the model in the top line. */

export const overviewWords = {
  connectModel: "Connect a model",
  connectAbout: "Choose a model. Its key stays on the computer where Mimikit runs, in a file that only you can read.",
  connectOpen: "Choose a provider",
  offlineEngine: "No model is connected. The offline engine answers: send “help” to see what it can do.",
  passedOver: "Skipped",
  tokensInOut: (input: string, output: string) => `${input} tokens in, ${output} out`,
  tool: "tool",
  calls: "calls",
  failedCalls: "failed",
  meanTime: "average time",
  budgetOfDay: "Daily budget",
  budgetOfMonth: "Monthly budget",
  tokensOf: (spent: string, limit: string) => `${spent} of ${limit} tokens`,
  costOf: (spent: string, limit: string) => `${spent} of ${limit}`,
  reserved: (tokens: string) => `${tokens} tokens reserved for running work`,
  budgetReached: (until: string) => `Used up: work waits until ${until}. Your messages are still answered.`,
};
