/** The Planner splits a request into tasks for Workers, side by side or in a chain (SPEC B2). */

import { toolsOf } from "../tools/index.ts";
import type { RoleDefinition } from "./role.ts";

export const planner: RoleDefinition = {
  role: "planner",
  tools: toolsOf("planner"),
  levels: ["read-only", "process-control"],
  timeoutSec: ({ timeoutSec }) => timeoutSec.planner,
  concurrency: () => 1,
  resultTypes: ["plan"],
  mayAsk: true,
};
