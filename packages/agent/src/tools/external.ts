/** Tools that are not ours: of MCP servers, and the owner's commands. A run is given them when it starts. */
import type { Level } from "@mimikit/protocol/base/skill";
import type { Tool } from "./tool.ts";

export interface External {
  /** All that the run may call. */
  tools: readonly Tool[];
  /** Those that its model is told of: all of them, or the two that find and use the others. */
  offered: readonly Tool[];
}

export const NO_EXTERNAL: External = { tools: [], offered: [] };

/** Its effect is unknown: only a role that may do most things may call it. */
export const UNKNOWN_LEVEL: Level = "process-control";
/** The JSON Schema of one tool's input. */
export const SCHEMA_CHARS_MAX = 20_000;
/** Seconds that the longest call of one may take. */
export const EXTERNAL_SEC_MAX = 600;
