/** Values of a JSON schema, as random as it lets them be. */
import fc from "fast-check";
import type { JsonSchema } from "../../../apps/http-gateway/src/api/describe-api.ts";
import { MARK } from "./placeholders.ts";

/** A port of this machine at which nothing listens: no request of a fuzz leaves the machine. */
const NOWHERE = "http://127.0.0.1:9/v1";
const TEXT_CHARS_MAX = 60;
const DEPTH_MAX = 5;

export type Components = Readonly<Record<string, JsonSchema>>;

/** Of `schema`, whose references lead into `components`. Schemas nested deeper than DEPTH_MAX give an empty object, right or not. */
export function valuesOf(schema: JsonSchema, components: Components, depth = 0): fc.Arbitrary<unknown> {
  const inner = (each: unknown) => valuesOf(each as JsonSchema, components, depth + 1);
  if (depth > DEPTH_MAX * 2) return fc.constant({});
  if (schema.$ref !== undefined) return inner(components[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return fc.integer({ min: lowest(schema), max: Math.min(schema.maximum ?? 1_000_000, 2 ** 31 - 1) });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const minLength = schema.minItems ?? 0;
      return fc.array(inner(schema.items ?? {}), { minLength, maxLength: minLength + 3 });
    }
    case "object":
      return schema.properties === undefined
        ? fc.dictionary(fc.string({ maxLength: 8 }), inner(schema.additionalProperties ?? {}), { maxKeys: 3 })
        : fc.record(Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, inner(each)])), {
            requiredKeys: schema.required ?? [],
          });
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function lowest({ minimum, exclusiveMinimum }: JsonSchema): number {
  if (typeof exclusiveMinimum === "number") return Math.floor(exclusiveMinimum) + 1;
  return minimum ?? 0;
}

function textOf({ format, pattern, minLength = 0, maxLength = TEXT_CHARS_MAX }: JsonSchema): fc.Arbitrary<string> {
  if (format === "uri") return fc.constant(NOWHERE);
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === "date") return fc.constantFrom("2026-11-26", "2024-02-29", "0001-01-01");
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, TEXT_CHARS_MAX)) };
  const free = fc.string({ ...bounds, unit: "binary" });
  return MARK.length <= maxLength ? fc.oneof({ weight: 3, arbitrary: fc.constant(MARK) }, free) : free;
}
