/** The fields of the schema: the place of each in a file, and the variables that set it. */
import { tryJson } from "@mimikit/protocol/base/json";
import { Role } from "@mimikit/protocol/base/role";
import { z } from "zod";
import type { Environment } from "../home/home.ts";
import { factsOf, KEY_VARIABLES, PROVIDER_IDS } from "./providers.ts";
import { Config } from "./schema.ts";

/** A field of the schema that is not a group: its place in the file and the variables that set it. */
export interface ConfigField {
  path: readonly string[];
  /** The first one that is set wins. */
  variables: readonly string[];
  schema: z.ZodType;
}

/** Names for users, before those that are made of the path (docs/configuration.md). */
const OTHER_VARIABLES: Record<string, string | undefined> = Object.fromEntries([
  ...PROVIDER_IDS.map((id) => [`${id}.baseUrl`, factsOf(id).baseUrlVariable]),
  ...Role.options.flatMap((role) => [
    [`providers.${role}`, `MIMIKIT_PROVIDER_${role.toUpperCase()}`],
    [`fallbacks.${role}`, `MIMIKIT_FALLBACK_${role.toUpperCase()}`],
    [`models.${role}`, `MIMIKIT_MODEL_${role.toUpperCase()}`],
    [`efforts.${role}`, `MIMIKIT_EFFORT_${role.toUpperCase()}`],
  ]),
]);

/** Every field, in the order of the schema. */
export const CONFIG_FIELDS: readonly ConfigField[] = fieldsOf(Config, []);

function fieldsOf(schema: z.ZodObject, path: readonly string[]): ConfigField[] {
  return Object.entries(schema.shape).flatMap(([key, field]): ConfigField[] => {
    const inner = field instanceof z.ZodPrefault ? field.unwrap() : field;
    const here = [...path, key];
    if (inner instanceof z.ZodObject) return fieldsOf(inner, here);
    return [{ path: here, variables: variablesOf(here), schema: field as z.ZodType }];
  });
}

/** `timeoutSec.worker` → MIMIKIT_TIMEOUT_SEC_WORKER; some have another name too, which comes first. */
function variablesOf(path: readonly string[]): string[] {
  const capitals = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  const other = OTHER_VARIABLES[path.join(".")];
  return [...(other === undefined ? [] : [other]), `MIMIKIT_${capitals.join("_")}`];
}

/** The variable that sets a field, with what it says; null where none does. An empty one sets nothing. */
export function variableOf({ variables, schema }: ConfigField, env: Environment) {
  const variable = variables.find((name) => env[name] !== undefined && env[name] !== "");
  return variable === undefined ? null : { variable, read: readVariable(env[variable] ?? "", schema) };
}

/** A variable is text: a list is separated by commas, a table is JSON, and what reads as a number is one where one is wanted. */
export function readVariable(text: string, schema: z.ZodType) {
  const kind = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (kind instanceof z.ZodRecord) {
    const value = tryJson(text);
    // A value that is not JSON is not a table either, which the schema says.
    return schema.safeParse(value === undefined ? text : value);
  }
  if (kind instanceof z.ZodArray) {
    const parts = text.split(",").map((part) => part.trim());
    return schema.safeParse(parts.filter((part) => part !== ""));
  }
  if (kind instanceof z.ZodBoolean) return schema.safeParse(text === "true" || (text === "false" ? false : text));
  const asText = schema.safeParse(text);
  return asText.success || !/^-?\d+(\.\d+)?$/.test(text) ? asText : schema.safeParse(Number(text));
}

/** Could a setting or a key come from the variable of this name? */
export function setsAnything(name: string): boolean {
  const known = [...KEY_VARIABLES, ...CONFIG_FIELDS.flatMap(({ variables }) => variables)];
  return name.startsWith("MIMIKIT_") || known.includes(name);
}

/** The value at a place in a file of settings; undefined if there is none. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (isGroup(value) ? value[key] : undefined), record);
}

/** The same settings with another value at a place. */
export function withValue(
  record: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [key, ...rest] = path;
  if (key === undefined) return record;
  if (rest.length === 0) return { ...record, [key]: value };
  const inner = record[key];
  return { ...record, [key]: withValue(isGroup(inner) ? inner : {}, rest, value) };
}

export function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
