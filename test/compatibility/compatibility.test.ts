/** The promises of the last release still hold (docs/compatibility.md), and a change that breaks one is said in words. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApiDocument } from "../../apps/http-gateway/src/api/describe-api.ts";
import { describeNames, describeOpenApi, type Names } from "../../scripts/public-surface.ts";
import { breaksOfApi, breaksOfNames } from "./find-breaks.ts";

/** Those that scripts/keep-release.ts has kept. */
const RELEASES = readdirSync(import.meta.dirname).flatMap((name) => /^openapi-(.+)\.json$/.exec(name)?.[1] ?? []);

const kept = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));

test("a release is kept to compare with", () => {
  expect(RELEASES).not.toEqual([]);
});

describe.each(RELEASES)("version %s", (release) => {
  test("every route, parameter and answer of it is still there", () => {
    expect(breaksOfApi(kept(`openapi-${release}.json`) as ApiDocument, describeOpenApi())).toEqual([]);
  });

  test("every command, option, setting and variable of it is still there", async () => {
    expect(breaksOfNames(kept(`names-${release}.json`) as Names, await describeNames())).toEqual([]);
  });
});

/** A change of one place in what is described today, by the path to it. */
type Change = [path: string[], value: unknown];

/** The same with a change; `undefined` takes the place out. Throws where there is no such place, so that no change is in vain. */
function changed<T>(document: T, [path, value]: Change): T {
  const copy = structuredClone(document);
  const last = path.at(-1) ?? "";
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
  const table = holder as Record<string, unknown>;
  if (value === undefined) {
    if (!(last in table)) throw new Error(`there is no ${path.join(".")}`);
    delete table[last];
  } else table[last] = value;
  return copy;
}

const INPUT = ["paths", "/api/input", "post"];
const TASKS = ["paths", "/api/tasks", "get"];
const schema = (...path: string[]) => ["components", "schemas", ...path];
const UNLIKELY = { name: "unlikely", in: "query", schema: { type: "string" } };

test.each<[Change, string]>([
  [[["paths", "/api/tasks"], undefined], "GET /api/tasks is gone"],
  [[[...TASKS, "parameters"], []], "GET /api/tasks: the query parameter limit is gone"],
  [
    [[...TASKS, "parameters", "2", "schema", "maximum"], 1],
    "GET /api/tasks: the query parameter limit has the maximum 1 now, and had",
  ],
  [[[...INPUT, "parameters", "0", "required"], true], "the header parameter Idempotency-Key is required now"],
  [[[...INPUT, "parameters", "1"], { ...UNLIKELY, required: true }], "parameter unlikely is new and required"],
  [[[...INPUT, "requestBody", "content"], {}], "POST /api/input: the body is no application/json any more"],
  [[[...INPUT, "responses", "202"], undefined], "POST /api/input: the answer 202 is gone"],
  [[["paths", "/healthz", "get", "security"], undefined], "GET /healthz needs a sign-in now"],
  [[schema("Status", "properties", "ready"), undefined], "GET /api/status: the answer 200: ready is gone"],
  [[schema("Status", "required"), []], "GET /api/status: the answer 200: ready is not always there now"],
  [[schema("Status", "properties", "ready"), { type: "string" }], "ready is string now, and was boolean"],
  [
    [schema("Status", "properties", "ready"), { anyOf: [{ type: "boolean" }, { type: "null" }] }],
    "ready may be null now",
  ],
  [[["x-websocket", "client"], { type: "null" }], "a frame to /ws"],
])("%j of the API is a break: %s", (change, words) => {
  const today = describeOpenApi();
  expect(breaksOfApi(today, today)).toEqual([]);
  expect(breaksOfApi(today, changed(today, change)).join("\n")).toContain(words);
});

test.each<Change>([
  [["paths", "/api/new"], { get: { parameters: [], responses: {} } }],
  [[...INPUT, "parameters", "1"], { ...UNLIKELY, required: false }],
  [schema("Status", "properties", "unlikely"), { type: "string" }],
  [[...TASKS, "parameters", "2", "schema", "maximum"], 1_000_000],
])("%j of the API is an addition, and no break", (...change) => {
  const today = describeOpenApi();
  expect(breaksOfApi(today, changed(today, change))).toEqual([]);
});

test.each<[Change, string]>([
  [[["commands", "ask"], undefined], "the command ask is gone"],
  [[["commands", "ask", "takes", "--timeout"], undefined], "mimikit ask --timeout is gone"],
  [[["commands", "audit", "takes", "--lines", "names"], ["--lines"]], "mimikit audit --lines is not -n any more"],
  [
    [
      ["commands", "audit", "takes", "action", "choices"],
      ["tail", "verify"],
    ],
    "mimikit audit action may not be replay any more",
  ],
  [[["commands", "audit tail"], undefined], "the command audit tail is gone"],
  [[["commands", "audit verify", "takes", "--actor"], undefined], "mimikit audit verify --actor is gone"],
  [[["commands", "ask", "takes", "--to"], { names: ["--to"], isRequired: true }], "mimikit ask --to is required now"],
  [[["commands", "ask", "positionals"], []], "mimikit ask takes fewer arguments: none"],
  [[["variables", "port"], []], "MIMIKIT_PORT does not set port any more"],
  [[["settings", "properties", "port"], undefined], "config.yaml: port is gone"],
  [[["settings", "properties", "port", "maximum"], 9], "config.yaml: port has the maximum 9 now"],
])("%j of the command line or the settings is a break: %s", async (change, words) => {
  const today = await describeNames();
  expect(breaksOfNames(today, today)).toEqual([]);
  expect(breaksOfNames(today, changed(today, change)).join("\n")).toContain(words);
});
