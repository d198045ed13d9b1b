/** The summarizer makes one summary of old memory: it reads what its prompt shows, and has no tool at all (SPEC E3). */
import type { RoleDefinition } from "./role.ts";
import { worker } from "./worker.ts";

export const summarizer: RoleDefinition = {
  ...worker,
  tools: [],
  levels: [],
  resultTypes: ["summary"],
  mayAsk: false,
};
