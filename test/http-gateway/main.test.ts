/** The gateway as a process: started as PM2 starts it, killed as anybody may kill it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerFrame } from "@mimikit/protocol/wire/api";
import { readToken } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../support/free-port.ts";
import { Client } from "./client.ts";
import { temporaryHome } from "./gateway.ts";

const MAIN = fileURLToPath(new URL("../../apps/http-gateway/src/main.ts", import.meta.url));

interface Process {
  child: ChildProcess;
  lines: string[];
  /** Resolves with the first line that contains `text`. */
  says(text: string): Promise<string>;
  /** Its exit code or signal, once all that it said is in `lines`. */
  ended: Promise<number | string>;
}

function start(home: string, port: number): Process {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: {
      ...process.env,
      MIMIKIT_HOME: home,
      MIMIKIT_WORK_DIR: home,
      MIMIKIT_PORT: String(port),
      MIMIKIT_HOST: "127.0.0.1",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("the process has no stdout");
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const ended = Promise.all([once(child, "exit"), once(reader, "close")]).then(
    ([[code, signal]]) => (code ?? signal) as number | string,
  );
  return {
    child,
    lines,
    ended,
    async says(text) {
      for (;;) {
        const line = lines.find((each) => each.includes(text));
        if (line !== undefined) return line;
        const how = await Promise.race([once(reader, "line").then(() => null), ended]);
        if (how !== null) throw new Error(`the gateway ended (${how}) without saying ${text}`);
      }
    },
  };
}

async function connectAt(port: number, token: string, cursor?: string): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  onTestFinished(() => socket.terminate());
  const client = new Client(socket);
  await once(socket, "open");
  client.send({ type: "hello", token, ...(cursor !== undefined && { cursor }) });
  return client;
}

test("over a kill -9 of the gateway no accepted message is lost, and what was not acknowledged is sent again under its id", {
  timeout: 60_000,
}, async () => {
  const home = temporaryHome();
  const port = await freePort();
  const token = readToken(home);
  const first = start(home, port);
  expect(await once(first.child, "message")).toEqual(["ready", undefined]);
  const before = await connectAt(port, token);
  await before.next("snapshot");
  before.send({ type: "input", id: "k0", text: "message 0" });
  await before.next("accepted");
  for (let i = 1; i < 20; i++) before.send({ type: "input", id: `k${i}`, text: `message ${i}` });
  first.child.kill("SIGKILL");
  await first.ended;
  await before.closed;

  const second = start(home, port);
  await once(second.child, "message");
  const after = await connectAt(port, token, before.cursor);
  const snapshot = await after.next("snapshot");
  for (let i = 0; i < 20; i++) after.send({ type: "input", id: `k${i}`, text: `message ${i}` });
  for (let i = 0; i < 20; i++) await after.next("accepted", (frame) => frame.id === `k${i}`);
  const accepted = (frames: readonly ServerFrame[]) =>
    frames.flatMap((frame) => (frame.type === "accepted" ? [[frame.id, frame.messageId] as const] : []));
  const ids = new Map(accepted(after.frames));
  for (const [key, messageId] of accepted(before.frames)) {
    expect(ids.get(key)).toBe(messageId);
    expect(snapshot.messages.some((message) => message.id === messageId)).toBe(true);
  }
  const fresh = await connectAt(port, token);
  const { messages } = await fresh.next("snapshot");
  expect(messages.map((message) => message.id).sort()).toEqual([...ids.values()].sort());

  second.child.kill("SIGTERM");
  expect(await fresh.closed).toBe(1001);
  expect(await second.ended).toBe(0);
  expect(second.lines.some((line) => line.includes(token))).toBe(false);
});

test("a running gateway tells its clients what it has written into its audit log", { timeout: 60_000 }, async () => {
  const home = temporaryHome();
  const port = await freePort();
  const { child } = start(home, port);
  await once(child, "message");
  const client = await connectAt(port, readToken(home));
  await client.next("snapshot");
  client.send({ type: "input", id: "k0", text: "hello" });
  const { messageId } = await client.next("accepted");
  const { data } = await client.next("audit", (frame) => frame.data.event === "message_accepted");
  expect(data).toMatchObject({ actor: "gateway", detail: { id: messageId, characters: 5 } });
});

test("a gateway whose port is taken says so in one line, waits, and serves when the port is free", {
  timeout: 60_000,
}, async () => {
  const home = temporaryHome();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const gateway = start(home, port);
  expect(await gateway.says("is in use")).toContain("MIMIKIT_PORT");
  const ready = once(gateway.child, "message");
  await new Promise<void>((resolve) => other.close(() => resolve()));
  await ready;
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect(await answer.json()).toEqual({ ok: true });
});

test("a gateway leaves when the daemon that started it is gone", { timeout: 60_000 }, async () => {
  const gateway = start(temporaryHome(), await freePort());
  await once(gateway.child, "message");
  gateway.child.disconnect();
  expect(await gateway.ended).toBe(0);
});
