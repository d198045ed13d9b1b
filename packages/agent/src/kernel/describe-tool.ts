/** A tool as a model is told about it: its name, what it is for, and the JSON Schema of its input. */
import { z } from "zod";
import type { Tool } from "../tool.ts";
import type { ToolDefinition } from "./model.ts";

/**
 * What a tool is for is the description of its input schema. A format is named and not spelled out: the pattern of a date
 * is longer than most tools, no model reads it, and some endpoints refuse it.
 */
export function describeTool({ name, input }: Tool): ToolDefinition {
  const {
    $schema: _,
    description,
    ...parameters
  } = z.toJSONSchema(input, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return { name, ...(description !== undefined && { description }), parameters };
}
