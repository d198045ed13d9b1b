/**
 * The broken parts of an older description of the API, the command line and the settings (docs/compatibility.md).
 * Additions are no breaks: more routes, fields, values and choices. Removals are, and so is asking for more or answering
 * with less.
 */
import type { ApiDocument, JsonSchema, Operation, Parameter } from "../../apps/http-gateway/src/api/describe-api.ts";
import type { Names } from "../../scripts/public-surface.ts";

/** Taken: what a request or a file may hold. Given: what an answer holds. */
type Direction = "taken" | "given";

/** Two schemas, each with the components that it refers to. */
interface Comparison {
  old: Components;
  now: Components;
  direction: Direction;
  /** Pairs that are being compared further up: a schema may be part of itself. */
  under: ReadonlySet<string>;
}
type Components = Readonly<Record<string, JsonSchema>>;

/** Bounds of what is taken that may rise, and those that may fall, but never the other way. */
const UPPER = ["maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties"] as const;
const LOWER = ["minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties"] as const;
/** Constraints that must stay the same, or be dropped. */
const FORMS = ["pattern", "format", "multipleOf"] as const;

/** A line for each promise of the older document that this one does not keep. */
export function breaksOfApi(old: ApiDocument, now: ApiDocument): string[] {
  const comparison = (direction: Direction): Comparison => ({
    old: old.components.schemas,
    now: now.components.schemas,
    direction,
    under: new Set(),
  });
  const routes = Object.entries(old.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const same = now.paths[path]?.[method as keyof typeof methods];
      const name = `${method.toUpperCase()} ${path}`;
      return same === undefined ? [`${name} is gone`] : breaksOfOperation(name, operation, same, comparison);
    }),
  );
  const socket = [
    ...breaksOfSchema("a frame to /ws", old["x-websocket"].client, now["x-websocket"].client, comparison("taken")),
    ...breaksOfSchema("a frame from /ws", old["x-websocket"].server, now["x-websocket"].server, comparison("given")),
  ];
  return [...routes, ...socket];
}

function breaksOfOperation(
  name: string,
  old: Operation,
  now: Operation,
  comparison: (direction: Direction) => Comparison,
): string[] {
  const isSame = (a: Parameter) => (b: Parameter) => a.name === b.name && a.in === b.in;
  const parameters = old.parameters.flatMap((each) => {
    const same = now.parameters.find(isSame(each));
    const place = `${name}: the ${each.in} parameter ${each.name}`;
    if (same === undefined) return [`${place} is gone`];
    return [
      ...(same.required && !each.required ? [`${place} is required now`] : []),
      ...breaksOfSchema(place, each.schema, same.schema, comparison("taken")),
    ];
  });
  const added = now.parameters
    .filter((each) => each.required && !old.parameters.some(isSame(each)))
    .map((each) => `${name}: the ${each.in} parameter ${each.name} is new and required`);
  return [
    ...(old.security !== undefined && now.security === undefined ? [`${name} needs a sign-in now`] : []),
    ...parameters,
    ...added,
    ...(old.requestBody === undefined && now.requestBody?.required ? [`${name} needs a body now`] : []),
    ...breaksOfContent(`${name}: the body`, old.requestBody?.content, now.requestBody?.content, comparison("taken")),
    ...Object.entries(old.responses).flatMap(([status, { content }]) => {
      const place = `${name}: the answer ${status}`;
      // An error that can happen no more breaks nobody.
      if (now.responses[status] === undefined) return status < "400" ? [`${place} is gone`] : [];
      return breaksOfContent(place, content, now.responses[status].content, comparison("given"));
    }),
  ];
}

function breaksOfContent(
  place: string,
  old: Record<string, { schema?: JsonSchema }> = {},
  now: Record<string, { schema?: JsonSchema }> = {},
  comparison: Comparison,
): string[] {
  return Object.entries(old).flatMap(([type, { schema }]) => {
    if (now[type] === undefined) return [`${place} is no ${type} any more`];
    return breaksOfSchema(place, schema ?? {}, now[type].schema ?? {}, comparison);
  });
}

/** A line for each promise of the older schema of `place` that this one does not keep. */
export function breaksOfSchema(place: string, old: JsonSchema, now: JsonSchema, comparison: Comparison): string[] {
  const [before, after] = [resolved(old, comparison.old), resolved(now, comparison.now)];
  const pair = `${old.$ref} ${now.$ref}`;
  if (old.$ref !== undefined && now.$ref !== undefined) {
    if (comparison.under.has(pair)) return [];
    comparison = { ...comparison, under: new Set([...comparison.under, pair]) };
  }
  const [wants, offers] = [choicesOf(before), choicesOf(after)];
  if (wants.length > 1 || offers.length > 1) {
    const wasNull = wants.some(({ type }) => type === "null");
    const isNull = offers.some(({ type }) => type === "null");
    return [
      ...(comparison.direction === "given" && isNull && !wasNull ? [`${place} may be null now`] : []),
      ...wants.flatMap((each) => closest(offers.map((offer) => breaksOfSchema(place, each, offer, comparison)))),
    ];
  }
  return [
    ...breaksOfType(place, before, after, comparison),
    ...breaksOfObject(place, before, after, comparison),
    ...breaksOfMembers(place, before, after, comparison),
  ];
}

function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  if (name === undefined) return schema;
  const target = components[name];
  if (target === undefined) throw new Error(`there is no schema of the name ${name}`);
  return resolved(target, components);
}

const choicesOf = (schema: JsonSchema): readonly JsonSchema[] => schema.oneOf ?? schema.anyOf ?? [schema];

/** Of the choices that there are now, the one that keeps the most: what it lacks is what is lost. */
function closest(breaks: readonly string[][]): string[] {
  return breaks.reduce((best, each) => (each.length < best.length ? each : best));
}

function breaksOfType(place: string, old: JsonSchema, now: JsonSchema, { direction }: Comparison): string[] {
  const [before, after] = [typeOf(old), typeOf(now)];
  // A number takes whole ones too, and a whole one is a number.
  const [narrow, wide] = direction === "taken" ? [before, after] : [after, before];
  const isWider = wide === undefined || (wide === "number" && narrow === "integer");
  if (before !== after && !isWider) return [`${place} is ${after ?? "anything"} now, and was ${before ?? "anything"}`];
  if (direction === "given") return [];
  const values = valuesOf(now);
  const lost = values === null ? [] : (valuesOf(old) ?? ["any other value"]).filter((each) => !values.includes(each));
  return [
    ...lost.map((value) => `${place} may not be ${value} any more`),
    ...UPPER.filter((bound) => (now[bound] ?? Infinity) < (old[bound] ?? Infinity)).map(changed),
    ...LOWER.filter((bound) => (now[bound] ?? -Infinity) > (old[bound] ?? -Infinity)).map(changed),
    ...FORMS.filter((form) => now[form] !== undefined && now[form] !== old[form]).map(changed),
  ];

  function changed(bound: (typeof UPPER | typeof LOWER | typeof FORMS)[number]): string {
    return `${place} has the ${bound} ${now[bound]} now, and had ${old[bound] ?? "none"}`;
  }
}

function typeOf(schema: JsonSchema): string | undefined {
  const [value] = schema.enum ?? [schema.const];
  return typeof schema.type === "string" ? schema.type : value === undefined ? undefined : typeof value;
}

/** The values that are all that there may be; null where they are not counted. */
function valuesOf({ enum: values, const: value }: JsonSchema): string[] | null {
  if (values !== undefined) return values.map((each) => JSON.stringify(each));
  return value === undefined ? null : [JSON.stringify(value)];
}

function breaksOfObject(place: string, old: JsonSchema, now: JsonSchema, comparison: Comparison): string[] {
  const isTaken = comparison.direction === "taken";
  const [mustBefore, mustNow] = [old.required ?? [], now.required ?? []];
  const fields = Object.entries(old.properties ?? {}).flatMap(([field, schema]) => {
    const same = now.properties?.[field];
    if (same === undefined) return [`${place}: ${field} is gone`];
    return breaksOfSchema(`${place}: ${field}`, schema as JsonSchema, same as JsonSchema, comparison);
  });
  const [more, less] = isTaken ? [mustNow, mustBefore] : [mustBefore, mustNow];
  const said = more
    .filter((field) => !less.includes(field) && (isTaken || now.properties?.[field] !== undefined))
    .map((field) => `${place}: ${field} is ${isTaken ? "required" : "not always there"} now`);
  return [...fields, ...said];
}

/** Those of a list, and those of a table of any names. */
function breaksOfMembers(place: string, old: JsonSchema, now: JsonSchema, comparison: Comparison): string[] {
  const ofList =
    old.items === undefined || now.items === undefined
      ? []
      : breaksOfSchema(`${place}: a member`, old.items as JsonSchema, now.items as JsonSchema, comparison);
  const [before, after] = [old.additionalProperties, now.additionalProperties];
  const isClosed = after === false && before !== false && comparison.direction === "taken";
  return [
    ...ofList,
    ...(isClosed && typeOf(old) === "object" ? [`${place} takes no other fields now`] : []),
    ...(typeof before === "object" && typeof after === "object"
      ? breaksOfSchema(`${place}: a field`, before as JsonSchema, after as JsonSchema, comparison)
      : []),
  ];
}

/** A line for each command, argument, option, variable and setting of before that is not there, or takes less, now. */
export function breaksOfNames(old: Names, now: Names): string[] {
  const commands = Object.entries(old.commands).flatMap(([name, { positionals, takes }]) => {
    const same = now.commands[name];
    if (same === undefined) return [`the command ${name} is gone`];
    const added = Object.entries(same.takes).filter(([each, { isRequired }]) => isRequired && !takes[each]?.isRequired);
    return [
      ...Object.entries(takes).flatMap(([each, { names, choices }]) => {
        // An argument is known by its place, an option by its name.
        if (!each.startsWith("--") && same.takes[each] === undefined) return [];
        const place = `mimikit ${name} ${each}`;
        const after = same.takes[each];
        if (after === undefined) return [`${place} is gone`];
        return [
          ...names.filter((other) => !after.names.includes(other)).map((other) => `${place} is not ${other} any more`),
          ...(after.choices === undefined ? [] : (choices ?? ["any other value"]))
            .filter((value) => !after.choices?.includes(value))
            .map((value) => `${place} may not be ${value} any more`),
        ];
      }),
      ...added.map(([each]) => `mimikit ${name} ${each} is required now`),
      ...(same.positionals.length < positionals.length
        ? [`mimikit ${name} takes fewer arguments: ${same.positionals.join(" ") || "none"}`]
        : []),
    ];
  });
  const variables = Object.entries(old.variables).flatMap(([path, names]) =>
    names.filter((name) => !now.variables[path]?.includes(name)).map((name) => `${name} does not set ${path} any more`),
  );
  const comparison: Comparison = { old: {}, now: {}, direction: "taken", under: new Set() };
  return [...commands, ...variables, ...breaksOfSchema("config.yaml", old.settings, now.settings, comparison)];
}
