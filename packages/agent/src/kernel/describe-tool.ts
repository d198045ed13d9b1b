/** A tool as a model is told about it: its name, what it is for, and the JSON Schema of its input. */
import { z } from "zod";
import type { Tool } from "../tools/tool.ts";
import type { ToolDefinition } from "./model.ts";

/** A higher bound of a length or a number is not told. */
const TOLD_BOUND_MAX = 100_000;
/** Tools are the same at each request, and converting a schema takes longer than sending it. */
const converted = new WeakMap<z.ZodType, Omit<ToolDefinition, "name">>();

/**
 * The description of the input schema is the description of the tool. Details that no model needs are left out, and
 * checked all the same: patterns, which are longer than most tools and which some endpoints refuse; the absence of
 * unnamed fields; and bounds that are never reached in practice.
 */
export function describeTool({ name, shown, told }: Tool): ToolDefinition {
  if (told !== undefined) return { name, ...told };
  const definition = converted.get(shown) ?? convert(shown);
  converted.set(shown, definition);
  return { name, ...definition };
}

function convert(shown: z.ZodType): Omit<ToolDefinition, "name"> {
  const {
    $schema: _,
    description,
    ...parameters
  } = z.toJSONSchema(shown, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.additionalProperties;
      delete jsonSchema.minLength;
      for (const bound of ["maxLength", "maximum"] as const)
        if ((jsonSchema[bound] ?? 0) >= TOLD_BOUND_MAX) delete jsonSchema[bound];
    },
  });
  return { ...(description !== undefined && { description }), parameters };
}
