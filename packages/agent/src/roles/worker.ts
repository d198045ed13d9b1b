/** A Worker does one task in the workspace. It has a shell and none of the tools (SPEC B3). */

import { toolsOf } from "../tools/index.ts";
import type { RoleDefinition } from "./role.ts";

export const worker: RoleDefinition = {
  role: "worker",
  tools: toolsOf("worker"),
  levels: ["read-only", "local-write", "process-control"],
  timeoutSec: ({ timeoutSec }) => timeoutSec.worker,
  concurrency: ({ maxConcurrency }) => maxConcurrency,
  resultTypes: ["text", "code_change", "analysis", "summary"],
  mayAsk: true,
};
