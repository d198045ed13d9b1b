/** The evaluator judges semantic conditions: a Worker that looks and changes nothing, and answers yes or no (SPEC D3). */
import type { RoleDefinition } from "./role.ts";
import { worker } from "./worker.ts";

export const evaluator: RoleDefinition = {
  ...worker,
  // It may run a command to see how things are; the tools that write are not there.
  levels: ["read-only", "process-control"],
  timeoutSec: ({ timeoutSec }) => timeoutSec.evaluation,
  resultTypes: ["verdicts"],
  mayAsk: false,
};
