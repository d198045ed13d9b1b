/** A client of /ws: its frames can be awaited one by one, and so can its end. */
import { once } from "node:events";
import { ServerFrame } from "@mimikit/protocol/wire/api";
import { expect, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import type { Reached } from "./gateway.ts";

export type Frame<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

export class Client {
  readonly socket: WebSocket;
  /** The close code. */
  readonly closed: Promise<number>;
  /** Every frame so far, in order. */
  readonly frames: ServerFrame[] = [];
  private taken = 0;
  private wake: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      this.frames.push(JSON.parse(String(data)) as ServerFrame);
      this.wake?.();
    });
    this.closed = new Promise((resolve) =>
      socket.once("close", (code) => {
        resolve(code);
        this.wake?.();
      }),
    );
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** The next frame of this type; frames of other types before it are passed over. */
  async next<T extends ServerFrame["type"]>(
    type: T,
    fits: (frame: Frame<T>) => boolean = () => true,
  ): Promise<Frame<T>> {
    for (;;) {
      while (this.taken < this.frames.length) {
        const frame = this.frames[this.taken++];
        // In every test, each frame is as it is documented, with no field more.
        expect(ServerFrame.parse(frame)).toEqual(frame);
        if (frame?.type === type && fits(frame as Frame<T>)) return frame as Frame<T>;
      }
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`the socket closed before a ${type} frame`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** The cursor of the last ordered frame that came. */
  get cursor(): string {
    const ordered = this.frames.filter((frame) => "cursor" in frame);
    return ordered.at(-1)?.cursor ?? "";
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

/** An open socket that has said nothing yet. */
export async function open(gateway: Reached, options: ClientOptions = {}, path = "/ws"): Promise<Client> {
  const socket = new WebSocket(`ws://${gateway.host}:${gateway.port}${path}`, { perMessageDeflate: false, ...options });
  onTestFinished(() => socket.terminate());
  const client = new Client(socket);
  await once(socket, "open");
  return client;
}

/** A socket that has said hello with the token. */
export async function connect(gateway: Reached, cursor?: string): Promise<Client> {
  const client = await open(gateway);
  client.send({ type: "hello", token: gateway.token, ...(cursor !== undefined && { cursor }) });
  return client;
}

/** The HTTP status with which an upgrade is refused. */
export function refusal(gateway: Reached, options: ClientOptions = {}, path = "/ws"): Promise<number> {
  const socket = new WebSocket(`ws://${gateway.host}:${gateway.port}${path}`, options);
  onTestFinished(() => socket.terminate());
  socket.on("error", () => undefined);
  return new Promise((resolve, reject) => {
    socket.once("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once("open", () => reject(new Error("the upgrade was accepted")));
  });
}
