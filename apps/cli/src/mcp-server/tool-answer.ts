/** Shared by the tools: how a call is named, and how it is answered. */

import { wellFormed } from "@mimikit/protocol/texts/whole-characters";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const ID_CHARS_MAX = 128;

/** Adds one tool to a server. */
export type AddTool = (server: McpServer) => void;

/** A name that the caller gives to a call: the same one means the same call, however often it is made. */
export const CallId = z
  .string()
  .trim()
  .min(1)
  .max(ID_CHARS_MAX)
  .optional()
  .describe("a name of your own for this call: made again under the same name, it does nothing a second time");

/** The same as text and as data: not every client reads both. */
export function answered<T extends Record<string, unknown>>(data: T, text = JSON.stringify(data, null, 2)) {
  return wellFormed({ content: [{ type: "text" as const, text }], structuredContent: data });
}
