/** The attacks that are one HTTP request, each with its number in docs/attacks.md in front, on a whole system. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { MESSAGE_BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ask } from "../http-gateway/gateway.ts";
import { System } from "./system.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const HI = JSON.stringify({ text: "hi" });
const LONGER_THAN_ANY_MESSAGE = JSON.stringify({ text: "a".repeat(MESSAGE_BODY_BYTES_MAX) });

interface Attack {
  name: string;
  path?: string;
  ask: Ask | ((system: System) => Ask);
  status: number | number[];
}

const byHost = (host: string): Record<string, string> => ({ ...JSON_TYPE, Host: host });
const byOrigin = (origin: string): Ask => ({ method: "POST", headers: { ...JSON_TYPE, Origin: origin }, body: HI });
const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Ask => ({
  method: "POST",
  headers,
  body,
});

const order = (fields: object): Ask => post(JSON.stringify({ prompt: "an order", ...fields }));
const nested = (levels: number): object =>
  levels === 0 ? { type: "file_exists", params: { path: "a" } } : { type: "not", condition: nested(levels - 1) };
const wide = (leaves: number): object => ({ type: "or", conditions: Array.from({ length: leaves }, () => nested(0)) });
const asTrigger = { path: "/api/triggers", status: 400 };

const ATTACKS: Attack[] = [
  { name: "1 a page of another origin posts", ask: byOrigin("https://evil.example"), status: 403 },
  { name: "2 a sandboxed page posts with Origin null", ask: byOrigin("null"), status: 403 },
  { name: "3 an origin that begins like ours", ask: byOrigin("http://127.0.0.1.evil.com"), status: 403 },
  { name: "4 our host, another port", ask: byOrigin("http://127.0.0.1:1"), status: 403 },
  {
    name: "4 our host and port under another scheme",
    ask: ({ port }) => byOrigin(`https://127.0.0.1:${port}`),
    status: 403,
  },
  {
    name: "4 another of our names than the one that was asked for",
    ask: ({ port }) => byOrigin(`http://localhost:${port}`),
    status: 403,
  },
  { name: "5 no origin and no token", ask: { ...post(HI), signedIn: false }, status: 401 },
  { name: "6 a foreign host (DNS rebinding)", ask: { ...post(HI), headers: byHost("attacker.example") }, status: 421 },
  {
    name: "7 a trailing dot",
    ask: ({ port }) => ({ ...post(HI), headers: byHost(`localhost.:${port}`) }),
    status: 421,
  },
  { name: "7 userinfo", ask: ({ port }) => ({ ...post(HI), headers: byHost(`a@localhost:${port}`) }), status: 421 },
  { name: "7 no port", ask: { ...post(HI), headers: byHost("localhost") }, status: 421 },
  {
    name: "8 X-Forwarded-Host does not make a foreign host ours",
    ask: ({ port }) => ({
      ...post(HI),
      headers: {
        ...byHost("attacker.example"),
        "X-Forwarded-Host": `127.0.0.1:${port}`,
        Forwarded: `host=127.0.0.1:${port}`,
      },
    }),
    status: 421,
  },
  { name: "9 JSON as text/plain", ask: post(HI, { "Content-Type": "text/plain" }), status: 415 },
  { name: "9 JSON of no type", ask: post(HI, {}), status: 415 },
  {
    name: "9 a type that only begins like JSON",
    ask: post(HI, { "Content-Type": "application/json-patch+json" }),
    status: 415,
  },
  { name: "9 another charset", ask: post(HI, { "Content-Type": "application/json; charset=utf-16" }), status: 415 },
  { name: "9 a compressed body", ask: post(HI, { ...JSON_TYPE, "Content-Encoding": "gzip" }), status: 415 },
  { name: "10 a form", ask: post("text=hi", { "Content-Type": "application/x-www-form-urlencoded" }), status: 415 },
  {
    name: "11 a restart without body or token",
    path: "/api/restart",
    ask: { method: "POST", signedIn: false },
    status: 401,
  },
  { name: "11 a restart without a JSON body", path: "/api/restart", ask: { method: "POST" }, status: 415 },
  { name: "12 GET on a mutating route", ask: { method: "GET" }, status: 405 },
  { name: "12 GET on restart", path: "/api/restart", ask: { method: "GET" }, status: 405 },
  { name: "13 a method override", ask: { method: "GET", headers: { "X-HTTP-Method-Override": "POST" } }, status: 405 },
  {
    name: "15 a subdomain of localhost",
    ask: ({ port }) => ({ ...post(HI), headers: byHost(`a.localhost:${port}`) }),
    status: 421,
  },
  { name: "15 0.0.0.0", ask: ({ port }) => ({ ...post(HI), headers: byHost(`0.0.0.0:${port}`) }), status: 421 },
  {
    name: "15 an IPv4 address as IPv6",
    ask: ({ port }) => ({ ...post(HI), headers: byHost(`[::ffff:127.0.0.1]:${port}`) }),
    status: 421,
  },
  { name: "34 a body longer than any message", ask: post(LONGER_THAN_ANY_MESSAGE), status: 413 },
  {
    name: "34 a body of 65 KB that holds no message",
    path: "/api/stop",
    ask: post(`"${"a".repeat(66_560)}"`),
    status: 413,
  },
  {
    name: "34 a body longer than any message that does not say so",
    ask: {
      ...post(LONGER_THAN_ANY_MESSAGE),
      headers: { ...JSON_TYPE, "Transfer-Encoding": "chunked" },
    },
    status: 413,
  },
  { name: "35 depth 17", ask: post(`{"text":${"[".repeat(16)}${"]".repeat(16)}}`), status: 400 },
  { name: "35 depth 1,000", ask: post("[".repeat(1_000)), status: 400 },
  { name: "35 depth 5,000, closed", ask: post("[".repeat(5_000) + "]".repeat(5_000)), status: 400 },
  { name: "35 depth 400,000", ask: post("[".repeat(400_000)), status: 400 },
  {
    name: "35 depth 5,000,000",
    // Answered before all of it has come: on a connection that is to be closed then, the rest may find nobody.
    ask: post("[".repeat(5_000_000), { ...JSON_TYPE, Connection: "keep-alive" }),
    status: 413,
  },
  { name: "36 __proto__", ask: post(`{"text":"hi","__proto__":{"polluted":true}}`), status: 400 },
  { name: "36 __proto__ below", ask: post(`{"text":"hi","client":{"__proto__":{"polluted":true}}}`), status: 400 },
  {
    name: "36 constructor.prototype",
    ask: post(`{"text":"hi","constructor":{"prototype":{"polluted":true}}}`),
    status: 400,
  },
  { name: "39 1e309", ask: post(`{"text":1e309}`), status: 400 },
  { name: "39 -0", ask: post(`{"text":"hi","n":-0}`), status: 400 },
  { name: "39 a huge integer", path: "/api/messages?limit=99999999999999999999", ask: {}, status: 400 },
  { name: "39 1e309 in a query", path: "/api/messages?limit=1e309", ask: {}, status: 400 },
  { name: "42 malformed percent-encoding in an id", path: "/api/tasks/%E0%A4%A", ask: {}, status: 400 },
  { name: "42 malformed percent-encoding in a file", path: "/%E0%A4%A", ask: {}, status: 400 },
  { name: "43 ../x", path: "/api/tasks/..%2Fx", ask: {}, status: 400 },
  { name: "43 ..%2f, encoded twice", path: "/api/tasks/..%252fx", ask: {}, status: 400 },
  { name: "43 a/b", path: "/api/tasks/a%2Fb", ask: {}, status: 400 },
  { name: "43 NUL", path: "/api/tasks/a%00b", ask: {}, status: 400 },
  { name: "43 300 characters", path: `/api/tasks/${"a".repeat(300)}`, ask: {}, status: 400 },
  { name: "43 fullwidth letters", path: "/api/tasks/%EF%BD%81", ask: {}, status: 400 },
  { name: "43 CON", path: "/api/tasks/CON", ask: {}, status: 400 },
  { name: "43 one dot", path: "/api/tasks/%2E", ask: {}, status: 400 },
  { name: "43 __proto__", path: "/api/tasks/__proto__", ask: {}, status: 400 },
  { name: "43 ../x to be cancelled", path: "/api/tasks/..%2Fx/cancel", ask: { ...post("{}") }, status: 400 },
  { name: "43 a dot file of the page", path: "/.env", ask: {}, status: 404 },
  { name: "43 out of the page's folder", path: "/..%2f..%2fpackage.json", ask: {}, status: [400, 403, 404] },
  { name: "43 the token through the page", path: "/../token", ask: {}, status: [400, 403, 404] },
  { name: "51 a condition of 17 levels", ask: order({ condition: nested(17) }), ...asTrigger },
  { name: "51 a condition of 65 leaves", ask: order({ condition: wide(65) }), ...asTrigger },
  { name: "52 an interval of 0 s", ask: order({ interval: 0 }), ...asTrigger },
  { name: "52 an interval of -1 s", ask: order({ interval: -1 }), ...asTrigger },
  { name: "52 an interval of a nanosecond", ask: order({ interval: 1e-9 }), ...asTrigger },
  { name: "52 a cron of every second", ask: order({ cron: "* * * * * *" }), ...asTrigger },
];

const OWNERS_NAME = "mimi.example";

let system: System;
beforeAll(async () => {
  system = await System.start({ env: { MIMIKIT_ALLOWED_HOSTS: OWNERS_NAME } });
});
afterAll(() => system.close());

test.each(ATTACKS)("$name", async ({ path = "/api/input", ask, status }) => {
  const before = system.state();
  const answer = await system.ask(path, typeof ask === "function" ? ask(system) : ask);
  expect([status].flat()).toContain(answer.status);
  expect(answer.json).toEqual({
    error: {
      code: expect.stringMatching(/^[a-z_]+$/),
      message: expect.any(String),
      coded: { message: { code: expect.stringMatching(/^[a-z_0-9]+$/), params: expect.any(Object) } },
      ...(typeof (answer.json as { error: { hint?: string } }).error.hint === "string" && { hint: expect.any(String) }),
    },
  });
  expect(answer.text).not.toMatch(/ at .*\.(ts|js)|node_modules|node:internal/);
  expect(system.state(), "nothing is written for a request that is refused").toEqual(before);
});

test("14 a preflight from another origin is refused without a word about CORS", async () => {
  const answer = await system.ask("/api/input", {
    method: "OPTIONS",
    signedIn: false,
    headers: {
      Origin: "https://evil.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Private-Network": "true",
    },
  });
  expect(answer.status).toBe(403);
  const corsHeaders = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"));
  expect(corsHeaders).toEqual([]);
});

/** Sends a message, and waits until it is answered. @returns the message as it is kept. */
async function said(body: string | Buffer, headers: Record<string, string> = JSON_TYPE) {
  const answer = await system.ask("/api/input", post(body, headers));
  expect(answer.status).toBe(202);
  const { id } = answer.json as { id: string };
  await system.mimikit.replyTo(id);
  const message = (await system.mimikit.messages()).find((each) => each.id === id);
  return message ?? expect.unreachable(`${id} is in no history`);
}

test("1 our own page, by its exact origin, is let in", async () => {
  await said(HI, { ...JSON_TYPE, Origin: `http://127.0.0.1:${system.port}` });
});

test("7 upper case is the same name", async () => {
  await said(HI, byHost(`LOCALHOST:${system.port}`));
});

test("15 a name that the owner listed is served, with its own origin only, also behind a proxy that speaks TLS", async () => {
  const headers = (origin: string) => ({ ...byHost(OWNERS_NAME), Origin: origin });
  await said(HI, headers(`https://${OWNERS_NAME}`));
  for (const origin of ["https://evil.example", `http://127.0.0.1:${system.port}`])
    expect((await system.ask("/api/input", post(HI, headers(origin)))).status).toBe(403);
});

test("18 a token in the query of the API is no credential", async () => {
  expect((await system.ask(`/api/status?token=${system.token}`, { signedIn: false })).status).toBe(401);
});

test("37 of a key that is there twice, the last counts, and one record is written", async () => {
  expect(await said(`{"text":"first of two","text":"last of two"}`)).toMatchObject({ text: "last of two" });
  expect(system.filesWith("first of two")).toEqual([]);
});

test("38 odd characters come back as they were sent", async () => {
  const text = "lone \ud800 nul \u0000 override \u202e separator \u2028 end";
  expect(await said(JSON.stringify({ text }))).toMatchObject({ text });
  const files = system.filesWith("separator");
  expect(files.length).toBeGreaterThan(0);
  for (const path of files) expect(readFileSync(path).includes(0), path).toBe(false);
});

test("38 bytes that are not UTF-8 are refused", async () => {
  await system.atRest();
  const before = system.state();
  const body = Buffer.concat([Buffer.from(`{"text":"`), Buffer.from([0xff, 0xfe]), Buffer.from(`"}`)]);
  expect((await system.ask("/api/input", post(body))).status).toBe(400);
  expect(system.state()).toEqual(before);
});

test("40 a message full of action tags is a message", async () => {
  const text = "<M:a>".repeat(12_000);
  expect(await said(JSON.stringify({ text }))).toMatchObject({ text });
});

test("50 globs that would match the whole machine, or without end, hold nobody up", async () => {
  const globs = ["{a,b}".repeat(200), `${"**/".repeat(64)}x`, "/**", "/proc/**", `${"*a".repeat(200)}*b`];
  const made: string[] = [];
  for (const path of globs) {
    const condition = { type: "file_exists", params: { path } };
    const answer = await system.post("/api/triggers", { prompt: "an order", condition });
    expect([202, 400], path).toContain(answer.status);
    if (answer.status === 202) made.push((answer.json as { id: string }).id);
  }
  for (const id of made) expect((await system.ask(`/api/triggers/${id}/explain`)).status).toBe(200);
  await said(HI);
  for (const id of made) await system.ask(`/api/triggers/${id}`, { method: "DELETE" });
  await system.mimikit.drained();
});

test.concurrent.each([
  { name: "41 a header that never ends is cut off", text: "POST /api/input HTTP/1.1\r\nHost: x\r\n" },
  {
    name: "41 a body that never ends is cut off",
    text: "POST /api/input HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
  },
])("$name", async ({ text }) => {
  const socket = connectTcp(system.port, system.host);
  socket.write(text.replace("HOST", `127.0.0.1:${system.port}`).replace("TOKEN", system.token));
  socket.resume();
  await once(socket, "close");
  expect((await system.ask("/healthz")).status).toBe(200);
});

test("60 no credential is ever logged, printed or kept", async () => {
  const canary = "canary-4711-0815";
  const from = "127.0.0.60";
  await system.ask(`/api/status?token=${system.token}`, { signedIn: false });
  await system.ask(`/${system.token}`, { headers: { Cookie: canary, "X-Mimikit-Secret": canary } });
  const headers = { Authorization: `Bearer ${canary}` };
  for (let i = 0; i < 12; i++) await system.ask("/api/status", { headers, from });
  await system.post("/api/pair", { code: canary }, { from });
  await system.mimikit.until(
    "the warning",
    () => system.mimikit.output.includes("too many wrong credentials") || undefined,
  );
  for (const secret of [canary, system.token]) {
    expect(system.mimikit.output).not.toContain(secret);
    expect(system.filesWith(secret)).toEqual([]);
  }
});
