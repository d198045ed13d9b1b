/** A person at the page, as the bench plays it: sends words, and waits for the reply on the WebSocket. */
import { once } from "node:events";
import type { ServerFrame } from "@mimikit/protocol/wire/api";
import { WebSocket } from "ws";

export class Live {
  private readonly socket: WebSocket;
  private readonly waiting = new Map<string, () => void>();
  private readonly answered = new Set<string>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.receive(JSON.parse(String(data)) as ServerFrame));
  }

  static async connect(mimikit: { port: number; token: string }): Promise<Live> {
    const socket = new WebSocket(`ws://127.0.0.1:${mimikit.port}/ws`, { perMessageDeflate: false });
    await once(socket, "open");
    const live = new Live(socket);
    socket.send(JSON.stringify({ type: "hello", token: mimikit.token }));
    return live;
  }

  /** Resolves when the reply to this message has come. */
  async replied(id: string): Promise<void> {
    if (!this.answered.has(id)) await new Promise<void>((resolve) => this.waiting.set(id, resolve));
  }

  /** How many messages have been answered since it was connected. */
  get answers(): number {
    return this.answered.size;
  }

  close(): void {
    this.socket.terminate();
  }

  private receive(frame: ServerFrame): void {
    if (frame.type !== "message" || frame.data.role !== "assistant") return;
    for (const id of frame.data.answers ?? []) {
      this.answered.add(id);
      this.waiting.get(id)?.();
      this.waiting.delete(id);
    }
  }
}
