/** Bytes that never become a request are answered as every other mistake: with JSON that says what is wrong, and never by a bare line. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { ApiError } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { builtPage } from "../built-page.ts";
import { type Started, startGateway } from "../gateway.ts";

/** The answer to some bytes until the connection is closed. */
async function answerTo(gateway: Started, bytes: string): Promise<string> {
  const socket = connect(gateway.port, gateway.host);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

const CLOSE = "Connection: close\r\n";

test.each([
  { name: "bytes that are no HTTP", bytes: () => "GARBAGE\r\n\r\n", status: 400, code: "invalid" },
  {
    name: "headers of more than 16 KB",
    bytes: () => `GET /healthz HTTP/1.1\r\nX: ${"a".repeat(20_000)}\r\n\r\n`,
    status: 431,
    code: "too_large",
  },
  { name: "headers that never end", bytes: () => "GET /healthz HTTP/1.1\r\nX: a\r\n", status: 408, code: "timeout" },
  {
    name: "a body that never ends",
    bytes: ({ port, token }: Started) =>
      `POST /api/input HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    status: 408,
    code: "timeout",
  },
  {
    name: "an upgrade without a key",
    bytes: ({ port }: Started) =>
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    status: 400,
    code: "invalid",
  },
  { name: "no host at all", bytes: () => `GET /healthz HTTP/1.1\r\n${CLOSE}\r\n`, status: 421, code: "wrong_host" },
])("$name: $status as JSON", async ({ bytes, status, code }) => {
  // Only what never ends has to wait for it.
  const gateway = await startGateway(status === 408 ? { requestMs: 200 } : {});
  const answer = await answerTo(gateway, bytes(gateway));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*content-type: application/json`, "i"));
  const { error } = ApiError.parse(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))));
  expect(error.code).toBe(code);
});

test("an expectation that it does not know is no reason to refuse a request", async () => {
  const gateway = await startGateway();
  const { status, json } = await gateway.ask("/healthz", { headers: { Expect: "the unexpected" } });
  expect({ status, json }).toEqual({ status: 200, json: { ok: true } });
});

test("an answer that has begun gets no other into the middle of it", async () => {
  const pageDir = builtPage();
  writeFileSync(join(pageDir, "long.txt"), "a".repeat(50_000_000));
  const gateway = await startGateway({ pageDir });
  const socket = connect(gateway.port, gateway.host);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  socket.write(`GET /long.txt HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
  await once(socket, "data");
  // More than the system keeps for one that does not read, so the answer stands still.
  socket.pause();
  socket.write("GARBAGE\r\n\r\n");
  await gateway.ask("/healthz");
  socket.resume();
  await once(socket, "close");
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test("a request for a head is told no body, also where it is refused for what comes behind it", async () => {
  const gateway = await startGateway();
  const host = `Host: 127.0.0.1:${gateway.port}\r\n`;
  const upgrade = `HEAD /socket HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  expect(await answerTo(gateway, upgrade)).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\n\r\n$/);
  const signedIn = `Authorization: Bearer ${gateway.token}\r\n`;
  const withBody = `HEAD /api/status HTTP/1.1\r\n${host}${signedIn}\r\n{"a":1}`;
  expect(await answerTo(gateway, withBody)).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\n\r\n$/);
  const large = `HEAD /healthz HTTP/1.1\r\n${host}X: ${"a".repeat(20_000)}\r\n\r\n`;
  expect(await answerTo(gateway, large)).toMatch(/^HTTP\/1\.1 431 [\s\S]*\r\n\r\n$/);
});
