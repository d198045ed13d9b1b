/** Sends what a fuzz made, over connections that are kept, and looks at what comes back. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { ApiError } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import type { Reached } from "../../http-gateway/gateway.ts";
import { filled, type Known } from "./placeholders.ts";
import type { Request } from "./requests.ts";

/** A request that is not answered within so many ms hangs. The slowest answers, to bodies that never end, take 9 s. */
export const HANG_MS = 60_000;
const REQUESTS_FROM_ONE = 64;
const SOCKETS_MAX = 4;
const AGENTS_MAX = 4;
/** The gateway says these itself, by design: it cannot be read now, the disk is full. */
const OF_DESIGN = new Set([503, 507]);
/** `ApiError` as clients of /v1 know it. */
const V1Error = z.strictObject({
  error: z.strictObject({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
});

export interface Outcome {
  /** Of the answer; 0 where there was none: `text` says why. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends requests from addresses of the loopback: one that guesses wrong too often is locked out, so each is used for a few. */
export class Sender {
  private readonly to: Reached;
  private readonly known: Known;
  /** By the address that they send from; the newest are kept. */
  private readonly agents = new Map<string, Agent>();

  constructor(to: Reached, known: Known) {
    this.to = to;
    this.known = known;
  }

  /** @param n which request of the fuzz it is. @param closed how many connections were closed under it. @throws an Error where it hangs. */
  send(each: Request, n: number, closed = 0): Promise<Outcome> {
    const { signedIn, encoding } = each;
    const path = filled(each.path, n, this.known);
    const body = each.body === undefined ? undefined : Buffer.from(filled(each.body, n, this.known), encoding);
    const headers = {
      host: `${this.to.host}:${this.to.port}`,
      ...(signedIn && { authorization: `Bearer ${this.to.token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      // Node would send the body of a GET without saying how long it is.
      ...(body !== undefined && !("transfer-encoding" in each.headers) && { "content-length": String(body.length) }),
      ...each.headers,
    };
    return new Promise((resolve, reject) => {
      const { host, port } = this.to;
      const sentMs = performance.now();
      const request = httpRequest({
        host,
        port,
        path,
        method: each.method,
        headers,
        agent: this.agentFor(n),
        timeout: HANG_MS,
      });
      request.on("timeout", () => reject(new Error(`no answer within ${HANG_MS} ms`)));
      request.on("error", (error) => {
        // A kept connection that was idle for too long is closed by the gateway just when it is used again; so may be the others.
        if (request.reusedSocket && closed < SOCKETS_MAX) resolve(this.send(each, n, closed + 1));
        else {
          const kind = request.reusedSocket ? `kept connection, after ${closed} others` : "new connection";
          const text = `${error} after ${Math.round(performance.now() - sentMs)} ms, on a ${kind}`;
          resolve({ status: 0, headers: {}, text });
        }
      });
      request.on("upgrade", (_response, socket) => {
        socket.destroy();
        resolve({ status: 101, headers: {}, text: "" });
      });
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        const end = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", end).on("error", end);
      });
      request.end(body);
    });
  }

  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  private agentFor(n: number): Agent {
    const place = Math.floor(n / REQUESTS_FROM_ONE);
    const localAddress = `127.1.${(place >> 8) & 255}.${place & 255 || 1}`;
    const kept = this.agents.get(localAddress);
    if (kept !== undefined) return kept;
    const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, localAddress });
    for (const [address, old] of this.agents) {
      // An upload may still be on its way while hundreds of refusals pass by: its connection is not ended under it.
      if (this.agents.size < AGENTS_MAX || Object.keys(old.sockets).length > 0) continue;
      this.agents.delete(address);
      old.destroy();
    }
    this.agents.set(localAddress, agent);
    return agent;
  }
}

/** Everything that comes back for some bytes, until the connection is closed. @throws an Error where it hangs. */
export function exchange({ host, port }: Reached, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host, port, timeout: HANG_MS });
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("timeout", () => reject(new Error(`the connection is still open after ${HANG_MS} ms`)));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.end(bytes);
  });
}

/** The mistake in an answer; null if it is as docs/api.md says. @param secrets that no answer may hold. */
export function wrongWith(
  { status, headers, text }: Outcome,
  method: string,
  secrets: readonly string[],
): string | null {
  if (secrets.some((secret) => text.includes(secret))) return "the answer holds a secret";
  if (status === 0) return text;
  if (status >= 500 && !OF_DESIGN.has(status)) return `${status} ${text.slice(0, 200)}`;
  if (/\bat .*\.(ts|js):\d|node:internal/.test(text) && status >= 400) return `a stack: ${text.slice(0, 200)}`;
  if (status < 400 || method === "HEAD") return null;
  if (!/^application\/json/.test(headers["content-type"] ?? "")) return `${status} as ${headers["content-type"]}`;
  try {
    const error: unknown = JSON.parse(text);
    return ApiError.safeParse(error).success || V1Error.safeParse(error).success
      ? null
      : `${status} ${text.slice(0, 200)}`;
  } catch {
    return `${status}, which is no JSON: ${text.slice(0, 200)}`;
  }
}

/** The mistake in the bytes that came back: every answer in them must be one. */
export function wrongWithBytes(answer: string, secrets: readonly string[]): string | null {
  if (secrets.some((secret) => answer.includes(secret))) return "the answer holds a secret";
  if (answer === "") return null;
  const [, status = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  if (status === "") return `no HTTP: ${answer.slice(0, 100)}`;
  if (status.startsWith("5") && !OF_DESIGN.has(Number(status))) return answer.slice(0, 300);
  const isJson = /\r\ncontent-type: application\/json/i.test(answer);
  return status >= "400" && !isJson && /\r\n\r\n./s.test(answer)
    ? `${status}, which is no JSON: ${answer.slice(0, 300)}`
    : null;
}
