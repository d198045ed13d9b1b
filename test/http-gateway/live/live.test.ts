import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerFrame } from "@mimikit/protocol/wire/api";
import { streamPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { connect, open } from "../client.ts";
import { NEVER_MS, type Started, startGateway } from "../gateway.ts";
import { archive, claim, finish, queue, settleTurn, taskOf } from "../records.ts";

async function say(gateway: Started, text: string): Promise<string> {
  return ((await gateway.post("/api/input", { text })).json as { id: string }).id;
}

type Ordered = Extract<ServerFrame, { cursor: string }>;
const ordered = (frames: readonly ServerFrame[]) => frames.filter((frame): frame is Ordered => "cursor" in frame);

test("a client gets a snapshot, and then what happens, in order", async () => {
  const gateway = await startGateway();
  await say(gateway, "before");
  const client = await connect(gateway);
  const snapshot = await client.next("snapshot");
  expect(snapshot.messages).toMatchObject([{ text: "before", pending: true }]);
  expect(snapshot).toMatchObject({
    tasks: [],
    questions: [],
    status: { ready: false, providers: { teller: "offline" } },
  });

  const id = await say(gateway, "after");
  expect((await client.next("message")).data).toMatchObject({ id, text: "after", pending: true });
  await settleTurn(gateway.fs, 1, [id], "answer");
  const settled = await client.next("message", (frame) => frame.data.id === id && frame.data.pending === undefined);
  expect(settled.data).toMatchObject({ text: "after" });
  expect((await client.next("message")).data).toMatchObject({ id: "t-000001.reply", text: "answer", answers: [id] });

  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  expect((await client.next("task")).data).toMatchObject({ id: task.id, state: "queued" });
  await claim(gateway.fs, task);
  await client.next("task", (frame) => frame.data.state === "running");
  await finish(gateway.fs, task);
  await client.next("task", (frame) => frame.data.state === "done");
});

test("the tick finds what no notification tells of", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const client = await connect(gateway);
  await client.next("snapshot");
  writeFileSync(join(gateway.home, "quarantine/odd.json"), "{");
  expect((await client.next("status")).data).toMatchObject({ counts: { quarantine: 1 } });
});

test("a client that comes back with its cursor misses nothing and gets nothing twice", async () => {
  const gateway = await startGateway();
  const witness = await connect(gateway);
  await witness.next("snapshot");
  const first = await connect(gateway);
  await first.next("snapshot");
  await say(gateway, "one");
  await first.next("message");
  const cursor = first.cursor;
  await first.close();
  const two = await say(gateway, "two");
  const three = await say(gateway, "three");
  await settleTurn(gateway.fs, 1, [two], "answer");
  await witness.next("message", (frame) => frame.data.id === "t-000001.reply");

  const second = await connect(gateway, cursor);
  await second.next("message", (frame) => frame.data.id === "t-000001.reply");
  await say(gateway, "four");
  await second.next("message", (frame) => frame.data.text === "four");
  await witness.next("message", (frame) => frame.data.text === "four");

  expect(second.frames.some((frame) => frame.type === "snapshot")).toBe(false);
  const missed = ordered(witness.frames).filter((frame) => frame.type !== "snapshot");
  const seen = missed.findIndex((frame) => frame.cursor === cursor) + 1;
  expect(ordered(second.frames)).toEqual(missed.slice(seen));
  expect(JSON.stringify(second.frames)).toContain(three);
});

test("a notification reaches every client once, also one that comes back, and stands in the conversation", async () => {
  const gateway = await startGateway();
  const witness = await connect(gateway);
  await witness.next("snapshot");
  const away = await connect(gateway);
  const { cursor } = await away.next("snapshot");
  await away.close();
  const id = await say(gateway, "wake me");
  await settleTurn(gateway.fs, 1, [id], "I did", [{ type: "notify", text: "Wake up!", title: "Alarm" }]);
  const { data } = await witness.next("notification");
  expect(data).toMatchObject({ id: "t-000001.0", title: "Alarm", text: "Wake up!" });
  await say(gateway, "thanks");
  for (const client of [witness, await connect(gateway, cursor)]) {
    await client.next("message", (frame) => frame.data.text === "thanks");
    expect(client.frames.filter((frame) => frame.type === "notification")).toMatchObject([{ data }]);
  }
  const { messages } = await (await connect(gateway)).next("snapshot");
  expect(messages.map(({ role, text }) => [role, text])).toContainEqual(["system", "Wake up!"]);
});

test("a cursor that is up to date is answered with nothing but what comes next", async () => {
  const gateway = await startGateway();
  const first = await connect(gateway);
  const { cursor } = await first.next("snapshot");
  const second = await connect(gateway, cursor);
  await say(gateway, "next");
  await second.next("message");
  expect(second.frames.map((frame) => frame.type)).toEqual(["message"]);
});

test.each(["", "x", "another-5", "-1", "__proto__", "a".repeat(64)])(
  "the cursor %j, which is none of ours, gets a snapshot",
  async (cursor) => {
    const gateway = await startGateway();
    const client = await connect(gateway, cursor);
    await client.next("snapshot");
  },
);

test("a cursor of an earlier life of the gateway gets a snapshot with everything in it", async () => {
  const first = await startGateway();
  const before = await connect(first);
  await before.next("snapshot");
  const id = await say(first, "one");
  await before.next("message");
  await first.close();
  await settleTurn(first.fs, 1, [id], "answer");
  const second = await startGateway({ home: first.home });
  const after = await connect(second, before.cursor);
  const snapshot = await after.next("snapshot");
  expect(snapshot.messages.map((message) => message.text)).toEqual(["one", "answer"]);
  expect(snapshot.cursor).not.toBe(before.cursor);
});

test("events that come while clients join reach each of them once, in one order", async () => {
  const gateway = await startGateway();
  const saying = Promise.all(Array.from({ length: 30 }, (_, i) => say(gateway, `message ${i}`)));
  const clients = await Promise.all(Array.from({ length: 10 }, () => connect(gateway)));
  const ids = new Set(await saying);
  const last = await say(gateway, "last");
  for (const client of clients) {
    const snapshot = await client.next("snapshot");
    if (!snapshot.messages.some((message) => message.id === last)) {
      await client.next("message", (frame) => frame.data.id === last);
    }
    const events = client.frames.filter((frame) => frame.type === "message").map((frame) => frame.data.id);
    const seen = [...snapshot.messages.map((message) => message.id), ...events];
    expect(new Set(seen)).toEqual(new Set([...ids, last]));
    expect(seen).toHaveLength(new Set(seen).size);
    const numbers = ordered(client.frames).map((frame) => Number(frame.cursor.split("-")[1]));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
});

test("an input is acknowledged once it is durable, under the client's own name for it, and twice is once", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  client.send({ type: "input", id: "mine", text: "hi" });
  const { messageId } = await client.next("accepted", (frame) => frame.id === "mine");
  expect(gateway.names("inbox")).toEqual([`${messageId}.json`]);
  client.send({ type: "input", id: "mine", text: "hi" });
  expect(await client.next("accepted")).toMatchObject({ id: "mine", messageId });
  const overHttp = await gateway.post("/api/input", { text: "hi" }, { headers: { "Idempotency-Key": "mine" } });
  expect(overHttp.json).toEqual({ id: messageId });
  expect(gateway.names("inbox")).toHaveLength(1);
});

test("a flood of inputs is answered in order, all of it", { timeout: 60_000 }, async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  for (let i = 0; i < 200; i++) client.send({ type: "input", id: `k${i}`, text: `message ${i}` });
  for (let i = 0; i < 200; i++) expect((await client.next("accepted")).id).toBe(`k${i}`);
  expect(gateway.names("inbox")).toHaveLength(200);
});

test("a cancel is acknowledged by the task's id, or refused with the reason", async () => {
  const gateway = await startGateway();
  await queue(gateway.fs, taskOf("t-000001.0"));
  const client = await connect(gateway);
  await client.next("snapshot");
  client.send({ type: "cancel", taskId: "t-000001.0" });
  const { messageId } = await client.next("accepted", (frame) => frame.id === "t-000001.0");
  expect(gateway.names("inbox")).toEqual([`${messageId}.json`]);
  client.send({ type: "cancel", taskId: "t-000009.0" });
  expect(await client.next("error")).toMatchObject({ code: "not_found", id: "t-000009.0" });
});

test("a second hello is refused and changes nothing", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  await client.next("snapshot");
  client.send({ type: "hello", token: gateway.token });
  expect(await client.next("error")).toMatchObject({ code: "invalid" });
});

test("deltas and steps of a running task are passed on as they are written; a torn line waits for its end", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const task = await queue(
    gateway.fs,
    taskOf("t-000001", { role: "teller", prompt: "", turn: { messages: [], events: [], results: [] } }),
  );
  await claim(gateway.fs, task);
  const client = await connect(gateway);
  await client.next("snapshot");
  const path = join(gateway.home, streamPath(task.id));
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  const umlaut = Buffer.from(line({ type: "delta", text: "späť 你好" }));
  const middle = umlaut.indexOf(0xa4);

  appendFileSync(path, line({ type: "progress", step: "thinking" }));
  expect(await client.next("progress")).toEqual({ type: "progress", taskId: task.id, step: "thinking" });
  appendFileSync(path, Buffer.concat([Buffer.from(line({ type: "delta", text: "one " })), umlaut.subarray(0, middle)]));
  expect(await client.next("delta")).toEqual({ type: "delta", taskId: task.id, text: "one " });
  appendFileSync(path, umlaut.subarray(middle));
  expect(await client.next("delta")).toEqual({ type: "delta", taskId: task.id, text: "späť 你好" });
  appendFileSync(path, `garbage\n{"type":"delta"}\n${line({ type: "delta", text: " end" })}`);
  expect(await client.next("delta")).toEqual({ type: "delta", taskId: task.id, text: " end" });
  expect(client.frames.filter((frame) => frame.type === "delta" && "cursor" in frame)).toEqual([]);
});

test("who joins in the middle of a run is told what was said of it so far, also with a cursor", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  await claim(gateway.fs, task);
  const first = await connect(gateway);
  await first.next("snapshot");
  const path = join(gateway.home, streamPath(task.id));
  appendFileSync(
    path,
    `{"type":"progress","step":"step 1"}\n{"type":"delta","text":"so "}\n{"type":"delta","text":"far"}\n`,
  );
  await first.next("delta");
  for (const cursor of [undefined, first.cursor]) {
    const late = await connect(gateway, cursor);
    expect(await late.next("delta")).toEqual({ type: "delta", taskId: task.id, text: "so far" });
    expect(await late.next("progress")).toMatchObject({ step: "step 1" });
  }
  await archive(gateway.fs, await finish(gateway.fs, task));
  await first.next("task", (frame) => frame.data.state === "done");
  const later = await connect(gateway);
  await later.next("snapshot");
  await say(gateway, "hi");
  await later.next("message");
  expect(later.frames.some((frame) => frame.type === "delta")).toBe(false);
});

test("what a model thinks is passed on apart from what it says, also to who joins late, and goes with a new beginning", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  await claim(gateway.fs, task);
  const client = await connect(gateway);
  await client.next("snapshot");
  const path = join(gateway.home, streamPath(task.id));
  appendFileSync(
    path,
    `{"type":"thought","text":"Hm, "}\n{"type":"thought","text":"so."}\n{"type":"delta","text":"Yes."}\n`,
  );
  expect(await client.next("thought")).toEqual({ type: "thought", taskId: task.id, text: "Hm, so." });
  expect(await client.next("delta")).toEqual({ type: "delta", taskId: task.id, text: "Yes." });
  const late = await connect(gateway);
  expect(await late.next("thought")).toEqual({ type: "thought", taskId: task.id, text: "Hm, so." });
  appendFileSync(path, `{"type":"begin"}\n{"type":"progress","step":"again"}\n`);
  await client.next("begin");
  const later = await connect(gateway);
  await later.next("progress");
  expect(later.frames.some((frame) => frame.type === "thought")).toBe(false);
});

test("where a task says it all anew, whoever is there is told so, and who joins later sees only what came after", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  await claim(gateway.fs, task);
  const client = await connect(gateway);
  await client.next("snapshot");
  const path = join(gateway.home, streamPath(task.id));
  appendFileSync(path, `{"type":"begin"}\n{"type":"progress","step":"one"}\n{"type":"delta","text":"Hal"}\n`);
  await client.next("delta");
  appendFileSync(path, `{"type":"delta","text":"f"}\n{"type":"begin"}\n{"type":"delta","text":"Whole."}\n`);
  expect(await client.next("begin")).toEqual({ type: "begin", taskId: task.id });
  expect(await client.next("delta")).toEqual({ type: "delta", taskId: task.id, text: "Whole." });
  const late = await connect(gateway);
  expect(await late.next("delta")).toMatchObject({ text: "Whole." });
  expect(late.frames.filter(({ type }) => type === "progress")).toEqual([]);
});

test("a client hears nothing of a batch of semantic conditions, neither that there is one nor what it does", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const evaluation = [{ id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Does it rain?" }];
  const batch = await queue(gateway.fs, taskOf("eval-000001", { evaluation, consumer: "supervisor" }));
  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  for (const each of [batch, task]) {
    appendFileSync(join(gateway.home, streamPath(each.id)), `${JSON.stringify({ type: "progress", step: "looks" })}\n`);
    await claim(gateway.fs, each);
  }
  const client = await connect(gateway);
  await client.next("progress", (frame) => frame.taskId === task.id);
  expect(JSON.stringify(client.frames)).not.toContain(batch.id);
});

test("another attempt begins its stream anew", async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  await claim(gateway.fs, task);
  const client = await connect(gateway);
  await client.next("snapshot");
  const path = join(gateway.home, streamPath(task.id));
  writeFileSync(path, `{"type":"delta","text":"a longer first attempt"}\n`);
  await client.next("delta");
  writeFileSync(path, `{"type":"delta","text":"second"}\n`);
  expect(await client.next("delta")).toMatchObject({ text: "second" });
});

test("24 a client that does not read is cut off; the others go on", { timeout: 60_000 }, async () => {
  const gateway = await startGateway({ config: { tickMs: 50 } });
  const task = await queue(gateway.fs, taskOf("t-000001.0"));
  await claim(gateway.fs, task);
  const stalled = await connect(gateway);
  await stalled.next("snapshot");
  const reader = await connect(gateway);
  await reader.next("snapshot");
  stalled.socket.pause();
  const big = "a".repeat(60_000);
  let id = "";
  const gone = stalled.closed;
  for (let n = 1; n <= 300; n++) {
    id = await say(gateway, big);
    await reader.next("message", (frame) => frame.data.id === id);
  }
  stalled.socket.resume();
  expect(await gone).toBe(1006);
  expect(await say(gateway, "still here")).toMatch(/^m-/);
  await reader.next("message", (frame) => frame.data.text === "still here");
});

test("a snapshot is bounded: the newest messages, whatever their size", async () => {
  const gateway = await startGateway();
  for (let i = 0; i < 5; i++) await say(gateway, `${i}${"a".repeat(60_000)}`);
  const client = await connect(gateway);
  const { messages } = await client.next("snapshot");
  expect(messages.map((message) => message.text[0])).toEqual(["4"]);
});

test("a gateway that stops says so to its clients and is gone within its time", async () => {
  const gateway = await startGateway({ config: { tickMs: NEVER_MS } });
  const client = await connect(gateway);
  await client.next("snapshot");
  const silent = await open(gateway);
  await gateway.close();
  expect(await client.closed).toBe(1001);
  expect(await silent.closed).toBe(1001);
  await expect(gateway.ask("/healthz")).rejects.toThrow("ECONNREFUSED");
});
