/**
 * A scripted model on loopback: real HTTP and real streams in the five shapes that clients speak, and every
 * way in which an endpoint goes wrong. It keeps what it was sent.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { TRIAL_TOOL } from "@mimikit/agent/connect/trial-request";
import type { Role } from "@mimikit/protocol/base/role";
import { z } from "zod";
import { anthropicMessages } from "./model-server/anthropic-messages.ts";
import { bedrock } from "./model-server/bedrock.ts";
import { chatCompletions } from "./model-server/chat-completions.ts";
import { gemini } from "./model-server/gemini.ts";
import {
  BadRequest,
  bareName,
  checkAnswered,
  checkThoughts,
  type ModelRequest,
  promptAt,
  promptIn,
  type Reading,
  roleOf,
  type WireThought,
  wholeText,
} from "./model-server/request.ts";
import { responses } from "./model-server/responses.ts";
import { type Answer, type Fault, isFault, type Script, type Step } from "./model-server/script.ts";
import { openStream, resolveCall, type Utterance, type Wire } from "./model-server/wire.ts";

export type { ModelRequest } from "./model-server/request.ts";
export type { Answer, Fault, Script, ScriptedCall, Step } from "./model-server/script.ts";

const WIRES: readonly Wire[] = [chatCompletions, responses, anthropicMessages, gemini, bedrock];

/** A request before it is read as one to a model. */
export interface SentRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** Parsed JSON; undefined where there is none. */
  body: unknown;
}

/** As the vendor says no. */
export interface Refusal {
  status: number;
  /** A text is sent as it is, all else as JSON. */
  body: unknown;
  headers?: Record<string, string>;
}

/** The answer to an agent CLI's own requests, such as one for a title. */
const ASIDE: Answer = { say: "ok" };

export class ModelServer {
  /** Those that were made for a role, in their order. */
  readonly requests: ModelRequest[] = [];
  /** Requests that could not be understood, and why. */
  readonly unknown: string[] = [];
  /** Those that only tried it out, and how they are answered. */
  readonly trials: { model: string; headers: IncomingMessage["headers"] }[] = [];
  trial: (model: string) => Step = () => ({ calls: [{ name: TRIAL_TOOL, args: { word: "ready" } }] });
  /** The answer to the list of models, which only some endpoints have; it is no request for a role. */
  models: unknown[] | null = null;
  /** A vendor's refusal before a model is asked at all, in its own words; null where it takes the request. */
  refuse: (request: SentRequest) => Refusal | null = () => null;
  /** The messages of what was refused so. */
  readonly refused: string[] = [];
  /** Serves the vendor's other paths, such as its list of models; null where there is nothing. */
  serve: (request: SentRequest) => Refusal | null = () => null;
  /** Translates a path at the vendor's address to the path on our wires. */
  route: (path: string) => string = (path) => path;
  /** Streams an answer over Chat Completions in the vendor's manner; null for that of our server. */
  speech: Wire["stream"] | null = null;
  /** Returns the vendor's signature for its nth thought. */
  seal: (n: number) => string = (n) => Buffer.from(`sealed ${n}`).toString("base64");
  /** Whether calls are refused that stand without the thought that they came of. */
  demandsThoughts = true;
  /** The paths that were asked, in their order. */
  readonly paths: string[] = [];
  /** The answers of Ollama's own API about its model and the loaded ones; null for a server that is none. */
  ollama: { show: unknown; ps: unknown } | null = null;
  /** Replaced by tests that change their mind. */
  script: Script;
  private readonly server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => this.receive(incoming, Buffer.concat(chunks).toString(), response));
  });
  /** The thoughts before a call, by its id on the wire. */
  private readonly sealed = new Map<string, WireThought>();
  private answers = 0;
  private calls = 0;

  private constructor(script: Script) {
    this.script = script;
  }

  /** @param port any that is free when not given. */
  static async start(script: Script = {}, port = 0): Promise<ModelServer> {
    const model = new ModelServer(script);
    model.server.listen(port, "127.0.0.1");
    await once(model.server, "listening");
    return model;
  }

  /** The address of the server: what goes into ANTHROPIC_BASE_URL. */
  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the model server does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /** The value for OPENAI_BASE_URL. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  of(role: Role): ModelRequest[] {
    return this.requests.filter((request) => request.role === role);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private receive(incoming: IncomingMessage, text: string, response: ServerResponse): void {
    const asked = new URL(incoming.url ?? "", "http://localhost").pathname;
    const path = this.route(asked);
    try {
      const { method = "", headers } = incoming;
      if (method === "POST") this.paths.push(path);
      const sent = { method, path, headers, body: text === "" ? undefined : JSON.parse(text, wholeText) };
      const refusal = this.refuse(sent);
      const served = refusal === null ? this.serve(sent) : null;
      if (served !== null) sendJson(response, served.status, served.body, served.headers);
      else if (refusal !== null) {
        this.refused.push(JSON.stringify(refusal.body));
        if (typeof refusal.body === "string") response.writeHead(refusal.status, refusal.headers).end(refusal.body);
        else sendJson(response, refusal.status, refusal.body, refusal.headers);
      } else if (path === `${anthropicMessages.path}/count_tokens`) sendJson(response, 200, { input_tokens: 100 });
      else if (path.endsWith("/models") && incoming.method === "GET")
        sendJson(response, this.models === null ? 404 : 200, { data: this.models ?? [] });
      else if (/^\/api\/(show|ps)$/.test(path))
        sendJson(response, this.ollama === null ? 404 : 200, this.ollama?.[path === "/api/ps" ? "ps" : "show"] ?? {});
      else this.answer(incoming, { path, text }, response);
    } catch (error) {
      if (!(error instanceof BadRequest || error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
      const message = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
      this.unknown.push(`${incoming.method} ${path}: ${message}`);
      sendJson(response, 400, { error: { message } });
    }
  }

  /** Throws `BadRequest`, or what JSON or zod throw, where the request is not understood. */
  private answer(incoming: IncomingMessage, sent: { path: string; text: string }, response: ServerResponse): void {
    const wire = WIRES.find(({ path }) => (typeof path === "string" ? path === sent.path : path.test(sent.path)));
    if (wire === undefined || incoming.method !== "POST") throw new BadRequest("there is nothing here");
    const body: unknown = JSON.parse(sent.text, wholeText);
    const reading = wire.read(body, sent.path);
    const systems = reading.messages.filter((message) => message.role === "system").map((message) => message.content);
    const system = systems.find((text) => roleOf(text) !== undefined) ?? "";
    const role = roleOf(system);
    const speaker = new Speaker(
      wire,
      reading,
      response,
      ++this.answers,
      () => `call_${++this.calls}`,
      (callId, thought) => this.sealed.set(callId, thought),
      this.seal(this.answers),
      wire === chatCompletions ? this.speech : null,
    );
    if (reading.tools.some(({ name }) => name === TRIAL_TOOL)) {
      this.trials.push({ model: reading.model, headers: incoming.headers });
      const step = this.trial(reading.model);
      if (isFault(step)) speaker.fail(step);
      else speaker.say(step);
      return;
    }
    if (role === undefined) {
      if (wire !== anthropicMessages)
        throw new BadRequest(`these are the rules of no role: ${systems.join("\n").slice(0, 100)}`);
      speaker.say(ASIDE);
      return;
    }
    checkAnswered(reading.messages);
    if (this.demandsThoughts) checkThoughts(reading.messages, this.sealed);
    const request: ModelRequest = {
      wire: wire.name,
      role,
      turn: reading.messages.slice(promptAt(reading.messages) + 1).filter((message) => message.role === "assistant")
        .length,
      nth: this.of(role).length + 1,
      model: reading.model,
      messages: reading.messages,
      system,
      prompt: promptIn(reading.messages),
      media: reading.messages.flatMap((message) => message.media ?? []),
      results: reading.messages.filter((message) => message.role === "tool").map((message) => message.content),
      tools: reading.tools.map((tool) => bareName(tool.name)),
      headers: incoming.headers,
      bytes: Buffer.byteLength(sent.text),
      body,
      wasAborted: once(response, "close").then(() => !response.writableFinished),
    };
    this.requests.push(request);
    const steps = this.script[role];
    const step = typeof steps === "function" ? steps(request) : (steps?.[request.nth - 1] ?? steps?.at(-1));
    if (step === undefined) throw new BadRequest(`no step for the ${role}`);
    if (isFault(step)) speaker.fail(step);
    else speaker.say(step);
  }
}

/** Says one answer on one wire, or fails to. */
class Speaker {
  private readonly wire: Wire;
  private readonly reading: Reading;
  private readonly response: ServerResponse;
  private readonly number: number;
  private readonly nextCallId: () => string;
  private readonly onSeal: (callId: string, thought: WireThought) => void;
  private readonly seal: string;
  private readonly speech: Wire["stream"] | null;

  constructor(
    wire: Wire,
    reading: Reading,
    response: ServerResponse,
    number: number,
    nextCallId: () => string,
    onSeal: (callId: string, thought: WireThought) => void,
    seal: string,
    speech: Wire["stream"] | null,
  ) {
    this.wire = wire;
    this.reading = reading;
    this.response = response;
    this.number = number;
    this.nextCallId = nextCallId;
    this.onSeal = onSeal;
    this.seal = seal;
    this.speech = speech;
  }

  say(answer: Answer): void {
    const utterance = this.utter(answer);
    if (answer.whole === true || !this.reading.isStreamed) sendJson(this.response, 200, this.wire.whole(utterance));
    else (this.speech ?? this.wire.stream)(this.response, utterance);
  }

  fail(fault: Fault): void {
    const { response } = this;
    if ("status" in fault) {
      const { status, headers, body = { error: { message: `scripted ${status}` } } } = fault;
      sendJson(response, status, body, headers);
    } else if ("reset" in fault) response.destroy();
    else if ("stream" in fault) {
      openStream(response);
      response.end(fault.stream);
    } else {
      const text = "cut" in fault ? fault.cut : fault.hang;
      if (text !== true) this.begin(text);
      // Written bytes must be on their way before the connection breaks.
      if ("cut" in fault) response.write(": \n\n", () => response.destroy());
    }
  }

  private begin(say: string): void {
    if (this.reading.isStreamed) this.wire.begin(this.response, this.utter({ say }));
    else {
      this.response.writeHead(200, { "content-type": "application/json" });
      this.response.write("{");
    }
  }

  private utter({ say = "", think, calls = [], finish, withoutUsage }: Answer): Utterance {
    const { wire } = this;
    const resolved = calls.map((call) => resolveCall(call, this.reading.tools, this.nextCallId()));
    const seal = wire.name === "chat-completions" ? undefined : this.seal;
    const thought = think === undefined ? undefined : { text: think, seal };
    if (thought !== undefined) for (const { id } of resolved) this.onSeal(wire.callId?.(id) ?? id, thought);
    return {
      number: this.number,
      model: this.reading.model,
      say,
      calls: resolved,
      ...(thought !== undefined && { thought }),
      ...(finish !== undefined && { finish }),
      ...(withoutUsage !== undefined && { withoutUsage }),
    };
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
