/** The tables of docs/api.md and docs/api-shapes.md, made from the table of routes. The text around them is written by hand, and stays. */
import {
  type ApiDocument,
  describeApi,
  type JsonSchema,
  type Parameter,
} from "../apps/http-gateway/src/api/describe-api.ts";
import type { Route } from "../apps/http-gateway/src/api/route.ts";
import { PROBLEMS } from "../apps/http-gateway/src/http/problem.ts";
import { ROUTES } from "../apps/http-gateway/src/routes.ts";
import { withBlocks } from "./generated-blocks.ts";

/** A shape that is longer is told by its name, with all of it further below. */
const SHAPE_CHARS_MAX = 80;
const COMPONENT = /^#\/components\/schemas\//;

/** The page with its tables as the code has them. Throws where a table has no place on it. */
export function withApiTables(page: string): string {
  return withBlocks(page, { routes: routesTable(describeApi(ROUTES, "")), errors: errorsTable() });
}

/** As `withApiTables`, of the page of shapes. */
export function withShapesTable(page: string): string {
  return withBlocks(page, { shapes: shapesTable(describeApi(ROUTES, "")) });
}

function routesTable(document: ApiDocument): string {
  const rows = ROUTES.map((route) => row(requestOf(route, document), answerOf(route, document)));
  return `| route | answer |\n|---|---|\n${rows.join("")}`;
}

/** `POST /api/steer {text}` + `Idempotency-Key` */
function requestOf(route: Route, document: ApiDocument): string {
  const { method, path, takesBytes, takesKey, isOpen } = route;
  const { parameters = [], requestBody } = operationOf(route, document) ?? {};
  const query = parameters.filter((each) => each.in === "query").map(queryText);
  const body = requestBody?.content["application/json"]?.schema;
  const parts = [
    `${method.toUpperCase()} ${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    ...(body === undefined || isEmpty(body, document) ? [] : [shapeOrName(body, document)]),
  ];
  return [
    `\`${parts.join(" ")}\``,
    ...(takesBytes ? ["(the bytes of one file)"] : []),
    ...(takesKey ? ["+ `Idempotency-Key`"] : []),
    ...(isOpen ? ["(no sign-in)"] : []),
  ].join(" ");
}

function answerOf(route: Route, document: ApiDocument): string {
  const { summary, status, answer, types, errors = {} } = route;
  const content = operationOf(route, document)?.responses[status]?.content?.["application/json"]?.schema;
  const shape =
    answer === undefined || types !== undefined || content === undefined ? "" : shapeOrName(content, document);
  const { parameters = [] } = operationOf(route, document) ?? {};
  const limits = parameters.flatMap(({ name, schema }) =>
    schema.maximum === undefined || schema.maximum === Number.MAX_SAFE_INTEGER
      ? []
      : [`\`${name}\` is at most ${schema.maximum.toLocaleString("en")}`],
  );
  const failures = Object.entries(errors).map(([each, when]) => `${each} ${when}`);
  const head = shape === "" ? `${status}` : `${status} \`${shape}\``;
  return [`${head}: ${summary}`, ...limits, ...failures].join("; ");
}

/** Every shape that a row of the routes or another shape names, and those of the WebSocket. An id is a text, and so told by its field alone. */
function shapesTable(document: ApiDocument): string {
  const { Id: _, ...schemas } = document.components.schemas;
  const shown = new Map<string, string>();
  const texts = [routesTable(document), "ClientFrame", "ServerFrame"];
  for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
    for (const [name, schema] of Object.entries(schemas)) {
      if (shown.has(name) || !new RegExp(`\\b${name}\\b`).test(text)) continue;
      const shape = shapeOf(schema);
      shown.set(name, shape);
      texts.push(shape);
    }
  }
  const rows = [...shown].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, shape]) => row(code(name), code(shape)));
  return `| shape | |\n|---|---|\n${rows.join("")}`;
}

function errorsTable(): string {
  const rows = Object.entries(PROBLEMS).map(([status, { code: name, meaning }]) => row(status, code(name), meaning));
  return `| status | code | |\n|---|---|---|\n${rows.join("")}`;
}

/** A row of a table. GitHub takes each bar in it for the end of a cell, also in code. */
function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function operationOf({ path, method }: Route, document: ApiDocument) {
  return document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method];
}

function queryText({ name, schema }: Parameter): string {
  return schema.default === undefined ? `${name}=` : `${name}=${schema.default}`;
}

/** A shape that is short, or else its name. */
function shapeOrName(schema: JsonSchema, { components }: ApiDocument): string {
  const name = nameOf(schema);
  if (name === undefined) return shapeOf(schema);
  const shape = shapeOf(components.schemas[name] ?? {});
  return shape.length <= SHAPE_CHARS_MAX ? shape : name;
}

function isEmpty(schema: JsonSchema, { components }: ApiDocument): boolean {
  return shapeOf(components.schemas[nameOf(schema) ?? ""] ?? schema) === "{}";
}

function nameOf({ $ref }: JsonSchema): string | undefined {
  return $ref?.replace(COMPONENT, "");
}

/** A schema in a line: `{id, state:TaskState, usage?:Usage}`. A text or a number is given by its field alone. */
function shapeOf(schema: JsonSchema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice !== undefined) return choice.map(shapeOrType).join("|");
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join("|");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `[${shapeOrType((schema.items ?? {}) as JsonSchema)}]`;
  if (schema.type !== "object") return "";
  if (schema.properties === undefined && typeof schema.additionalProperties === "object")
    return `{[name]${suffix(schema.additionalProperties as JsonSchema)}}`;
  const fields = Object.entries(schema.properties ?? {}).map(
    ([field, of]) => `${field}${schema.required?.includes(field) ? "" : "?"}${suffix(of as JsonSchema)}`,
  );
  return `{${fields.join(", ")}}`;
}

/** The suffix of a field behind its name. An id speaks for itself. */
function suffix(schema: JsonSchema): string {
  const shape = shapeOf(schema);
  return shape === "" || shape === "Id" ? "" : `:${shape}`;
}

function shapeOrType(schema: JsonSchema): string {
  return shapeOf(schema) || (typeof schema.type === "string" ? schema.type : "");
}
