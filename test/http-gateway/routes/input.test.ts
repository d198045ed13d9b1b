import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { Message } from "@mimikit/protocol/records/inbox";
import { inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { connect } from "../client.ts";
import { startGateway } from "../gateway.ts";
import { settleTurn } from "../records.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

test("a message is a record in inbox/ when 202 is answered", async () => {
  const gateway = await startGateway();
  const client = { timeZone: "Europe/Berlin", now: "2026-11-21T13:00:00+01:00" };
  const answer = await gateway.post("/api/input", { text: "hello", client });
  expect(answer.status).toBe(202);
  const { id } = answer.json as { id: string };
  const path = join(gateway.home, inboxPath(id));
  const record = Message.parse(JSON.parse(readFileSync(path, "utf8")));
  expect(record).toMatchObject({ kind: "message", id, text: "hello", client });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("the same Idempotency-Key is the same message, however often and however concurrently it is sent", async () => {
  const gateway = await startGateway();
  const headers = { "Idempotency-Key": "key-1" };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => gateway.post("/api/input", { text: "once" }, { headers })),
  );
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
  expect(new Set(answers.map((answer) => (answer.json as { id: string }).id)).size).toBe(1);
  expect(gateway.names("inbox")).toHaveLength(1);
});

test("without a key every message is another, and another key is another message", async () => {
  const gateway = await startGateway();
  await gateway.post("/api/input", { text: "same" });
  await gateway.post("/api/input", { text: "same" });
  await gateway.post("/api/input", { text: "same" }, { headers: { "Idempotency-Key": "a" } });
  await gateway.post("/api/input", { text: "same" }, { headers: { "Idempotency-Key": "b" } });
  expect(gateway.names("inbox")).toHaveLength(4);
});

test("a repeat that comes after the answer creates nothing, also for a gateway that has just started", async () => {
  const first = await startGateway();
  const headers = { "Idempotency-Key": "key-1" };
  const { id } = (await first.post("/api/input", { text: "once" }, { headers })).json as { id: string };
  await settleTurn(first.fs, 1, [id], "answered");
  await first.close();
  const second = await startGateway({ home: first.home });
  const again = await second.post("/api/input", { text: "once" }, { headers });
  expect(again).toMatchObject({ status: 202, json: { id } });
  expect(second.names("inbox")).toEqual([]);
});

test("what was accepted can be read at once", async () => {
  const gateway = await startGateway({ config: { tickMs: 60_000 } });
  for (let i = 0; i < 5; i++) {
    const { id } = (await gateway.post("/api/input", { text: `message ${i}` })).json as { id: string };
    const { messages } = (await gateway.ask("/api/messages")).json as { messages: { id: string; pending?: boolean }[] };
    expect(messages.at(-1)).toMatchObject({ id, text: `message ${i}`, pending: true });
  }
});

test("a body that does not fit the schema is told by its field, and nothing is written", async () => {
  const gateway = await startGateway();
  for (const body of [
    {},
    { text: "" },
    { text: 7 },
    { text: "a".repeat(64_001) },
    { text: "a", extra: true },
    [],
    null,
    "a",
  ]) {
    const answer = await gateway.post("/api/input", body);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: "invalid" } } });
  }
  expect(gateway.names("inbox")).toEqual([]);
});

const ESCAPED = { 字: "\\u5b57", "\u0001": "\\u0001", "😀": "\\ud83d\\ude00" };

test.each(Object.entries(ESCAPED))(
  "a message of the most characters is taken, of %j, as they are or escaped, over HTTP and the WebSocket",
  async (character, escaped) => {
    const gateway = await startGateway();
    const text = character.repeat(MESSAGE_CHARS_MAX);
    const raw = `{"text":"${escaped.repeat(MESSAGE_CHARS_MAX)}"}`;
    const client = await connect(gateway);
    client.send({ type: "input", id: "a", text });
    client.socket.send(`{"type":"steer","id":"b",${raw.slice(1)}`);
    const ids = [(await client.next("accepted")).messageId, (await client.next("accepted")).messageId];
    for (const path of ["/api/input", "/api/steer"])
      for (const body of [JSON.stringify({ text }), raw]) {
        const answer = await gateway.ask(path, { method: "POST", headers: JSON_TYPE, body });
        expect(answer.status).toBe(202);
        ids.push((answer.json as { id: string }).id);
      }
    for (const id of ids) {
      const { text: kept } = JSON.parse(readFileSync(join(gateway.home, inboxPath(id)), "utf8"));
      expect(kept === text).toBe(true);
    }
    expect((await gateway.post("/api/input", { text: `${text}.` })).status).toBe(400);
    client.send({ type: "input", id: "c", text: `${text}.` });
    expect(await client.next("error")).toMatchObject({ code: "invalid", id: "c" });
    expect(gateway.names("inbox")).toHaveLength(ids.length);
  },
);

test("an Idempotency-Key is bounded", async () => {
  const gateway = await startGateway();
  for (const key of ["", "k".repeat(256), ["a", "b"]]) {
    const answer = await gateway.post("/api/input", { text: "hi" }, { headers: { "Idempotency-Key": key } });
    expect(answer.status).toBe(400);
  }
  expect(gateway.names("inbox")).toEqual([]);
});
