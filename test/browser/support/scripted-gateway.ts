/**
 * A gateway whose every word is said by the test: it serves the built page under the real content security policy and
 * speaks the contract (docs/security.md#signing-in, docs/api.md#websocket-ws) over real sockets, but has no assistant
 * behind it.
 */
import { createHash, randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PAUSABLE } from "@mimikit/protocol/base/kind";
import type {
  ChangeView,
  ChatMessage,
  ClientFrame,
  Device,
  QuestionView,
  ServerFrame,
  Status,
  TaskSummary,
  TriggerExplanation,
  TriggerSummary,
} from "@mimikit/protocol/wire/api";
import { notificationIn } from "@mimikit/protocol/wire/notification";
import express from "express";
import { type WebSocket, WebSocketServer } from "ws";
import { files } from "../../../apps/http-gateway/src/routes/page.ts";

const POLICY =
  "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const COOKIE = "mimikit-test";
/** With what browsers subscribe. */
export const PUSH_KEY = "B".repeat(87);
const THIS_DEVICE: Device = {
  id: "d".repeat(64),
  kind: "browser",
  name: "Chrome on Linux",
  pairedAt: "2026-11-22T08:00:00.000Z",
  seenAt: "2026-11-22T08:00:00.000Z",
  expiresAt: "2026-12-22T08:00:00.000Z",
  isThis: true,
  push: null,
};

type OrderedFrame = Extract<
  ServerFrame,
  { type: "message" | "task" | "question" | "trigger" | "notification" | "status" }
>;
type Lossy = Extract<ServerFrame, { type: "begin" | "delta" | "thought" | "progress" | "error" }>;

/** A command that came over HTTP. */
export interface Wanted {
  method: string;
  path: string;
  body: unknown;
}

export interface Received {
  frame: ClientFrame;
  /** The number of the connection that it came on: 1, 2, 3, … */
  connection: number;
}

export class ScriptedGateway {
  /** Every frame of every client, in order of arrival. */
  readonly received: Received[] = [];
  /** The path of every HTTP request, in order. */
  readonly requests: string[] = [];
  /** The recent changes, the newest first. */
  changes: ChangeView[] = [];
  /** Every change of a trigger, of the backlog and of memory, and every undo, that was asked for, in order. */
  readonly wanted: Wanted[] = [];
  /** The uploaded files, by their hash. */
  readonly attachments = new Map<string, { type: string; body: Buffer }>();
  /** The files of the workspace, by path. */
  readonly files = new Map<string, { type: string; body: Buffer }>();
  /** Why every upload is refused, if it is. */
  uploadRefusal: string | undefined;
  /** Why triggers fire or do not, by id. */
  readonly explanations = new Map<string, TriggerExplanation>();
  /** The answers to GETs of the API, by path; a function is asked with the query. */
  readonly answers = new Map<string, unknown>([
    ["/api/memory/search", { method: "bm25", hits: [] }],
    [
      "/api/memory/status",
      { sources: [], newestNote: null, newestSummaries: [], unarchived: 0, index: null, hasRipgrep: true },
    ],
    ["/api/backlog", { items: [] }],
    ["/api/skills", { skills: [], problems: [] }],
    ["/api/improvements", { improvements: [] }],
    ["/api/settings", { settings: [], missing: [] }],
    ["/api/approvals", { approvals: [] }],
    ["/api/devices", { devices: [THIS_DEVICE] }],
    ["/api/mcp", { servers: [], commands: [], problems: [] }],
    ["/api/providers", { providers: [], order: { teller: [], planner: [], worker: [], reviewer: [] } }],
    ["/api/providers/local", { servers: [] }],
    [
      "/api/triggers/simulate",
      { from: "", to: "", firings: [], isCut: false, expected: { tokens: 0, costUsd: 0 }, conditional: [] },
    ],
  ]);
  /** The answers to POSTs about providers, by path: a function is asked with the body; a string is a refusal in words. */
  readonly connects = new Map<string, unknown>();
  /** Why changes of triggers are refused; undefined while they are granted. */
  refusal: string | undefined;
  /** The status with which answers from notifications are answered. */
  pressed = 202;
  /** While false, messages are not acknowledged, as if the disk were slow. */
  accepts = true;
  status: Status;

  /** Cursors of another gateway mean nothing here. */
  readonly #epoch = randomBytes(4).toString("hex");
  readonly #dist: string;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);
  readonly #codes = new Set<string>();
  readonly #secrets = new Set<string>();
  readonly #messageIds = new Map<string, string>();
  readonly #messages = new Map<string, ChatMessage>();
  readonly #tasks = new Map<string, TaskSummary>();
  readonly #questions = new Map<string, QuestionView>();
  readonly #triggers = new Map<string, TriggerSummary>();
  readonly #log: OrderedFrame[] = [];
  readonly #greeted = new Set<WebSocket>();
  #connections = 0;
  #port = 0;
  #server: Server | undefined;

  constructor(dist: string, status: Status) {
    this.#dist = dist;
    this.status = status;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The cursor of the latest ordered frame. */
  get cursor(): string {
    return `${this.#epoch}.${this.#log.length}`;
  }

  /** Listens; after `stop` again on the same port. */
  async start(): Promise<void> {
    const server = createServer(this.#app());
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      if (!this.#isPaired(request.headers.cookie)) return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      sockets.handleUpgrade(request, socket, head, (client) => this.#converse(client));
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Ends every connection and listens no more, as when the machine is gone. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.drop();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  /** A gateway for the same address and the same browsers that knows nothing of what this one has said. */
  successor(): ScriptedGateway {
    const next = new ScriptedGateway(this.#dist, this.status);
    next.#port = this.#port;
    for (const secret of this.#secrets) next.#secrets.add(secret);
    return next;
  }

  /** Cuts every WebSocket without a goodbye. */
  drop(): void {
    for (const client of this.#greeted) client.terminate();
    this.#greeted.clear();
  }

  /** The address with a fresh one-time code. */
  pairingAddress(): string {
    const code = randomBytes(16).toString("base64url");
    this.#codes.add(code);
    return `${this.origin}/#pair=${code}`;
  }

  /** Forgets every session, as `sign-out` elsewhere does. */
  revokeAll(): void {
    this.#secrets.clear();
    this.drop();
  }

  message(data: ChatMessage): void {
    this.#messages.set(data.id, data);
    this.#order({ type: "message", cursor: "", data });
  }

  /** A message that calls the user's attention. */
  notify(data: ChatMessage): void {
    this.message(data);
    const notification = notificationIn(data);
    if (notification !== null) this.#order({ type: "notification", cursor: "", data: notification });
  }

  task(data: TaskSummary): void {
    this.#tasks.set(data.id, data);
    this.#order({ type: "task", cursor: "", data });
  }

  /** Asks, or closes the question. */
  question(data: QuestionView, isOpen = true): void {
    if (isOpen) this.#questions.set(data.id, data);
    else this.#questions.delete(data.id);
    this.#order({ type: "question", cursor: "", data: { ...data, isOpen } });
  }

  trigger(data: TriggerSummary, isOver = false): void {
    if (isOver) this.#triggers.delete(data.id);
    else this.#triggers.set(data.id, data);
    this.#order({ type: "trigger", cursor: "", data: { ...data, isOver } });
  }

  setStatus(change: Partial<Status>): void {
    this.status = { ...this.status, ...change };
    this.#order({ type: "status", cursor: "", data: this.status });
  }

  /** A frame without a cursor: whoever is not there never gets it. */
  pass(frame: Lossy): void {
    for (const client of this.#greeted) client.send(JSON.stringify(frame));
  }

  /** The first frame, already here or still to come, for which `matches` holds. */
  async arrival<T extends ClientFrame["type"]>(
    type: T,
    matches: (frame: Extract<ClientFrame, { type: T }>, connection: number) => boolean = () => true,
  ): Promise<Extract<ClientFrame, { type: T }>> {
    const isIt = ({ frame, connection }: Received) =>
      frame.type === type && matches(frame as Extract<ClientFrame, { type: T }>, connection);
    let found = this.received.find(isIt);
    while (!found) {
      await once(this.#arrivals, "frame");
      found = this.received.find(isIt);
    }
    return found.frame as Extract<ClientFrame, { type: T }>;
  }

  /** The id of the message that an input became, or of what was said meanwhile. */
  messageIdOf(inputId: string, prefix = "m"): string {
    const known = this.#messageIds.get(inputId) ?? `${prefix}-${String(this.#messageIds.size + 1).padStart(4, "0")}`;
    this.#messageIds.set(inputId, known);
    return known;
  }

  #app(): express.Express {
    const app = express();
    app.use((request, response, next) => {
      this.requests.push(request.path);
      response.set("Content-Security-Policy", POLICY).set("X-Content-Type-Options", "nosniff");
      next();
    });
    app.post("/api/pair", express.json(), (request, response) => {
      const { code } = request.body as { code: string };
      if (!this.#codes.delete(code))
        return void response.status(410).json({ error: { code: "gone", message: "gone" } });
      const secret = randomBytes(16).toString("base64url");
      this.#secrets.add(secret);
      response.cookie(COOKIE, secret, { httpOnly: true, sameSite: "strict" }).json({ secret });
    });
    // A service worker has the cookie, and nothing of the page.
    app.post("/api/push/answer", express.json(), ({ method, path, body, headers }, response) => {
      const isWorker = this.#isPaired(headers.cookie) && headers["x-mimikit-secret"] === undefined;
      if (isWorker) this.wanted.push({ method, path, body });
      response.status(isWorker ? this.pressed : 401).json({ id: "command" });
    });
    app.use("/api", (request, response, next) => {
      const secret = request.get("X-Mimikit-Secret");
      if (secret !== undefined && this.#secrets.has(secret) && this.#isPaired(request.headers.cookie)) return next();
      response.status(401).json({ error: { code: "unauthorized", message: "not paired" } });
    });
    app.get("/api/status", (_request, response) => void response.json(this.status));
    app.post("/api/attachments", express.raw({ type: () => true, limit: "25mb" }), (request, response) => {
      if (this.uploadRefusal !== undefined)
        return void response.status(415).json({ error: { code: "unknown_type", message: this.uploadRefusal } });
      const body = request.body as Buffer;
      const id = createHash("sha256").update(body).digest("hex");
      const type = request.get("Content-Type") ?? "";
      this.attachments.set(id, { type, body });
      response.status(201).json({ id, type, bytes: body.length });
    });
    app.get("/api/attachments/:id", (request, response) => {
      const found = this.attachments.get(request.params.id);
      if (found === undefined) return void response.status(404).json({ error: { code: "not_found", message: "gone" } });
      response.type(found.type).send(found.body);
    });
    app.get("/api/tasks/:id/transcript", (request, response) => {
      response.json(this.answers.get(request.path) ?? { lines: [], next: 0, isCut: false });
    });
    app.get("/api/tasks/:id/files", (request, response) => {
      response.json(this.answers.get(request.path) ?? { files: [] });
    });
    app.get("/api/files", (request, response) => {
      const found = this.files.get(String(request.query.path));
      if (found === undefined) return void response.status(404).json({ error: { code: "not_found", message: "gone" } });
      response.type(found.type).send(found.body);
    });
    app.get("/api/*path", (request, response, next) => {
      const answer = this.answers.get(request.path);
      if (answer === undefined) return next();
      response.json(typeof answer === "function" ? answer(request.query) : answer);
    });
    app.get("/api/triggers/:id", (request, response) => {
      const trigger = this.#triggers.get(request.params.id);
      const upcoming = trigger?.next ? [trigger.next] : [];
      response.json({ ...trigger, timeoutSec: null, onInterrupt: "rerun", depth: 0, upcoming });
    });
    app.get("/api/triggers/:id/explain", (request, response) => {
      response.json(this.explanations.get(request.params.id));
    });
    app.use("/api/triggers", express.json(), ({ method, path, body }, response) => {
      this.wanted.push({ method, path, body });
      if (this.refusal !== undefined) {
        const message = this.refusal;
        return void response.status(400).json({ error: { code: "invalid", message } });
      }
      response.status(202).json({ id: "command" });
      this.#arrivals.emit("frame");
    });
    app.post("/api/providers/*path", express.json(), ({ method, path, body }, response) => {
      this.wanted.push({ method, path, body });
      const answer = this.connects.get(path);
      const said = typeof answer === "function" ? answer(body) : answer;
      if (typeof said === "string")
        return void response.status(409).json({ error: { code: "conflict", message: said } });
      response.json(said);
    });
    app.post(["/api/backlog", "/api/memory"], express.json(), ({ method, path, body }, response) => {
      this.wanted.push({ method, path, body });
      response.status(202).json({ id: "command" });
    });
    app.post("/api/tasks/:id/again", express.json(), ({ method, path, body, params }, response) => {
      this.wanted.push({ method, path, body });
      response.status(202).json({ id: `${params.id.replaceAll(".", "-")}--again-1` });
    });
    app.post("/api/queues/:role/:action", ({ method, path, params }, response) => {
      this.wanted.push({ method, path, body: {} });
      const others = this.status.paused.filter((role) => role !== params.role);
      const role = PAUSABLE.find((one) => one === params.role && params.action === "pause");
      this.setStatus({ paused: role === undefined ? others : [...others, role] });
      response.json({ paused: this.status.paused });
    });
    app.get("/api/changes", (_request, response) => void response.json({ changes: this.changes }));
    app.post("/api/conversation/retry", express.json(), ({ method, path, body }, response) => {
      this.wanted.push({ method, path, body });
      response.status(202).json({ id: "retry-1" });
    });
    app.post("/api/undo", express.json(), ({ method, path, body }, response) => {
      this.wanted.push({ method, path, body });
      response.status(202).json({ id: "command" });
    });
    app.post("/api/push/key", (_request, response) => void response.json({ publicKey: PUSH_KEY }));
    app.post("/api/push", express.json(), ({ method, path, body }, response) => {
      this.wanted.push({ method, path, body });
      this.answers.set("/api/devices", { devices: [{ ...THIS_DEVICE, push: { refused: null } }] });
      response.json({ id: THIS_DEVICE.id });
    });
    app.delete("/api/push", ({ method, path }, response) => {
      this.wanted.push({ method, path, body: {} });
      this.answers.set("/api/devices", { devices: [THIS_DEVICE] });
      response.json({ id: THIS_DEVICE.id });
    });
    app.post("/api/push/test", (_request, response) => void response.json({ id: THIS_DEVICE.id }));
    app.post("/api/sign-out", (_request, response) => {
      response.status(204).end();
      this.revokeAll();
    });
    app.use(files(this.#dist));
    return app;
  }

  #isPaired(cookie = ""): boolean {
    const secret = new RegExp(`${COOKIE}=([^;]+)`).exec(cookie)?.[1];
    return secret !== undefined && this.#secrets.has(secret);
  }

  #converse(client: WebSocket): void {
    const connection = ++this.#connections;
    client.on("message", (data) => {
      const frame = JSON.parse(String(data)) as ClientFrame;
      this.received.push({ frame, connection });
      if (frame.type === "hello") this.#greet(client, frame);
      if ((frame.type === "input" || frame.type === "steer") && this.accepts) this.#accept(client, frame);
      if (frame.type === "stop" || frame.type === "clear" || frame.type === "answer")
        client.send(JSON.stringify({ type: "accepted", id: frame.id, messageId: frame.type } satisfies ServerFrame));
      this.#arrivals.emit("frame");
    });
    client.on("close", () => this.#greeted.delete(client));
  }

  #greet(client: WebSocket, hello: Extract<ClientFrame, { type: "hello" }>): void {
    if (hello.token === undefined || !this.#secrets.has(hello.token)) {
      client.close(4401);
      return;
    }
    this.#greeted.add(client);
    const [epoch, seen] = hello.cursor?.split(".") ?? [];
    if (epoch === this.#epoch) {
      for (const frame of this.#log.slice(Number(seen))) client.send(JSON.stringify(frame));
      return;
    }
    const snapshot: ServerFrame = {
      type: "snapshot",
      cursor: this.cursor,
      messages: [...this.#messages.values()],
      tasks: [...this.#tasks.values()],
      questions: [...this.#questions.values()],
      triggers: [...this.#triggers.values()],
      status: this.status,
    };
    client.send(JSON.stringify(snapshot));
  }

  /** The same id becomes the same message, however often it is sent (SPEC K2). */
  #accept(client: WebSocket, said: Extract<ClientFrame, { type: "input" | "steer" }>): void {
    const isNew = !this.#messageIds.has(said.id);
    const isSteer = said.type === "steer";
    const id = this.messageIdOf(said.id, isSteer ? "s" : "m");
    const message: ChatMessage = { id, role: "user", text: said.text, at: new Date().toISOString(), pending: true };
    if (isNew)
      this.message({
        ...message,
        ...(isSteer ? { meanwhile: true } : said.mode && { mode: said.mode }),
        ...(!isSteer && said.quote !== undefined && { quote: said.quote }),
        ...this.#filesOf(said),
      });
    client.send(JSON.stringify({ type: "accepted", id: said.id, messageId: id } satisfies ServerFrame));
  }

  #filesOf(said: Extract<ClientFrame, { type: "input" | "steer" }>): Pick<ChatMessage, "attachments"> {
    if (said.type === "steer" || said.attachments === undefined) return {};
    const files = said.attachments.flatMap(({ id, name }) => {
      const found = this.attachments.get(id);
      if (found === undefined) return [];
      const type = found.type as NonNullable<ChatMessage["attachments"]>[number]["type"];
      return [{ id, type, bytes: found.body.length, ...(name !== undefined && { name }) }];
    });
    return { attachments: files };
  }

  #order(frame: OrderedFrame): void {
    const ordered: OrderedFrame = { ...frame, cursor: "" };
    this.#log.push(ordered);
    ordered.cursor = this.cursor;
    for (const client of this.#greeted) client.send(JSON.stringify(ordered));
  }
}
