import { turnId } from "@mimikit/protocol/base/id";
import { Signal } from "@mimikit/protocol/base/signal";
import { type CommandOf, InboxCommand, Message } from "@mimikit/protocol/records/inbox";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { isSigned } from "@mimikit/store/disk/sign";
import { archivePath, inboxPath, resultPath, signalPath } from "@mimikit/store/disk/state";
import { describe, expect, test } from "vitest";
import { connect } from "../client.ts";
import { type Answer, type Started, startGateway } from "../gateway.ts";
import { archive, claim, finish, NOON, queue, resultOf, settleTurn, taskOf, wait } from "../records.ts";

const idOf = (answer: Answer) => (answer.json as { id: string }).id;

/** The command in inbox/ under that id, which is of that kind or not there. */
async function commandOf<K extends InboxCommand["kind"]>({ fs }: Pick<Started, "fs">, kind: K, id: string) {
  const command = await readRecord(fs, InboxCommand, inboxPath(id));
  if (command !== null && command.kind !== kind) throw new Error(`${id} is a ${command.kind}`);
  return command as CommandOf<K> | null;
}

async function messages(gateway: Started): Promise<ChatMessage[]> {
  return ((await gateway.ask("/api/messages")).json as { messages: ChatMessage[] }).messages;
}

/** An open turn, as the supervisor queues it. */
function openTurn(gateway: Started, n = 1) {
  const turn = { messages: [], events: [], results: [] };
  return queue(gateway.fs, taskOf(turnId(n), { role: "teller", consumer: "supervisor", prompt: "", turn }));
}

/** Does the supervisor's work for a steer that finds a task. */
async function passOn({ fs }: Started, id: string, taskId: string): Promise<void> {
  const command = await commandOf({ fs }, "steer", id);
  if (command === null) throw new Error(`${id} is not in inbox/`);
  const { at, text } = command;
  await createRecord(fs, Signal, signalPath(id), { id, at, text, taskId });
  await fs.unlink(inboxPath(id));
}

const COMMANDS = [
  { path: "/api/steer", body: { text: "only the German ones" } },
  { path: "/api/stop", body: {} },
  { path: "/api/clear", body: {} },
  { path: "/api/tasks/t-000001.0/steer", body: { text: "only ten" } },
];

describe.each(COMMANDS)("POST $path", ({ path, body }) => {
  test("is durable when 202 is answered, and the same Idempotency-Key is the same command", async () => {
    const gateway = await startGateway();
    await queue(gateway.fs, taskOf("t-000001.0"));
    const headers = { "Idempotency-Key": "mine" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.post(path, body, { headers })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
    const [id = "", ...others] = new Set(answers.map(idOf));
    expect(others).toEqual([]);
    expect(gateway.names("inbox")).toEqual([`${id}.json`]);
    expect(idOf(await gateway.post(path, body))).not.toBe(id);
    expect(gateway.names("inbox")).toHaveLength(2);
  });

  test("is asked for once, also when the repeat comes after it was carried out", async () => {
    const gateway = await startGateway();
    const task = await queue(gateway.fs, taskOf("t-000001.0"));
    const headers = { "Idempotency-Key": "mine" };
    const id = idOf(await gateway.post(path, body, { headers }));
    await archive(gateway.fs, await finish(gateway.fs, task));
    expect((await gateway.post(path, body, { headers })).json).toEqual({ id });
    await gateway.fs.link(inboxPath(id), archivePath(id));
    await gateway.fs.unlink(inboxPath(id));
    expect((await gateway.post(path, body, { headers })).json).toEqual({ id });
    expect(gateway.names("inbox")).toEqual([]);
  });

  test("wants a credential, JSON, and nothing that it does not know", async () => {
    const gateway = await startGateway();
    await queue(gateway.fs, taskOf("t-000001.0"));
    expect((await gateway.post(path, body, { signedIn: false })).status).toBe(401);
    expect((await gateway.ask(path, { method: "POST", body: JSON.stringify(body) })).status).toBe(415);
    const wrong: unknown[] = [{ ...body, extra: 1 }, { ...body, taskId: "t-000001.0" }, [], null, "text"];
    for (const each of wrong) expect((await gateway.post(path, each)).status).toBe(400);
    expect((await gateway.post(path, body, { headers: { "Idempotency-Key": "k".repeat(256) } })).status).toBe(400);
    expect(await gateway.ask(path)).toMatchObject({ status: 405, headers: { allow: "POST" } });
    expect(gateway.names("inbox")).toEqual([]);
  });
});

test("words for what runs now are a steer without a task, those for a task name it", async () => {
  const gateway = await startGateway();
  await queue(gateway.fs, taskOf("t-000001.0"));
  const now = idOf(await gateway.post("/api/steer", { text: "shorter" }));
  expect(now).toMatch(/^s-[0-9a-f]{32}$/);
  expect(await commandOf(gateway, "steer", now)).toEqual({
    kind: "steer",
    id: now,
    at: expect.any(String),
    text: "shorter",
  });
  const named = idOf(await gateway.post("/api/tasks/t-000001.0/steer", { text: "longer" }));
  expect(await commandOf(gateway, "steer", named)).toMatchObject({ text: "longer", taskId: "t-000001.0" });
});

test("a steer without words, or with too many, is refused", async () => {
  const gateway = await startGateway();
  for (const text of ["", 7, undefined, "a".repeat(64_001)]) {
    expect((await gateway.post("/api/steer", { text })).status).toBe(400);
  }
  expect(gateway.names("inbox")).toEqual([]);
});

test("a task that waits and a reply that is being written hear what is said; unknown ones are 404, ended ones 409", async () => {
  const gateway = await startGateway();
  const { fs } = gateway;
  const say = (id: string) => gateway.post(`/api/tasks/${id}/steer`, { text: "hey" });
  await wait(fs, taskOf("t-000001.1"), "t-000001.0");
  await openTurn(gateway, 2);
  expect((await say("t-000001.1")).status).toBe(202);
  expect((await say("t-000002")).status).toBe(202);
  await archive(fs, await finish(fs, await queue(fs, taskOf("t-000001.2"))));
  const before = gateway.names("inbox");
  expect(await say("t-000001.2")).toMatchObject({
    status: 409,
    json: { error: { code: "conflict", message: "this task has already ended (done)" } },
  });
  expect((await say("t-000001.9")).status).toBe(404);
  expect((await say("t-000009")).status).toBe(404);
  expect((await say("%2e%2e")).status).toBe(400);
  expect(gateway.names("inbox")).toEqual(before);
});

test("a reply that was given hears nothing any more", async () => {
  const gateway = await startGateway();
  const id = idOf(await gateway.post("/api/input", { text: "hi" }));
  await settleTurn(gateway.fs, 1, [id], "hello");
  expect((await gateway.post("/api/tasks/t-000001/steer", { text: "hey" })).status).toBe(409);
});

test("a stop names nothing, and a clear carries the signature of the token", async () => {
  const gateway = await startGateway();
  const stop = idOf(await gateway.post("/api/stop", {}));
  expect(await commandOf(gateway, "stop", stop)).toEqual({ kind: "stop", id: stop, at: expect.any(String) });
  const clear = idOf(await gateway.post("/api/clear", {}));
  const command = await commandOf(gateway, "clear", clear);
  expect(command).toMatchObject({ kind: "clear", id: clear });
  expect(isSigned(gateway.token, command ?? {})).toBe(true);
  expect(isSigned("another token", command ?? {})).toBe(false);
});

test("a message may ask for a turn of its own, and says so while it waits", async () => {
  const gateway = await startGateway();
  const id = idOf(await gateway.post("/api/input", { text: "then tidy up", mode: "next" }));
  expect(await commandOf(gateway, "message", id)).toMatchObject({ text: "then tidy up", mode: "next" });
  expect(await messages(gateway)).toMatchObject([{ id, pending: true, mode: "next" }]);
  for (const mode of ["steer", "", null]) {
    expect((await gateway.post("/api/input", { text: "hi", mode })).status).toBe(400);
  }
  await settleTurn(gateway.fs, 1, [id], "tidied");
  expect((await messages(gateway))[0]).toEqual({ id, role: "user", text: "then tidy up", at: expect.any(String) });
});

test("a command that comes as a message is a message: only people's front ends read commands", async () => {
  const gateway = await startGateway();
  const id = idOf(await gateway.post("/api/input", { text: "/stop" }));
  expect(await commandOf(gateway, "message", id)).toMatchObject({ kind: "message", text: "/stop" });
});

describe("what was said meanwhile", () => {
  test("is in the conversation from the beginning, once, and names who hears it", async () => {
    const gateway = await startGateway();
    const task = await queue(gateway.fs, taskOf("t-000001.0"));
    await claim(gateway.fs, task);
    const client = await connect(gateway);
    await client.next("snapshot");
    const id = idOf(await gateway.post("/api/steer", { text: "only ten" }));
    const said = { id, role: "user", text: "only ten", meanwhile: true, pending: true };
    expect(await messages(gateway)).toEqual([{ ...said, at: expect.any(String) }]);
    expect((await client.next("message")).data).toMatchObject(said);
    await passOn(gateway, id, task.id);
    expect((await client.next("message")).data).toMatchObject({ ...said, toTaskId: task.id });
    expect(await messages(gateway)).toMatchObject([{ id, toTaskId: task.id }]);

    // Heard, and not reported yet.
    const { at, text } = said as { at?: string; text: string };
    await finish(gateway.fs, task, { steers: [{ id, at: at ?? NOON, text }] });
    await gateway.fs.unlink(signalPath(id));
    expect(await messages(gateway)).toMatchObject([{ id, toTaskId: task.id, pending: true }]);
  });

  test("stands in the history when its turn has ended, and is pending no more", async () => {
    const gateway = await startGateway();
    const turn = await openTurn(gateway);
    const id = idOf(await gateway.post("/api/steer", { text: "shorter" }));
    await passOn(gateway, id, turn.id);
    const client = await connect(gateway);
    expect((await client.next("snapshot")).messages).toMatchObject([{ id, pending: true, toTaskId: turn.id }]);
    const steers = [{ id, at: NOON, text: "shorter" }];
    await archive(gateway.fs, await finish(gateway.fs, turn, { effects: [{ type: "reply", text: "Short." }], steers }));
    const settled = { id, role: "user", text: "shorter", at: NOON, meanwhile: true };
    expect((await client.next("message", ({ data }) => data.pending === undefined)).data).toEqual(settled);
    const reply = await client.next("message", ({ data }) => data.role === "assistant");
    expect(reply.data).toMatchObject({ text: "Short.", answers: [id] });
    // The supervisor has not dropped the signal yet.
    expect((await messages(gateway)).map((message) => message.id)).toEqual([id, "t-000001.reply"]);
  });

  test("becomes a message where nothing heard it, which takes its place", async () => {
    const gateway = await startGateway();
    const client = await connect(gateway);
    await client.next("snapshot");
    const id = idOf(await gateway.post("/api/steer", { text: "anybody?" }));
    await client.next("message");
    const message: Message = { kind: "message", id: `m-${id}`, at: NOON, text: "anybody?" };
    await createRecord(gateway.fs, Message, inboxPath(message.id), message);
    const replaced = { id: message.id, role: "user", text: "anybody?", at: NOON, replaces: id };
    expect((await client.next("message")).data).toEqual({ ...replaced, pending: true });
    expect(await messages(gateway)).toEqual([{ ...replaced, pending: true }]);
    await gateway.fs.unlink(inboxPath(id));
    await settleTurn(gateway.fs, 1, [message.id], "Me.");
    expect(await messages(gateway)).toMatchObject([replaced, { text: "Me.", answers: [message.id] }]);
  });
});

test("a new beginning is a line of the conversation; what was before stays readable", async () => {
  const gateway = await startGateway();
  const { fs } = gateway;
  const id = idOf(await gateway.post("/api/input", { text: "before" }));
  await settleTurn(fs, 1, [id], "answered");
  const clear = await commandOf(gateway, "clear", idOf(await gateway.post("/api/clear", {})));
  if (clear === null) throw new Error("the command is not in inbox/");
  const turn = { messages: [], events: [], results: [], clear };
  const task = taskOf("t-000002", { role: "teller", consumer: "supervisor", prompt: "", turn });
  await archive(fs, await finish(fs, await queue(fs, task), resultOf(task)));
  expect(gateway.names("teller/results")).toEqual([]);
  expect(await fs.exists(resultPath("teller", task.id))).toBe(false);
  expect((await messages(gateway)).map(({ role, marker }) => [role, marker])).toEqual([
    ["user", undefined],
    ["assistant", undefined],
    ["system", "clear"],
  ]);
});

describe("over the WebSocket", () => {
  test("steer, stop, clear and next are acknowledged by the client's own name, and twice is once", async () => {
    const gateway = await startGateway();
    await queue(gateway.fs, taskOf("t-000001.0"));
    const client = await connect(gateway);
    await client.next("snapshot");
    const frames = [
      { type: "steer", id: "a", text: "shorter" },
      { type: "steer", id: "b", text: "shorter", taskId: "t-000001.0" },
      { type: "stop", id: "c" },
      { type: "clear", id: "d" },
      { type: "input", id: "e", text: "later", mode: "next" },
    ];
    const ids: string[] = [];
    for (const frame of [...frames, ...frames]) {
      client.send(frame);
      ids.push((await client.next("accepted", ({ id }) => id === frame.id)).messageId);
    }
    expect(ids.slice(frames.length)).toEqual(ids.slice(0, frames.length));
    expect(ids.slice(0, frames.length).map((id) => id.split("-")[0])).toEqual(["s", "s", "stop", "clear", "m"]);
    expect(gateway.names("inbox")).toEqual(
      ids
        .slice(0, frames.length)
        .map((id) => `${id}.json`)
        .sort(),
    );
    const overHttp = await gateway.post("/api/steer", { text: "shorter" }, { headers: { "Idempotency-Key": "a" } });
    expect(overHttp.json).toEqual({ id: ids[0] });
  });

  test("what cannot be done is refused with the reason, under the same name", async () => {
    const gateway = await startGateway();
    const client = await connect(gateway);
    await client.next("snapshot");
    client.send({ type: "steer", id: "mine", text: "hey", taskId: "t-000009.0" });
    expect(await client.next("error")).toMatchObject({ code: "not_found", id: "mine" });
    for (const frame of [
      { type: "steer", id: "x" },
      { type: "steer", id: "x", text: "" },
      { type: "stop" },
      { type: "stop", id: "x", taskId: "t-000001" },
      { type: "clear", id: "" },
      { type: "clear", id: "x", mac: "0" },
    ]) {
      client.send(frame);
      expect(await client.next("error")).toMatchObject({ code: "invalid" });
    }
    expect(gateway.names("inbox")).toEqual([]);
  });
});
