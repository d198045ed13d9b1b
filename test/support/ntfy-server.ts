/**
 * A server of the test's own that speaks the protocol of ntfy (docs.ntfy.sh/publish, docs.ntfy.sh/subscribe/api) as far as a channel needs
 * it: publishing as JSON and as plain text, streams of lines that begin after a message, and repetitions that replace each other.
 * Buttons are part of the message with their request (docs.ntfy.sh/publish/#action-buttons).
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import type { Fate } from "./telegram-server.ts";

const MESSAGE_BYTES_MAX = 4_096;
/** `attachment-expiry-duration`. */
const EXPIRES_SEC = 10_800;

/** As server/server.go of ntfy makes it (`handlePublishBody`, `handleBodyAsAttachment`); `url` is below `base-url`. */
interface Attached {
  name: string;
  url: string;
  type?: string;
  size?: number;
  expires?: number;
}

interface Published {
  id: string;
  time: number;
  topic: string;
  message: string;
  title?: string | undefined;
  /** Clients show the last of those that have the same. */
  sequence: string;
  actions: { label: string; url: string; body: string; action: string; method: string }[];
  attachment?: Attached;
}

export class NtfyServer {
  readonly topic: string;
  readonly listen: string;
  /** All that was taken, repetitions too. */
  readonly published: Published[] = [];
  /** The bodies of all requests to publish, as they came: every reader of a topic is given all of it. */
  readonly bodies: string[] = [];
  readonly mistakes: string[] = [];
  onSend: (message: { text: string }) => Fate | Promise<Fate> = () => "taken";
  onDelivered: (texts: readonly string[]) => void = () => {};
  private readonly files = new Map<string, Buffer>();
  /** The files that were asked for. */
  readonly downloads: string[] = [];
  private readonly streams = new Set<{ topic: string; response: ServerResponse }>();
  private server: Server | undefined;
  private port = 0;

  private constructor(topic: string, listen: string) {
    this.topic = topic;
    this.listen = listen;
  }

  static async start(topic = "garden-notices-5f2c", listen = "garden-words-81aa"): Promise<NtfyServer> {
    const ntfy = new NtfyServer(topic, listen);
    await ntfy.open();
    return ntfy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => this.mistakes.push(String(error)));
    });
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  /** As clients show them: of a repetition the last. */
  get shown(): Published[] {
    const ours = this.published.filter(({ topic }) => topic === this.topic);
    return [...new Map(ours.map((each) => [each.sequence, each])).values()];
  }

  /** Publishes to a topic. */
  put(topic: string, message: string, more: Partial<Published> = {}): Published {
    const id = `m${String(this.published.length).padStart(11, "0")}`;
    const published = { id, time: Math.floor(Date.now() / 1_000), topic, message, sequence: id, actions: [], ...more };
    this.published.push(published);
    for (const stream of this.streams) if (stream.topic === topic) this.deliver(stream.response, [published]);
    return published;
  }

  /**
   * Publishes a body as a client does: what is named, has 4,096 bytes or more, or is no text, becomes a file, and ntfy says so in
   * place of the message (`defaultAttachmentMessage` in server/server.go).
   * @param headers `attach` names a file elsewhere, which ntfy does not fetch.
   */
  post(
    topic: string,
    body: string | Buffer,
    headers: { filename?: string; attach?: string; message?: string; title?: string } = {},
  ): Published {
    const { filename, attach, message = "", title } = headers;
    const bytes = Buffer.from(body);
    const id = `m${String(this.published.length).padStart(11, "0")}`;
    const more = { id, ...(title !== undefined && { title }) };
    if (attach !== undefined) {
      const name = filename ?? attach.split("/").at(-1) ?? "attachment";
      const said = bytes.length > 0 ? String(body).trim() : message;
      return this.put(topic, said || `You received a file: ${name}`, { ...more, attachment: { name, url: attach } });
    }
    const isText = Buffer.from(bytes.toString("utf8")).equals(bytes);
    if (filename === undefined && isText && bytes.length < MESSAGE_BYTES_MAX)
      return this.put(topic, bytes.toString("utf8").trim(), more);
    const [type, ending] = isText ? ["text/plain; charset=utf-8", ".txt"] : ["image/png", ".png"];
    const name = filename ?? `attachment${ending}`;
    const url = `${this.url}/file/${id}${ending}`;
    this.files.set(`/file/${id}${ending}`, bytes);
    const expires = Math.floor(Date.now() / 1_000) + EXPIRES_SEC;
    const attachment = { name, type, size: bytes.length, expires, url };
    return this.put(topic, message || `You received a file: ${name}`, { ...more, attachment });
  }

  async dispose(): Promise<void> {
    await this.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const [, topic, format] = /^\/([\w-]*)(\/json)?$/.exec(pathname) ?? [];
    const file = this.files.get(pathname);
    if (pathname.startsWith("/file/")) this.downloads.push(pathname);
    if (request.method === "GET" && file !== undefined) response.end(file);
    else if (pathname.startsWith("/file/")) response.writeHead(404).end(JSON.stringify({ code: 40401, http: 404 }));
    else if (pathname === "/v1/health") response.end('{"healthy":true}\n');
    else if (request.method === "GET" && topic !== undefined && format !== undefined)
      this.subscribe(topic, searchParams.get("since"), response);
    else if (request.method === "POST" && topic === "") await this.publish(await readAll(request), response);
    else if (request.method === "POST" && topic !== undefined)
      response.end(JSON.stringify(this.post(topic, await readAll(request))));
    else {
      this.mistakes.push(`${request.method} ${pathname}`);
      response.writeHead(404).end("{}");
    }
  }

  private subscribe(topic: string, since: string | null, response: ServerResponse): void {
    response.write(`${JSON.stringify({ id: "open", event: "open", topic })}\n`);
    const all = this.published.filter((each) => each.topic === topic);
    const after = all.findIndex(({ id }) => id === since);
    const isTime = /^\d+$/.test(since ?? "");
    // Of an id that it does not know, a server tells all that it has.
    const earlier = isTime ? all.filter(({ time }) => time >= Number(since)) : all.slice(after + 1);
    const stream = { topic, response };
    this.streams.add(stream);
    response.once("close", () => this.streams.delete(stream));
    if (since !== null && earlier.length > 0) this.deliver(response, earlier);
  }

  private deliver(response: ServerResponse, messages: readonly Published[]): void {
    for (const { id, time, topic, message, title, attachment } of messages)
      response.write(`${JSON.stringify({ id, time, event: "message", topic, message, title, attachment })}\n`);
    this.onDelivered(messages.map(({ message }) => message));
  }

  private async publish(body: string, response: ServerResponse): Promise<void> {
    this.bodies.push(body);
    const { topic, message, title, sequence_id, actions = [] } = JSON.parse(body);
    if (typeof topic !== "string" || typeof message !== "string" || Buffer.byteLength(message) > MESSAGE_BYTES_MAX)
      this.mistakes.push(`published ${body.slice(0, 100)}`);
    const fate = await this.onSend({ text: message });
    if (fate === "not json") return void response.writeHead(502).end("<html>");
    if (typeof fate === "object" && fate.taken !== true)
      return void response
        .writeHead(fate.status, fate.retryAfter === undefined ? {} : { "retry-after": String(fate.retryAfter) })
        .end(fate.page === true ? "<html>" : `{"code":${fate.status}01,"http":${fate.status}}`);
    const published = this.put(topic, message, { title, sequence: sequence_id, actions });
    if (typeof fate === "object") response.writeHead(fate.status).end("<html>");
    else if (fate === "taken unanswered") response.destroy();
    else response.end(`${JSON.stringify({ ...published, event: "message" })}\n`);
  }
}
