/** A tool as a model is told about it: its name, what it is for, and the JSON Schema of its input. */
import { z } from "zod";
import type { Tool } from "../tool.ts";
import type { ToolDefinition } from "./model.ts";

/** What a tool is for is the description of its input schema. */
export function describeTool({ name, input }: Tool): ToolDefinition {
  const { $schema: _, description, ...parameters } = z.toJSONSchema(input, { io: "input" });
  return { name, ...(description !== undefined && { description }), parameters };
}
