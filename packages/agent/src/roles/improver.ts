/** The improver looks for something worth doing: a Worker that changes nothing, and names one thing or none (SPEC J1). */
import type { RoleDefinition } from "./role.ts";
import { worker } from "./worker.ts";

export const improver: RoleDefinition = {
  ...worker,
  // It may run a linter or a test to see how things are; the tools that write are not there.
  levels: ["read-only", "process-control"],
  resultTypes: ["finding"],
  mayAsk: false,
};
