/** The other side of a hook: an HTTP server of the test's own, which can be down, slow, or refuse. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { HookEvent } from "@mimikit/protocol/records/hook";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: HookEvent;
  path: string;
}

export type Answering = (received: Received, response: ServerResponse, n: number) => void;

const taken: Answering = (_received, response) => void response.writeHead(204).end();

export class HookReceiver {
  readonly received: Received[] = [];
  private readonly port: number;
  private server: Server | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** @param port where it will listen; 0 chooses one, and listens at once. */
  static async start(answer: Answering = taken): Promise<HookReceiver> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const receiver = new HookReceiver(address.port);
    receiver.serve(server, answer);
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Listens again, at the same port. */
  async open(answer: Answering = taken): Promise<void> {
    const server = createServer();
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.serve(server, answer);
  }

  /** Stops listening, and cuts what is open. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  private serve(server: Server, answer: Answering): void {
    this.server = server;
    server.on("request", async (request, response) => {
      const body = await text(request);
      const received = { headers: request.headers, body, event: JSON.parse(body), path: request.url ?? "" };
      this.received.push(received);
      answer(received, response, this.received.length);
    });
  }
}

/** As docs/hooks.md tells receivers to do it, with a clock that may be five minutes off. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  return String(signatures)
    .split(" ")
    .some((each) => {
      const given = Buffer.from(each.replace(/^v1,/, ""), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
