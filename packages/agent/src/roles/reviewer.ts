/** The Reviewer judges a change that Mimikit made by itself, from its diff and its checks alone (SPEC B4). */

import { toolsOf } from "../tools/index.ts";
import type { RoleDefinition } from "./role.ts";

export const reviewer: RoleDefinition = {
  role: "reviewer",
  tools: toolsOf("reviewer"),
  levels: ["read-only"],
  timeoutSec: ({ timeoutSec }) => timeoutSec.reviewer,
  concurrency: () => 1,
  resultTypes: ["review"],
  mayAsk: false,
};
