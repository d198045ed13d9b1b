/**
 * An HTTP proxy on loopback, as companies have them: CONNECT and absolute-form, with a name and password or without, over TLS or not. It
 * resolves names by a table of its own, so that a client reaches `api.vendor.test` through it and in no other way.
 */
import { once } from "node:events";
import { request as ask, createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ProxyOptions {
  /** `name:password` that it wants. */
  login?: string;
  /** Where it connects to, by name and port: `api.vendor.test:443` → a port on loopback. All else is 502. */
  routes?: Record<string, number>;
  /** It refuses every request with this status. */
  refuses?: number;
  /** The key and the certificate, where it speaks TLS itself. */
  tls?: { key: Buffer; cert: Buffer };
}

export interface Passed {
  method: string;
  /** `api.vendor.test:443`, or a whole address. */
  target: string;
  authorization?: string | undefined;
}

export class HttpProxy {
  /** Everything that it was asked, in order. */
  readonly passed: Passed[] = [];
  options: ProxyOptions;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(options: ProxyOptions) {
    this.options = options;
    this.server = options.tls === undefined ? createServer() : createSecureServer(options.tls);
    const remember = (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket)).on("error", () => socket.destroy());
    };
    this.server.on("connection", remember);
    this.server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const status = this.admit(request, request.url ?? "");
      if (typeof status === "string") return socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
      const upstream = connect(status, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      remember(upstream);
      socket.on("close", () => upstream.destroy()).on("error", () => upstream.destroy());
      upstream.on("close", () => socket.destroy());
    });
    this.server.on("request", (request, response) => {
      const url = URL.parse(request.url ?? "");
      const status = url === null ? "400 Bad Request" : this.admit(request, `${url.hostname}:${url.port || 80}`);
      if (typeof status === "string") {
        response.writeHead(Number(status.slice(0, 3))).end();
        return;
      }
      const { "proxy-authorization": _login, ...headers } = request.headers;
      const { method } = request;
      const path = `${url?.pathname}${url?.search}`;
      const upstream = ask({ host: "127.0.0.1", port: status, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      upstream.on("error", () => response.destroy());
      request.pipe(upstream);
    });
  }

  static async start(options: ProxyOptions = {}): Promise<HttpProxy> {
    const proxy = new HttpProxy(options);
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The address without a login. */
  get url(): string {
    return `${this.options.tls === undefined ? "http" : "https"}://127.0.0.1:${this.port}`;
  }

  /** The targets that it was asked for. */
  get targets(): string[] {
    return this.passed.map(({ target }) => target);
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await once(this.server, "close");
  }

  /** The port that it leads to, or the line of its refusal. */
  private admit({ method = "", url = "", headers }: IncomingMessage, place: string): number | string {
    const { "proxy-authorization": authorization } = headers;
    this.passed.push({ method, target: url, authorization });
    const { login, refuses, routes = {} } = this.options;
    if (refuses !== undefined) return `${refuses} Refused`;
    if (login !== undefined && authorization !== `Basic ${Buffer.from(login).toString("base64")}`)
      return '407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"';
    return routes[place] ?? "502 Bad Gateway";
  }
}
