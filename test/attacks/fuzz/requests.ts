/** Requests made from what the API says of itself: its paths, methods, parameters and bodies, right, nearly right and wrong. */

import type { SettingView } from "@mimikit/protocol/wire/api";
import fc from "fast-check";
import type { ApiDocument, JsonSchema, Operation } from "../../../apps/http-gateway/src/api/describe-api.ts";
import { valuesOf } from "./from-schema.ts";
import { hostileValue, mangled, mutated } from "./mutate.ts";
import { KNOWN, MARK } from "./placeholders.ts";

export interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** As UTF-8, but where `encoding` says otherwise. */
  body: string | undefined;
  encoding: "utf8" | "utf16le" | "latin1";
  signedIn: boolean;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];
/** Those that would end the processes, sign this client in elsewhere, or ask a server that is not on this machine. */
const NEVER_SIGNED_IN = new Set(["postRestart"]);
const PROVIDERS = ["offline", "llamacpp", MARK];
/** Settings that decide who is asked, what is done unasked, or how soon a slow role is ended. */
const LEFT_ALONE = /^(watchdog|provider|fallback|improve|selfImprove|channels|sandbox)|baseUrl$/i;

/** Headers that are too large are refused with a body where they come in pieces, which a client that wants a head cannot read. */
const HEAD_PATH_CHARS_MAX = 8_000;

/** Paths that the document does not tell of. */
const OTHER_PATHS = [
  "/",
  "/index.html",
  "/assets/x.js",
  "/v1",
  "/v1/models",
  "/v1/models/mimikit",
  "/ws",
  "/hooks/github",
  "/api",
  "/api/",
  "/api/demo",
  "/.env",
  "/..%2f..%2ftoken",
  "//evil.example/",
];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string>(...KNOWN) },
  fc.constantFrom(
    "t-000001",
    "t-000099.0",
    "trg-1",
    "m-1",
    "..",
    "%2e%2e",
    "..%2Fx",
    "a%00b",
    "%E0%A4%A",
    "CON",
    "__proto__",
    "A",
    "%EF%BD%81",
  ),
  fc.string({ minLength: 1, maxLength: 140 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

const headerText = fc.stringMatching(/^[!-~]{0,40}$/);
const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    host: fc.constantFrom("attacker.example", "localhost.", "0.0.0.0", "", "a@127.0.0.1"),
    origin: fc.oneof(fc.constantFrom("null", "https://evil.example", "http://127.0.0.1.evil.com"), headerText),
    "content-type": fc.oneof(
      fc.constantFrom(
        "text/plain",
        "application/json; charset=utf-16",
        "multipart/form-data",
        "application/x-www-form-urlencoded",
      ),
      headerText,
    ),
    "content-encoding": fc.constantFrom("gzip", "br", "identity", "deflate, gzip"),
    "transfer-encoding": fc.constant("chunked"),
    expect: fc.constantFrom("100-continue", "the unexpected"),
    cookie: headerText,
    "x-mimikit-secret": headerText,
    "idempotency-key": fc.oneof(fc.constantFrom("", "a", "a".repeat(255), "a".repeat(256)), headerText),
    range: fc.constantFrom("bytes=0-0", "bytes=5-1", "bytes=-1", "bytes=0-,1-2,3-4", "x"),
    "if-none-match": headerText,
    "if-modified-since": headerText,
    accept: headerText,
    "accept-encoding": fc.constantFrom("gzip", "br;q=0", "*", "x"),
    "x-forwarded-for": headerText,
    "x-forwarded-host": headerText,
    "x-http-method-override": fc.constantFrom(...METHODS),
    upgrade: fc.constantFrom("websocket", "h2c"),
    connection: fc.constantFrom("Upgrade", "close", "keep-alive"),
  },
  { requiredKeys: [] },
);
// Most requests have at most a few of them.
const headers = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Record<string, string>>({}) },
  { weight: 3, arbitrary: fc.tuple(oddHeaders, fc.nat()).map(([all, n]) => oneOf(all, n)) },
  { weight: 1, arbitrary: oddHeaders },
);

function oneOf(all: Record<string, string>, n: number): Record<string, string> {
  const names = Object.keys(all);
  const name = names[n % Math.max(1, names.length)];
  return name === undefined ? {} : { [name]: all[name] ?? "" };
}

/** A request for one of everything that `document` tells of, and for some of what it does not. */
export function anyRequest(document: ApiDocument, settings: readonly SettingView[]): fc.Arbitrary<Request> {
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const told = fc.oneof(
    ...operations.map(({ path, method, operation }) => {
      const parts = {
        path: pathOf(path, operation, schemas),
        body: bodyOf(operation, schemas, settings),
        signedIn: NEVER_SIGNED_IN.has(operation.operationId) ? fc.constant(false) : mostly(true),
      };
      return requestOf({
        ...parts,
        method: fc.oneof({ weight: 9, arbitrary: fc.constant(method) }, fc.constantFrom(...METHODS)),
      });
    }),
  );
  const untold = requestOf({
    path: fc.oneof(fc.constantFrom(...OTHER_PATHS), fc.stringMatching(/^\/[!-"$-~]{0,60}$/)),
    method: fc.constantFrom(...METHODS),
    body: fc.oneof(fc.constant(undefined), fc.json()),
    signedIn: mostly(true),
  });
  return fc.oneof(
    { weight: 12, arbitrary: told },
    { weight: 1, arbitrary: untold },
    { weight: 1, arbitrary: askedOfV1 },
  );
}

function requestOf(
  parts: {
    [name in "method" | "path"]: fc.Arbitrary<string>;
  } & { body: fc.Arbitrary<string | undefined>; signedIn: fc.Arbitrary<boolean> },
): fc.Arbitrary<Request> {
  const encoding = fc.oneof(
    { weight: 12, arbitrary: fc.constant("utf8" as const) },
    fc.constantFrom("utf16le" as const, "latin1" as const),
  );
  const request = fc.record({ ...parts, headers, encoding });
  return request.map((each) =>
    each.method === "HEAD" ? { ...each, path: each.path.slice(0, HEAD_PATH_CHARS_MAX) } : each,
  );
}

const mostly = (value: boolean) => fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, fc.constant(!value));

function pathOf(path: string, { parameters }: Operation, schemas: ApiDocument["components"]["schemas"]) {
  const named = path.split(/\{\w+\}/);
  const ids = fc.tuple(...named.slice(1).map(() => id));
  const query = fc.record(
    Object.fromEntries(
      parameters
        .filter((each) => each.in === "query")
        .map(({ name, schema }) => [
          name,
          fc.oneof({ weight: 3, arbitrary: valuesOf(schema, schemas) }, hostileValue).map(asQuery),
        ]),
    ),
    { requiredKeys: [] },
  );
  return fc.tuple(ids, query).map(([chosen, asked]) => {
    const address = named.map((part, i) => part + (chosen[i] ?? "")).join("");
    const pairs = Object.entries(asked).map(([name, text]) => `${name}=${text}`);
    return pairs.length === 0 ? address : `${address}?${pairs.join("&")}`;
  });
}

/** As much of it as an address may have. Placeholders stay as they are. */
function asQuery(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return encodeURIComponent(text.slice(0, 4_000).toWellFormed()).replaceAll("%40%40", "@@");
}

function bodyOf(
  { operationId, requestBody }: Operation,
  schemas: ApiDocument["components"]["schemas"],
  settings: readonly SettingView[],
): fc.Arbitrary<string | undefined> {
  if (requestBody === undefined) return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.json());
  const schema = requestBody.content["application/json"]?.schema;
  if (schema === undefined) return fc.oneof(fc.constant(MARK), fc.string({ maxLength: 200, unit: "binary" }));
  const valid =
    operationId === "patchSettings" ? changesOf(settings) : valuesOf(schema, schemas).map(withinThisMachine);
  const wrong = mutated(valid).map(withinThisMachine);
  const text = (value: fc.Arbitrary<unknown>) => value.map((each) => JSON.stringify(each));
  return fc.oneof(
    { weight: 3, arbitrary: text(valid) },
    { weight: 6, arbitrary: text(wrong) },
    { weight: 3, arbitrary: mangled(text(valid)) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, "", "null", "[]", `"${MARK}"`) },
  );
}

/** No provider that is elsewhere. */
function withinThisMachine(value: unknown): unknown {
  if (value === null || typeof value !== "object" || !("provider" in value)) return value;
  const { provider } = value as { provider: unknown };
  if (typeof provider !== "string") return value;
  return { ...value, provider: PROVIDERS[provider.length % PROVIDERS.length] };
}

function changesOf(settings: readonly SettingView[]): fc.Arbitrary<unknown> {
  const some = settings.filter(({ name }) => !LEFT_ALONE.test(name));
  const change = fc.oneof(
    ...some.map(({ name, schema }) =>
      fc.record({ name: fc.constant(name), value: valuesOf(schema as JsonSchema, {}) }),
    ),
  );
  return fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }) });
}

/** Bodies that are never a message, so that none of these requests waits for a reply. */
const askedOfV1: fc.Arbitrary<Request> = requestOf({
  method: fc.constant("POST"),
  path: fc.constantFrom("/v1/chat/completions", "/v1/responses"),
  body: fc.oneof(
    fc.json().map((text) => `{"model":"mimikit","messages":${text}}`),
    fc.json().map((text) => `{"model":"mimikit","messages":[{"role":"user","content":[${text}]}]}`),
    fc.json().map((text) => `{"model":"mimikit","input":[${text}]}`),
    mangled(fc.constant(`{"model":"mimikit","messages":[{"role":"system","content":"${MARK}"}]}`)),
  ),
  signedIn: mostly(true),
});
