/** The frames of a page over the WebSocket: everything, in order, once, whatever happens to the connection (SPEC K3). */
import { once } from "node:events";
import type { ServerFrame } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Instance } from "../support/instance.ts";

let mimikit: Instance;
beforeAll(async () => {
  mimikit = await Instance.start();
});
afterAll(() => mimikit.dispose());

class Page {
  readonly frames: ServerFrame[] = [];
  private readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.frames.push(JSON.parse(String(data))));
    // A gateway that is killed resets the connection; the page connects again.
    socket.on("error", () => undefined);
  }

  static async open(cursor?: string): Promise<Page> {
    const page = await mimikit.until("a connection", async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${mimikit.port}/ws`);
      const opened = new Page(socket);
      await once(socket, "open");
      return opened;
    });
    page.say({ type: "hello", token: mimikit.token, ...(cursor !== undefined && { cursor }) });
    return page;
  }

  say(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    const closed = once(this.socket, "close");
    this.socket.close();
    await closed;
  }

  frame<T extends ServerFrame["type"]>(
    type: T,
    that: (frame: Extract<ServerFrame, { type: T }>) => boolean = () => true,
  ) {
    const ofType = (frame: ServerFrame): frame is Extract<ServerFrame, { type: T }> => frame.type === type;
    return mimikit.until(`a ${type} frame`, () => this.frames.filter(ofType).find(that));
  }

  get cursor(): string {
    const cursors = this.frames.flatMap((frame) => ("cursor" in frame ? [frame.cursor] : []));
    const last = cursors.at(-1);
    if (last === undefined) throw new Error("no frame with a cursor came");
    return last;
  }
}

const says = (text: string) => (frame: Extract<ServerFrame, { type: "message" }>) => frame.data.text.includes(text);

test("a message is accepted when it is durable, its reply streams, and its tasks are seen to run", async () => {
  const page = await Page.open();
  await page.frame("snapshot");
  page.say({ type: "input", id: "one", text: "run `echo streamed; sleep 0.3; echo on`" });
  const { messageId } = await page.frame("accepted", (frame) => frame.id === "one");
  await page.frame("delta", (frame) => frame.text.length > 0);
  await page.frame("progress", (frame) => frame.step.includes("streamed"));
  await page.frame("task", (frame) => frame.data.role === "worker" && frame.data.state === "running");
  await page.frame("task", (frame) => frame.data.role === "worker" && frame.data.state === "done");
  await page.frame("message", says("streamed\non"));
  const mine = page.frames.filter((frame) => frame.type === "message" && frame.data.id === messageId);
  expect(mine.length).toBeGreaterThan(0);
  await page.close();
});

test("a page that comes back with its cursor gets what it missed, and nothing that it has seen", async () => {
  const before = await Page.open();
  await before.frame("snapshot");
  const { cursor } = before;
  await before.close();
  await mimikit.replyTo(await mimikit.send("run `echo while away`"));
  await mimikit.replyWith("while away\n");
  const after = await Page.open(cursor);
  await after.frame("message", says("while away\n"));
  expect(after.frames.some((frame) => frame.type === "snapshot")).toBe(false);
  const cursors = after.frames.flatMap((frame) => ("cursor" in frame ? [frame.cursor] : []));
  expect(new Set(cursors).size).toBe(cursors.length);
  expect(cursors).not.toContain(cursor);
  await after.close();
});

test("after a kill -9 of the gateway the old cursor gets a snapshot of everything, each message once", async () => {
  const before = await Page.open();
  await before.frame("snapshot");
  const { cursor } = before;
  await mimikit.kill("gateway");
  await mimikit.ready();
  await mimikit.replyTo(await mimikit.send("help"));
  const after = await Page.open(cursor);
  const { messages } = await after.frame("snapshot");
  expect(messages.map((message) => message.id)).toEqual([...new Set(messages.map((message) => message.id))]);
  expect(messages).toEqual(await mimikit.messages());
  await after.close();
});

test("a message that is sent again because its acknowledgement was lost is one message", async () => {
  const first = await Page.open();
  first.say({ type: "input", id: "twice", text: "status" });
  const { messageId } = await first.frame("accepted", (frame) => frame.id === "twice");
  await first.close();
  const second = await Page.open();
  second.say({ type: "input", id: "twice", text: "status" });
  expect((await second.frame("accepted", (frame) => frame.id === "twice")).messageId).toBe(messageId);
  await mimikit.replyTo(messageId);
  expect((await mimikit.messages()).filter((message) => message.id === messageId)).toHaveLength(1);
  await second.close();
});
