/** Server-sent events, as clients of OpenAI's API read them. */
import type { Response } from "express";

export class Events {
  private readonly response: Response;

  /** Begins the answer: from now on, errors are events. */
  constructor(response: Response) {
    this.response = response;
    // Proxies that collect an answer before they pass it on are told not to.
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
    response.flushHeaders();
  }

  /** @param name of the event; none where the API has none. */
  send(data: object, name?: string): void {
    this.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  }

  /** A line that clients pass over: nothing is new, and the connection lives. */
  keepAlive(): void {
    this.write(": still working\n\n");
  }

  /** @param last what stands at the end of a stream that came to it. */
  end(last = ""): void {
    this.response.end(last);
  }

  private write(text: string): void {
    if (!this.response.writableEnded && !this.response.destroyed) this.response.write(text);
  }
}
