/** The attacks on the WebSocket, each with its number in docs/attacks.md in front, on a whole system. */
import { MESSAGE_BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientOptions } from "ws";
import { SOCKETS_MAX } from "../../apps/http-gateway/src/http/limits.ts";
import { connect, open, refusal } from "../http-gateway/client.ts";
import { System } from "./system.ts";

const LONGER_THAN_ANY_MESSAGE = JSON.stringify({ text: "a".repeat(MESSAGE_BODY_BYTES_MAX) });

let system: System;
beforeAll(async () => {
  system = await System.start();
});
afterAll(() => system.close());

// The first of the file, so that no socket of another test is still on its way out.
test("23 the 65th socket is refused, and one that leaves makes room", async () => {
  const clients = await Promise.all(Array.from({ length: SOCKETS_MAX }, () => connect(system)));
  expect(await refusal(system)).toBe(503);
  await clients[0]?.close();
  const next = await system.mimikit.until("room for a socket", () => connect(system));
  await next.next("snapshot");
  await Promise.all([...clients, next].map((client) => client.close()));
});

const UPGRADES: { name: string; options?: (system: System) => ClientOptions; path?: string; status: number }[] = [
  { name: "16 an upgrade from another origin", options: () => ({ origin: "https://evil.example" }), status: 403 },
  { name: "16 an upgrade with Origin null", options: () => ({ origin: "null" }), status: 403 },
  { name: "16 an upgrade to a foreign host", options: () => ({ headers: { Host: "attacker.example" } }), status: 421 },
  { name: "18 a token in the address", path: "/ws?token=secret", status: 400 },
  { name: "19 an upgrade anywhere else", path: "/socket", status: 404 },
];

test.each(UPGRADES)("$name", async ({ options, path, status }) => {
  expect(await refusal(system, options?.(system), path)).toBe(status);
});

test("17 a hello without a token is turned away", async () => {
  const client = await open(system);
  client.send({ type: "hello" });
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual([]);
});

test("17 a hello with a wrong token is turned away", async () => {
  const client = await open(system);
  client.send({ type: "hello", token: "0".repeat(64) });
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual([]);
});

test("17 who says nothing is turned away when its time is up", async () => {
  const client = await open(system);
  expect(await client.closed).toBe(1008);
});

test("20 a frame longer than any message closes the connection with 1009", async () => {
  const client = await connect(system);
  await client.next("snapshot");
  const before = system.state();
  client.socket.send(LONGER_THAN_ANY_MESSAGE);
  expect(await client.closed).toBe(1009);
  expect(system.state()).toEqual(before);
});

test("20 a hello of 65 KB is turned away: it holds no message", async () => {
  const client = await open(system);
  client.socket.send(JSON.stringify({ type: "hello", token: system.token }) + " ".repeat(66_560));
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual([]);
});

test("21 a message of 10 MB in fragments closes the connection with 1009", async () => {
  const client = await connect(system);
  await client.next("snapshot");
  const fragment = "a".repeat(50_000);
  for (let i = 0; i < 200; i++) client.socket.send(fragment, { fin: i === 199 });
  expect(await client.closed).toBe(1009);
});

test("22 compression is never agreed upon", async () => {
  const client = await open(system, { perMessageDeflate: true });
  expect(client.socket.extensions).toBe("");
});

test("25 a message before hello closes the connection and is not taken", async () => {
  const client = await open(system);
  const before = system.state();
  client.send({ type: "input", id: "a", text: "hi" });
  client.send({ type: "hello", token: system.token });
  expect(await client.closed).toBe(1008);
  expect(system.state()).toEqual(before);
});

test("25 what is not JSON, or no frame of ours, is told and does no harm after hello", async () => {
  const client = await connect(system);
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
  const client = await connect(system);
  await client.next("snapshot");
  client.socket.send(Buffer.from(JSON.stringify({ type: "clear", id: "a" })));
  expect(await client.closed).toBe(1003);
});
