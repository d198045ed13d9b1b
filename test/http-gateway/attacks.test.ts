/** The attacks of docs/security.md that go through HTTP or the WebSocket, each with its number in front. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { MESSAGE_BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import { inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import type { ClientOptions } from "ws";
import { connect, open, refusal } from "./client.ts";
import { type Ask, type Started, startGateway } from "./gateway.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const HI = JSON.stringify({ text: "hi" });
const LONGER_THAN_ANY_MESSAGE = JSON.stringify({ text: "a".repeat(MESSAGE_BODY_BYTES_MAX) });

interface Attack {
  name: string;
  path?: string;
  ask: Ask | ((gateway: Started) => Ask);
  status: number | number[];
}

const byHost = (host: string): Record<string, string> => ({ ...JSON_TYPE, Host: host });
const byOrigin = (origin: string): Ask => ({ method: "POST", headers: { ...JSON_TYPE, Origin: origin }, body: HI });
const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Ask => ({
  method: "POST",
  headers,
  body,
});

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
  {
    name: "7 upper case is the same name",
    ask: ({ port }) => ({ ...post(HI), headers: byHost(`LOCALHOST:${port}`) }),
    status: 202,
  },
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
  { name: "35 depth 5,000,000", ask: post("[".repeat(5_000_000)), status: 413 },
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
];

/** Only these may leave a message behind. */
const HARMLESS = 202;

test.each(ATTACKS)("$name", async ({ path = "/api/input", ask, status }) => {
  const gateway = await startGateway();
  const answer = await gateway.ask(path, typeof ask === "function" ? ask(gateway) : ask);
  expect([status].flat()).toContain(answer.status);
  if (answer.status === HARMLESS) return;
  expect(answer.json).toEqual({
    error: {
      code: expect.stringMatching(/^[a-z_]+$/),
      message: expect.any(String),
      coded: { message: { code: expect.stringMatching(/^[a-z_0-9]+$/), params: expect.any(Object) } },
      ...(typeof (answer.json as { error: { hint?: string } }).error.hint === "string" && { hint: expect.any(String) }),
    },
  });
  expect(answer.text).not.toMatch(/ at .*\.(ts|js)|node_modules|node:internal/);
  expect(gateway.names("inbox")).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("14 a preflight from another origin is refused without a word about CORS", async () => {
  const gateway = await startGateway();
  const answer = await gateway.ask("/api/input", {
    method: "OPTIONS",
    signedIn: false,
    headers: { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" },
  });
  expect(answer.status).toBe(403);
  const corsHeaders = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"));
  expect(corsHeaders).toEqual([]);
});

test("1 our own page, by its exact origin, is let in", async () => {
  const gateway = await startGateway();
  const headers = { Origin: `http://127.0.0.1:${gateway.port}` };
  expect((await gateway.post("/api/input", { text: "hi" }, { headers })).status).toBe(202);
});

test("15 a name that the owner listed is served, with its own origin only, also behind a proxy that speaks TLS", async () => {
  const gateway = await startGateway({ config: { allowedHosts: ["mimi.example"] } });
  const as = (origin: string) =>
    gateway.post("/api/input", { text: "hi" }, { headers: { Host: "mimi.example", Origin: origin } });
  expect((await as("https://mimi.example")).status).toBe(202);
  expect((await as("https://evil.example")).status).toBe(403);
  expect((await as(`http://127.0.0.1:${gateway.port}`)).status).toBe(403);
});

const UPGRADES: { name: string; options?: (gateway: Started) => ClientOptions; path?: string; status: number }[] = [
  { name: "16 an upgrade from another origin", options: () => ({ origin: "https://evil.example" }), status: 403 },
  { name: "16 an upgrade with Origin null", options: () => ({ origin: "null" }), status: 403 },
  { name: "16 an upgrade to a foreign host", options: () => ({ headers: { Host: "attacker.example" } }), status: 421 },
  { name: "18 a token in the address", path: "/ws?token=secret", status: 400 },
  { name: "19 an upgrade anywhere else", path: "/socket", status: 404 },
];

test.each(UPGRADES)("$name", async ({ options, path, status }) => {
  const gateway = await startGateway();
  expect(await refusal(gateway, options?.(gateway), path)).toBe(status);
});

test("17 a hello without a token is turned away", async () => {
  const client = await open(await startGateway());
  client.send({ type: "hello" });
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual([]);
});

test("17 a hello with a wrong token is turned away", async () => {
  const client = await open(await startGateway());
  client.send({ type: "hello", token: "0".repeat(64) });
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual([]);
});

test("17 who says nothing is turned away when its time is up", async () => {
  const client = await open(await startGateway({ helloMs: 50 }));
  expect(await client.closed).toBe(1008);
});

test("18 a token in the query of the API is no credential", async () => {
  const gateway = await startGateway();
  expect((await gateway.ask(`/api/status?token=${gateway.token}`, { signedIn: false })).status).toBe(401);
});

test("20 a frame longer than any message closes the connection with 1009", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  client.socket.send(LONGER_THAN_ANY_MESSAGE);
  expect(await client.closed).toBe(1009);
  expect(gateway.names("inbox")).toEqual([]);
});

test("20 a hello of 65 KB is turned away: it holds no message", async () => {
  const gateway = await startGateway();
  const client = await open(gateway);
  client.socket.send(JSON.stringify({ type: "hello", token: gateway.token }) + " ".repeat(66_560));
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual([]);
});

test("21 a message of 10 MB in fragments closes the connection with 1009", async () => {
  const client = await connect(await startGateway());
  await client.next("snapshot");
  const fragment = "a".repeat(50_000);
  for (let i = 0; i < 200; i++) client.socket.send(fragment, { fin: i === 199 });
  expect(await client.closed).toBe(1009);
});

test("22 compression is never agreed upon", async () => {
  const client = await open(await startGateway(), { perMessageDeflate: true });
  expect(client.socket.extensions).toBe("");
});

test("23 the 65th socket is refused, and one that leaves makes room", async () => {
  const gateway = await startGateway({ helloMs: 60_000 });
  const clients = await Promise.all(Array.from({ length: 64 }, () => open(gateway)));
  expect(await refusal(gateway)).toBe(503);
  await clients[0]?.close();
  const next = await connect(gateway);
  await next.next("snapshot");
});

test("25 a message before hello closes the connection and is not taken", async () => {
  const gateway = await startGateway();
  const client = await open(gateway);
  client.send({ type: "input", id: "a", text: "hi" });
  client.send({ type: "hello", token: gateway.token });
  expect(await client.closed).toBe(1008);
  expect(gateway.names("inbox")).toEqual([]);
});

test("25 what is not JSON, or no frame of ours, is told and does no harm after hello", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  for (const text of [
    "no json",
    "[".repeat(1_000),
    `{"type":"reset"}`,
    `{"type":"input","id":"a","text":"hi","__proto__":1}`,
  ]) {
    client.socket.send(text);
    expect(await client.next("error")).toMatchObject({ code: "invalid" });
  }
  client.send({ type: "input", id: "b", text: "still here" });
  expect(await client.next("accepted")).toMatchObject({ id: "b" });
});

test("25 binary frames are not spoken", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  client.socket.send(Buffer.from(HI));
  expect(await client.closed).toBe(1003);
});

test("37 of a key that is there twice, the last counts, and one record is written", async () => {
  const gateway = await startGateway();
  const answer = await gateway.ask("/api/input", post(`{"text":"first","text":"last"}`));
  const { id } = answer.json as { id: string };
  expect(JSON.parse(readFileSync(join(gateway.home, inboxPath(id)), "utf8"))).toMatchObject({ text: "last" });
});

test("38 odd characters come back as they were sent", async () => {
  const gateway = await startGateway();
  const text = "lone \ud800 nul \u0000 override \u202e separator \u2028 end";
  const { id } = (await gateway.post("/api/input", { text })).json as { id: string };
  const { messages } = (await gateway.ask("/api/messages")).json as { messages: { text: string }[] };
  expect(messages.at(-1)?.text).toBe(text);
  const stored = readFileSync(join(gateway.home, inboxPath(id)), "utf8");
  expect(stored).toContain("\\ud800");
  expect(stored).not.toContain("\u0000");
});

test("38 bytes that are not UTF-8 are refused", async () => {
  const gateway = await startGateway();
  const body = Buffer.concat([Buffer.from(`{"text":"`), Buffer.from([0xff, 0xfe]), Buffer.from(`"}`)]);
  expect((await gateway.ask("/api/input", post(body))).status).toBe(400);
  expect(gateway.names("inbox")).toEqual([]);
});

test("40 a message full of action tags is a message", async () => {
  const gateway = await startGateway();
  const text = "<M:a>".repeat(12_000);
  const { id } = (await gateway.post("/api/input", { text })).json as { id: string };
  expect(JSON.parse(readFileSync(join(gateway.home, inboxPath(id)), "utf8"))).toMatchObject({ text });
});

test.each([
  { name: "41 a header that never ends is cut off", text: "POST /api/input HTTP/1.1\r\nHost: x\r\n" },
  {
    name: "41 a body that never ends is cut off",
    text: "POST /api/input HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
  },
])("$name", async ({ text }) => {
  const gateway = await startGateway({ requestMs: 200 });
  const socket = connectTcp(gateway.port, gateway.host);
  socket.write(text.replace("HOST", `127.0.0.1:${gateway.port}`).replace("TOKEN", gateway.token));
  socket.resume();
  await once(socket, "close");
  expect((await gateway.ask("/healthz")).status).toBe(200);
});

test("60 no credential is ever logged", async () => {
  const gateway = await startGateway();
  const canary = "canary-4711-0815";
  await gateway.ask(`/api/status?token=${gateway.token}`, { signedIn: false });
  await gateway.ask(`/${gateway.token}`, { headers: { Cookie: canary, "X-Mimikit-Secret": canary } });
  for (let i = 0; i < 12; i++) await gateway.ask("/api/status", { headers: { Authorization: `Bearer ${canary}` } });
  await gateway.post("/api/pair", { code: canary });
  await gateway.post("/api/input", { text: "hi" });
  await gateway.post("/api/restart", {});
  expect(gateway.logged.join("\n")).toContain("too many wrong credentials");
  expect(gateway.logged.join("\n")).not.toContain(canary);
  expect(gateway.logged.join("\n")).not.toContain(gateway.token);
});
