/**
 * The API as OpenAPI 3.1, made from the table of routes: the schemas that check the requests are those that are shown. A
 * schema that others share is a component, under a name that stays (`NAMED`).
 */

import { AttachedFile, Attachment } from "@mimikit/protocol/base/attachment";
import { capitalized } from "@mimikit/protocol/base/capitalized";
import { ProviderProblem } from "@mimikit/protocol/base/cause";
import { OnInterrupt } from "@mimikit/protocol/base/fields";
import { Id } from "@mimikit/protocol/base/id";
import { Report } from "@mimikit/protocol/base/report";
import { Role } from "@mimikit/protocol/base/role";
import { SkillProblem, SkillSummary } from "@mimikit/protocol/base/skill";
import { Usage } from "@mimikit/protocol/base/usage";
import { AuditLine } from "@mimikit/protocol/records/audit";
import { PastOccurrence } from "@mimikit/protocol/records/trigger";
import { Coded } from "@mimikit/protocol/texts/coded";
import { All, Any, Atom, ConditionTree, Not } from "@mimikit/protocol/triggers/condition-schema";
import {
  Missed,
  Schedule,
  Target,
  TriggerBudget,
  TriggerChange,
  TriggerInput,
} from "@mimikit/protocol/triggers/trigger-order";
import * as api from "@mimikit/protocol/wire/api";
import { ProviderEntry } from "@mimikit/protocol/wire/connect";
import { z } from "zod";
import { SECRET_HEADER } from "../auth/auth.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../http/limits.ts";
import { PROBLEMS } from "../http/problem.ts";
import type { Method, Route } from "./route.ts";

/** Every schema that has a name. */
const NAMED: Record<string, unknown> = {
  ...api,
  AndCondition: All,
  Atom,
  AttachedFile,
  Attachment,
  AttachmentType: Attachment.shape.type,
  AuditLine,
  Coded,
  Condition: ConditionTree,
  Id,
  Missed,
  NotCondition: Not,
  OnInterrupt,
  OrCondition: Any,
  Past: PastOccurrence,
  Problem: ProviderProblem,
  ProviderEntry,
  Report,
  Role,
  Schedule,
  SkillProblem,
  SkillSummary,
  Target,
  TriggerBudget,
  TriggerChange,
  TriggerInput,
  Usage,
};
const COMPONENTS = "#/components/schemas/";

export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Content = Record<string, { schema?: JsonSchema }>;

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
  /** false: the members of a list have commas between them. */
  explode?: boolean;
}

export interface Operation {
  operationId: string;
  summary: string;
  /** Empty for a route that needs no credential; that of the document where it is not said. */
  security?: [];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

export type ApiDocument = {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  security: Record<string, string[]>[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  /** OpenAPI has no words for sockets. */
  "x-websocket": { path: string; client: JsonSchema; server: JsonSchema };
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, Record<string, string>> };
};

const DESCRIPTION = `What users, scripts and the page rely on. Every error is an ApiError, and never a stack. Another method than those of a path is 405 with Allow.

WebSocket: \`GET /ws\` with an upgrade; every frame is one JSON text, as the components ClientFrame and ServerFrame (\`x-websocket\`) say. The client says \`{"type":"hello","token":"…","cursor":"…"}\` first, with the token or, in the page, the secret that belongs to its cookie, and then any ClientFrame. The gateway sends a ServerFrame each time: a snapshot, or what was missed since the cursor; then ordered frames with a cursor (message, task, question, trigger, notification, status, audit) and lossy ones without (begin, delta, progress). What is sent with an id is answered by \`accepted\` once it is durable, or by \`error\`.`;

/** The document. Throws where a shape would not be the same in a request and in an answer. */
export function describeApi(routes: readonly Route[], version: string): ApiDocument {
  const asked = routes.flatMap(({ params, query, body }) => [params, query, body]);
  const answered = routes.map(({ answer }) => answer);
  const requests = described("input", [...asked, api.ClientFrame]);
  const answers = described("output", [...answered, api.ApiError, api.ServerFrame]);
  const paths: ApiDocument["paths"] = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operation(route, requests, answers) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Mimikit", version, description: DESCRIPTION },
    security: [{ token: [] }, { cookie: [], secret: [] }],
    paths,
    "x-websocket": {
      path: "/ws",
      client: requests.refer(api.ClientFrame),
      server: answers.refer(api.ServerFrame),
    },
    components: {
      schemas: together(requests.components, answers.components),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "The content of the file `token` in the state directory.",
        },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "mimikit_<home>",
          description: "The session of a browser that was paired, named after the home.",
        },
        secret: {
          type: "apiKey",
          in: "header",
          name: SECRET_HEADER,
          description: "What `POST /api/pair` has answered; the cookie counts only with it.",
        },
      },
    },
  };
}

function operation(route: Route, requests: Described, answers: Described): Operation {
  const { method, path, summary, params, query, body, takesBytes, takesKey, isOpen, status, answer, types } = route;
  const content: Content | undefined =
    types === undefined
      ? answer && { "application/json": { schema: answers.refer(answer) } }
      : Object.fromEntries(types.map((type) => [type, answer === undefined ? {} : { schema: answers.refer(answer) }]));
  const failure = { "application/json": { schema: answers.refer(api.ApiError) } };
  return {
    operationId: operationId(method, path),
    summary,
    ...(isOpen && { security: [] as [] }),
    parameters: [
      ...parameters("path", params && requests.refer(params)),
      ...parameters("query", query && requests.refer(query)),
      ...(takesKey ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: requests.refer(body) } } },
    }),
    ...(takesBytes && { requestBody: { required: true, content: { "*/*": {} } } }),
    responses: {
      [status]: { description: summary, ...(content !== undefined && { content }) },
      ...Object.fromEntries(
        Object.entries(errorsOf(route)).map(([each, description]) => [each, { description, content: failure }]),
      ),
    },
  };
}

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key is the same command, however often it is sent; with other content it is refused (422).",
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX },
};

/** Every error that a route may answer with, by status: its own, and those of the gates that its requests pass. */
function errorsOf(route: Route): Record<number, string> {
  const { isOpen, params, query, body, takesBytes, takesKey, method, errors = {} } = route;
  const isChecked = [params, query, body, takesBytes, takesKey].some((each) => each !== undefined);
  const hasBody = body !== undefined || takesBytes;
  const isStored = method !== "get";
  const gates = [
    ...(isChecked ? [400] : []),
    ...(isOpen ? [] : [401, 429]),
    403,
    ...(hasBody ? [413, 415] : []),
    421,
    ...(takesKey ? [422] : []),
    500,
    ...(isStored ? [507] : []),
  ];
  return { ...Object.fromEntries(gates.map((status) => [status, PROBLEMS[status]?.meaning ?? ""])), ...errors };
}

/** `getApiTasksById` is said as `getTasksById`: all that is not /api speaks for itself. */
function operationId(method: Method, path: string): string {
  const words = path
    .replace(/^\/api\//, "/")
    .split("/")
    .flatMap((part) => (part.startsWith(":") ? ["by", part.slice(1)] : part.split(/[^a-z]/)))
    .filter((word) => word !== "");
  return method + words.map(capitalized).join("");
}

function parameters(where: "path" | "query", schema: JsonSchema | undefined): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: schema?.required?.includes(name) ?? false,
    schema: property as JsonSchema,
    ...(isList(property) && { explode: false }),
  }));
}

function isList(schema: unknown): boolean {
  return (schema as JsonSchema).type === "array";
}

/** The schemas of one direction as JSON Schema. */
interface Described {
  /** The schema of a route: a reference to its component, or all of it if it has no name. */
  refer(schema: z.ZodType): JsonSchema;
  /** Those that are referred to. */
  components: Map<string, JsonSchema>;
}

function described(io: "input" | "output", schemas: readonly (z.ZodType | undefined)[]): Described {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) if (schema instanceof z.ZodType) registry.add(schema, { id });
  const used = [...new Set(schemas.filter((schema) => schema !== undefined))];
  const unnamed = used.filter((schema) => !registry.has(schema));
  for (const [n, schema] of unnamed.entries()) registry.add(schema, { id: `${n}` });
  // A named schema of the other direction may have none in this one; it is not referred to.
  const options = { io, uri: (id: string) => COMPONENTS + id, unrepresentable: "any" } as const;
  const converted = z.toJSONSchema(registry, options).schemas;
  const byId = (id: string): JsonSchema => {
    const { $schema: _, $id: __, ...schema } = converted[id] ?? unknown(id);
    return schema;
  };
  const refer = (schema: z.ZodType) => {
    const id = registry.get(schema)?.id ?? "";
    return unnamed.includes(schema) ? byId(id) : { $ref: COMPONENTS + id };
  };

  const components = new Map<string, JsonSchema>();
  const waiting = used.map(refer);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const id of referencesIn(next).filter((each) => !components.has(each))) {
      components.set(id, byId(id));
      waiting.push(byId(id));
    }
  }
  return { refer, components };
}

/** A schema that is part of itself needs a name. */
function unknown(id: string): never {
  throw new Error(`there is no schema of the name ${id}`);
}

function referencesIn(schema: JsonSchema): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, id = ""]) => id);
}

function together(a: Map<string, JsonSchema>, b: Map<string, JsonSchema>): Record<string, JsonSchema> {
  for (const [id, schema] of a) {
    const other = b.get(id);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema))
      throw new Error(`${id} is one thing in a request and another in an answer`);
  }
  return Object.fromEntries([...a, ...b].sort(([x], [y]) => (x < y ? -1 : 1)));
}
