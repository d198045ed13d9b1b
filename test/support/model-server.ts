/**
 * A scripted model on loopback: real HTTP and real server-sent events in the shape of Chat Completions, and every way in
 * which an endpoint goes wrong. It keeps what it was sent.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { ROLES, type Role } from "@mimikit/protocol/role";
import { z } from "zod";

export interface ScriptedCall {
  name: string;
  args?: unknown;
  /** The arguments as they go over the wire, in place of `args`: for JSON that is none. */
  raw?: string;
}

/** An answer of the model. */
export interface Answer {
  say?: string;
  calls?: ScriptedCall[];
  finish?: "stop" | "tool_calls" | "length";
  /** Leave the usage out, as many endpoints do. */
  withoutUsage?: boolean;
  /** In one piece of JSON, without a stream. */
  whole?: boolean;
}

/** Every way in which there is none. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** The connection breaks before an answer. */
  | { reset: true }
  /** It breaks after this text. */
  | { cut: string }
  /** Nothing comes, from the beginning or after this text, until the client gives up. */
  | { hang: true | string }
  /** Bytes as they are, as an event stream. */
  | { stream: string };

/** What the model does with one request. */
export type Step = Answer | Fault;

const Call = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
const Body = z.object({
  model: z.string(),
  stream: z.boolean(),
  messages: z.array(
    z.object({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.string(),
      tool_calls: z.array(Call).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })).optional(),
});

export interface ModelRequest {
  role: Role;
  /** Answers of the model that this conversation already holds: 0 for its first request. */
  turn: number;
  /** 1 for the first request of this role, whatever conversation it belongs to. */
  nth: number;
  model: string;
  messages: z.infer<typeof Body>["messages"];
  system: string;
  /** The first user message: the prompt of the run. */
  prompt: string;
  /** What the tools answered, in order. */
  results: string[];
  tools: string[];
  headers: IncomingHttpHeaders;
  bytes: number;
  /** Resolves when the exchange is over: did the client hang up before it had everything? */
  wasAborted: Promise<boolean>;
}

/** By role: one step after the other (the last stays), or a function of the request. */
export type Script = Partial<Record<Role, Step[] | ((request: ModelRequest) => Step)>>;

const USAGE = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };

export class ModelServer {
  readonly requests: ModelRequest[] = [];
  /** Replaced by tests that change their mind. */
  script: Script;
  private readonly server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => this.answer(Buffer.concat(chunks).toString(), incoming.headers, response));
  });
  private sequence = 0;

  private constructor(script: Script) {
    this.script = script;
  }

  static async start(script: Script = {}): Promise<ModelServer> {
    const model = new ModelServer(script);
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    return model;
  }

  /** What goes into OPENAI_BASE_URL. */
  get baseUrl(): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the model server does not listen");
    return `http://127.0.0.1:${address.port}/v1`;
  }

  of(role: Role): ModelRequest[] {
    return this.requests.filter((request) => request.role === role);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private answer(text: string, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const body = Body.safeParse(JSON.parse(text));
    const problem = body.success ? findUnanswered(body.data.messages) : z.prettifyError(body.error);
    if (!body.success || problem !== null) {
      sendJson(response, 400, { error: { message: problem } });
      return;
    }
    const wasAborted = once(response, "close").then(() => !response.writableFinished);
    const request = this.note(body.data, { headers, bytes: text.length, wasAborted });
    const steps = this.script[request.role];
    const step = typeof steps === "function" ? steps(request) : (steps?.[request.nth - 1] ?? steps?.at(-1));
    if (step === undefined) sendJson(response, 400, { error: { message: `no step for the ${request.role}` } });
    else if (isFault(step)) fail(step, response);
    else if (step.whole === true) sendJson(response, 200, this.wholeAnswer(step));
    else this.stream(step, response);
  }

  private note(
    { model, messages, tools = [] }: z.infer<typeof Body>,
    exchange: Pick<ModelRequest, "headers" | "bytes" | "wasAborted">,
  ): ModelRequest {
    const contentOf = (role: string) => messages.find((message) => message.role === role)?.content ?? "";
    const system = contentOf("system");
    const firstLine = system.split("\n", 1)[0] ?? "";
    const role = ROLES.find((each) => firstLine.includes(each));
    if (role === undefined) throw new Error(`the rules begin without a role: ${firstLine}`);
    const request: ModelRequest = {
      role,
      turn: messages.filter((message) => message.role === "assistant").length,
      nth: this.of(role).length + 1,
      model,
      messages,
      system,
      prompt: contentOf("user"),
      results: messages.filter((message) => message.role === "tool").map((message) => message.content),
      tools: tools.map((tool) => tool.function.name),
      ...exchange,
    };
    this.requests.push(request);
    return request;
  }

  /** In pieces, as a model speaks. */
  private stream(answer: Answer, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { say = "", withoutUsage = false } = answer;
    const piece = Math.max(1, Math.ceil(say.length / 3));
    for (let at = 0; at === 0 || at < say.length; at += piece)
      sendDelta(response, { content: say.slice(at, at + piece) });
    for (const [index, call] of this.callsOf(answer).entries()) {
      const { name, arguments: input } = call.function;
      const half = Math.ceil(input.length / 2);
      const begun = { ...call, index, function: { name, arguments: input.slice(0, half) } };
      sendDelta(response, { tool_calls: [begun] });
      sendDelta(response, { tool_calls: [{ index, function: { arguments: input.slice(half) } }] });
    }
    sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] });
    if (!withoutUsage) sendEvent(response, { choices: [], usage: USAGE });
    response.end("data: [DONE]\n\n");
  }

  private wholeAnswer(step: Answer): object {
    const message = { role: "assistant", content: step.say ?? "", tool_calls: this.callsOf(step) };
    return { object: "chat.completion", choices: [{ index: 0, message, finish_reason: finishOf(step) }], usage: USAGE };
  }

  private callsOf({ calls = [] }: Answer) {
    return calls.map(({ name, args = {}, raw }) => ({
      id: `call_${++this.sequence}`,
      type: "function",
      function: { name, arguments: raw ?? JSON.stringify(args) },
    }));
  }
}

function isFault(step: Step): step is Fault {
  return "status" in step || "reset" in step || "cut" in step || "hang" in step || "stream" in step;
}

function fail(fault: Fault, response: ServerResponse): void {
  if ("status" in fault) {
    const { status, headers, body = { error: { message: `scripted ${status}` } } } = fault;
    sendJson(response, status, body, headers);
  } else if ("reset" in fault) response.destroy();
  else if ("stream" in fault) response.writeHead(200, { "content-type": "text/event-stream" }).end(fault.stream);
  else if ("cut" in fault || fault.hang !== true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    sendDelta(response, { content: "cut" in fault ? fault.cut : fault.hang });
    // What was written must be on its way before the connection breaks.
    if ("cut" in fault) response.write(": \n\n", () => response.destroy());
  }
}

function sendDelta(response: ServerResponse, delta: object): void {
  sendEvent(response, { choices: [{ index: 0, delta, finish_reason: null }] });
}

function sendEvent(response: ServerResponse, event: object): void {
  response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", ...event })}\n\n`);
}

function finishOf({ calls = [], finish }: Answer): string {
  return finish ?? (calls.length > 0 ? "tool_calls" : "stop");
}

/** Strict endpoints refuse a conversation in which calls and results do not match; so does this one. */
function findUnanswered(messages: z.infer<typeof Body>["messages"]): string | null {
  let open: string[] = [];
  for (const { role, tool_calls = [], tool_call_id = "" } of messages) {
    if (role === "tool") {
      if (!open.includes(tool_call_id)) return `the result ${tool_call_id} has no call`;
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    if (open.length > 0) return `the calls ${open.join(", ")} have no result`;
    open = tool_calls.map((call) => call.id);
    for (const call of tool_calls) JSON.parse(call.function.arguments);
  }
  return open.length > 0 ? `the calls ${open.join(", ")} have no result` : null;
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
