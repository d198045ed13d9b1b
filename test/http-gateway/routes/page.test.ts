import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtPage } from "../built-page.ts";
import { startGateway, temporaryHome } from "../gateway.ts";

test("the gateway says that it serves, to anybody who asks by the right name", async () => {
  const gateway = await startGateway();
  expect(await gateway.ask("/healthz", { signedIn: false })).toMatchObject({ status: 200, json: { ok: true } });
  expect((await gateway.ask("/healthz", { signedIn: false, headers: { Host: "evil.example" } })).status).toBe(421);
});

test("the page is served without signing in: it holds no secret", async () => {
  const gateway = await startGateway({ pageDir: builtPage() });
  const page = await gateway.ask("/", { signedIn: false });
  expect(page).toMatchObject({ status: 200, text: "<!doctype html><title>Mimikit</title>" });
  expect(page.headers["cache-control"]).toBe("no-cache");
  const asset = await gateway.ask("/assets/app-1a2b.js", { signedIn: false });
  expect(asset.headers["content-type"]).toMatch(/^text\/javascript/);
  expect(asset.headers["cache-control"]).toContain("immutable");
  expect((await gateway.ask("/.secret", { signedIn: false })).status).toBe(404);
  expect((await gateway.ask("/assets/", { signedIn: false })).status).toBe(404);
});

test("assets go out compressed as the browser can read them, with the headers and the text that they have without", async () => {
  const gateway = await startGateway({ pageDir: builtPage() });
  const asked = (encoding: string, path = "/assets/app-1a2b.js", method = "GET") =>
    fetch(`http://127.0.0.1:${gateway.port}${path}`, { method, headers: { "Accept-Encoding": encoding } });
  const plain = await asked("identity");
  expect(plain.headers.get("content-encoding")).toBeNull();
  const text = await plain.text();
  for (const [accepted, used] of [
    ["gzip, deflate, br", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
  ] as const) {
    const answer = await asked(accepted);
    expect(answer.headers.get("content-encoding")).toBe(used);
    expect(answer.headers.get("vary")).toContain("Accept-Encoding");
    for (const name of ["content-type", "cache-control", "content-security-policy"])
      expect(answer.headers.get(name)).toBe(plain.headers.get(name));
    expect(await answer.text()).toBe(text);
  }
  expect((await asked("br", "/assets/app-1a2b.js", "HEAD")).headers.get("content-encoding")).toBe("br");
  const outside = ["/assets/none.js", "/assets/..%2f.secret", "/assets/%2e%2e%2f%2e%2e%2fsecret.js", "/assets/a%00.js"];
  for (const path of outside) expect((await asked("br", path)).status).toBeGreaterThanOrEqual(400);
  expect((await asked("br", "/assets/app-1a2b.js", "POST")).status).toBe(404);
});

test("a part that a file does not have is refused as JSON, like everything that is refused", async () => {
  const gateway = await startGateway({ pageDir: builtPage() });
  const refused = await gateway.ask("/index.html", { signedIn: false, headers: { Range: "bytes=5-1" } });
  expect(refused.status).toBe(416);
  expect(refused.headers["content-type"]).toMatch(/^application\/json/);
  expect(refused.json).toMatchObject({ error: { code: expect.any(String) } });
});

test("the document that draws diagrams may be framed by the page alone, and has no origin and nothing to load", async () => {
  const gateway = await startGateway({ pageDir: builtPage() });
  const { headers } = await gateway.ask("/assets/diagrams-1a2b.html", { signedIn: false });
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none';script-src 'unsafe-inline';style-src 'unsafe-inline';frame-ancestors 'self';base-uri 'none';form-action 'none';sandbox allow-scripts",
  );
  expect(headers).toMatchObject({
    "x-frame-options": "SAMEORIGIN",
    "cache-control": expect.stringContaining("immutable"),
  });
});

test("a page that is not built says how to build it", async () => {
  const gateway = await startGateway({ pageDir: join(temporaryHome(), "nowhere") });
  const page = await gateway.ask("/", { signedIn: false });
  expect(page.status).toBe(503);
  expect(page.headers["content-type"]).toMatch(/^text\/html/);
  expect(page.text).toContain("npm run build:web");
});

test.each(["/", "/healthz", "/api/status", "/api/nothing", "/nothing"])(
  "%s carries the security headers",
  async (path) => {
    const gateway = await startGateway({ pageDir: builtPage() });
    const { headers } = await gateway.ask(path);
    expect(headers["content-security-policy"]).toBe(
      "default-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';frame-ancestors 'none';base-uri 'none';form-action 'none'",
    );
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  },
);

test("answers of the API are never kept by a cache", async () => {
  const gateway = await startGateway();
  for (const path of ["/api/status", "/api/messages", "/api/tasks", "/api/nothing"]) {
    expect((await gateway.ask(path)).headers["cache-control"]).toBe("no-store");
  }
});

test.each([
  { path: "/api/input", method: "GET", allow: "POST" },
  { path: "/api/input", method: "DELETE", allow: "POST" },
  { path: "/api/status", method: "POST", allow: "GET, HEAD" },
  { path: "/api/messages", method: "PUT", allow: "GET, HEAD" },
  { path: "/api/tasks", method: "POST", allow: "GET, HEAD" },
  { path: "/api/tasks/t-000001.0", method: "DELETE", allow: "GET, HEAD" },
  { path: "/api/tasks/t-000001.0/cancel", method: "GET", allow: "POST" },
  { path: "/api/pair", method: "GET", allow: "POST" },
  { path: "/api/sign-out", method: "GET", allow: "POST" },
  { path: "/api/restart", method: "OPTIONS", allow: "POST" },
  { path: "/healthz", method: "POST", allow: "GET, HEAD" },
  { path: "/", method: "POST", allow: "GET, HEAD" },
])("$method $path is answered with the methods that are allowed", async ({ path, method, allow }) => {
  const answer = await (await startGateway()).ask(path, { method });
  expect(answer).toMatchObject({ status: 405, json: { error: { code: "method_not_allowed" } } });
  expect(answer.headers.allow).toBe(allow);
});

test.each(["/api", "/api/", "/api/reset", "/api/STATUS", "/api/status/", "/api/tasks/t-1/steers", "/api//status"])(
  "there is nothing at %s",
  async (path) => {
    const answer = await (await startGateway()).ask(path);
    expect(answer).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
  },
);

test("without a credential even the names of the routes stay unknown", async () => {
  const gateway = await startGateway();
  for (const path of ["/api/status", "/api/nothing"])
    expect((await gateway.ask(path, { signedIn: false })).status).toBe(401);
});

test("the status says who answers, who is alive, and what the owner should look at", async () => {
  const gateway = await startGateway();
  await gateway.post("/api/input", { text: "hi" });
  writeFileSync(join(gateway.home, "quarantine/odd.json"), "{");
  const { status, json } = await gateway.ask("/api/status");
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ready: false,
    providers: { teller: "offline", planner: "offline", worker: "offline", reviewer: "offline" },
    processes: { supervisor: { alive: false }, workers: { alive: false }, gateway: { alive: true, pid: process.pid } },
    counts: { inbox: 1, queued: { teller: 0, planner: 0, worker: 0, reviewer: 0 }, quarantine: 1 },
    next: null,
    usage: {
      today: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 },
      budget: { day: null, month: null },
    },
  });
  expect((json as { problems: string[] }).problems).toHaveLength(3);
});
