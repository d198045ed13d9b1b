/** A tool as a model is told about it: its name, what it is for, and the JSON Schema of its input. */
import { z } from "zod";
import type { Tool } from "../tool.ts";
import type { ToolDefinition } from "./model.ts";

/**
 * What a tool is for is the description of its input schema. A format is named and not spelled out: the pattern of a date
 * is longer than most tools, no model reads it, and some endpoints refuse it. That a text is not empty, and that there is nothing else, goes
 * without saying: the bus tells whoever does otherwise.
 */
export function describeTool({ name, shown }: Tool): ToolDefinition {
  const {
    $schema: _,
    description,
    ...parameters
  } = z.toJSONSchema(shown, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  });
  return { name, ...(description !== undefined && { description }), parameters };
}
