/** The Teller talks to the user and delegates; it never does the work itself (SPEC B1). */

import { toolsOf } from "../tools/index.ts";
import type { RoleDefinition } from "./role.ts";

export const teller: RoleDefinition = {
  role: "teller",
  tools: toolsOf("teller"),
  levels: ["read-only", "local-write", "message-send", "process-control"],
  timeoutSec: ({ timeoutSec }) => timeoutSec.teller,
  concurrency: () => 1,
  resultTypes: ["turn"],
  mayAsk: false,
};
