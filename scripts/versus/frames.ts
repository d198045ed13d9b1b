/** Questions and answers over a WebSocket that carries JSON. */
import { once } from "node:events";
import { WebSocket } from "ws";

const OPEN_MS_MAX = 10_000;
/** An answer that takes longer is none: the message counts as not confirmed. */
const ANSWER_MS_MAX = 60_000;

type Frame = Record<string, unknown>;
/** The answer that a frame is, by the id of its question; undefined for anything else. */
type Read = (frame: Frame) => { id: string; value?: unknown; problem?: string } | undefined;

export class Frames {
  private readonly socket: WebSocket;
  private readonly pending = new Map<string, { read: Read; settle: (error: Error | null, value?: unknown) => void }>();
  private asked = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.receive(JSON.parse(String(data)) as Frame));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      for (const { settle } of this.pending.values()) settle(new Error("the connection was closed"));
    });
  }

  /** Throws where nothing answers. */
  static async open(url: string): Promise<Frames> {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: OPEN_MS_MAX });
    const frames = new Frames(socket);
    await once(socket, "open");
    return frames;
  }

  /** Throws what the other side says against it, or when the connection ends before it has answered. */
  ask<T>(frameOf: (id: string) => object, read: Read): Promise<T> {
    const id = `q${++this.asked}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(new Error("there was no answer in time")), ANSWER_MS_MAX);
      const settle = (error: Error | null, value?: unknown) => {
        clearTimeout(timer);
        this.pending.delete(id);
        if (error === null) resolve(value as T);
        else reject(error);
      };
      this.pending.set(id, { read, settle });
      if (this.socket.readyState !== WebSocket.OPEN) settle(new Error("the connection was closed"));
      else this.socket.send(JSON.stringify(frameOf(id)));
    });
  }

  close(): void {
    this.socket.terminate();
  }

  private receive(frame: Frame): void {
    for (const [id, { read, settle }] of this.pending) {
      const answer = read(frame);
      if (answer?.id === id) settle(answer.problem === undefined ? null : new Error(answer.problem), answer.value);
    }
  }
}
