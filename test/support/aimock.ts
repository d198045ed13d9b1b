/**
 * The same scripts on somebody else's server: a third party's mock of OpenAI, Anthropic and Gemini, with its faults. Our
 * understanding of a wire is thus not shown by our own server alone.
 */
import { type ChaosConfig, type ChatCompletionRequest, type Fixture, LLMock } from "@copilotkit/aimock";
import { TRIAL_TOOL } from "@mimikit/agent/connect/trial-request";
import type { Role } from "@mimikit/protocol/base/role";
import { type Message, type ModelRequest, promptAt, promptIn, roleOf } from "./model-server/request.ts";
import { type Answer, isFault, type Script, type Step } from "./model-server/script.ts";
import { resolveCall, USAGE } from "./model-server/wire.ts";
import type { ModelServer } from "./model-server.ts";

/** The part of a scripted server that the suites use. */
export type ScriptedModel = Pick<ModelServer, "requests" | "unknown" | "script" | "url" | "baseUrl" | "of" | "close">;

type Response = Exclude<Fixture["response"], (...args: never) => unknown>;

/** Longer than any silence that is tested. */
const SILENCE_MS = 30_000;

export class Aimock implements ScriptedModel {
  private readonly asked: ModelRequest[] = [];
  readonly unknown: string[] = [];
  script: Script;
  private readonly mock = new LLMock({ port: 0, host: "127.0.0.1", journalMaxEntries: 0 });
  /** A request is looked at by every fixture; what becomes of it is decided once. */
  private readonly steps = new WeakMap<ChatCompletionRequest, Step>();
  private calls = 0;

  private constructor(script: Script) {
    this.script = script;
    const on = (isIt: (step: Step) => boolean, options: Partial<Fixture> = {}) =>
      this.mock.addFixture({
        ...options,
        match: { predicate: (request) => isIt(this.stepOf(request)) },
        response: (request) => this.respond(request),
      });
    this.mock.addFixture({
      match: { predicate: ({ tools = [] }) => tools.some((tool) => tool.function.name === TRIAL_TOOL) },
      response: { toolCalls: [{ name: TRIAL_TOOL, arguments: '{"word":"ready"}' }] },
    });
    on((step) => "reset" in step, { chaos: { disconnectRate: 1 } });
    on((step) => "cut" in step, { truncateAfterChunks: 2, chunkSize: 1 });
    on((step) => "hang" in step, { chaos: { latencyMs: SILENCE_MS } });
    on((step) => "stream" in step, { chaos: { malformedRate: 1 } });
    on(() => true);
  }

  /** @param chaos how often it goes wrong at random, and in which way. */
  static async start(script: Script = {}, chaos?: ChaosConfig): Promise<Aimock> {
    const model = new Aimock(script);
    if (chaos !== undefined) model.mock.setChaos(chaos);
    await model.mock.start();
    return model;
  }

  get url(): string {
    return this.mock.url;
  }

  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  /** The headers are known when the mock has answered. */
  get requests(): ModelRequest[] {
    const journal = this.mock.getRequests();
    return this.asked.map((request, i) => ({ ...request, headers: journal[i]?.headers ?? {} }));
  }

  of(role: Role): ModelRequest[] {
    return this.asked.filter((request) => request.role === role);
  }

  async close(): Promise<void> {
    await this.mock.stop();
  }

  private stepOf(sent: ChatCompletionRequest): Step {
    const known = this.steps.get(sent);
    if (known !== undefined) return known;
    const step = this.decide(sent);
    this.steps.set(sent, step);
    return step;
  }

  private decide(sent: ChatCompletionRequest): Step {
    const request = this.read(sent);
    if (request === null) {
      this.unknown.push(`these are the rules of no role: ${JSON.stringify(sent).slice(0, 200)}`);
      return { status: 400 };
    }
    this.asked.push(request);
    const steps = this.script[request.role];
    return (
      (typeof steps === "function" ? steps(request) : (steps?.[request.nth - 1] ?? steps?.at(-1))) ?? { status: 400 }
    );
  }

  private read({ model, messages, tools = [], ...rest }: ChatCompletionRequest): ModelRequest | null {
    const plain = messages.map(({ role, content, tool_calls, tool_call_id }): Message => {
      const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
      return { role, content: role === "tool" ? unwrapped(text) : text, tool_calls, tool_call_id };
    });
    const system = plain.find(({ role }) => role === "system")?.content ?? "";
    const role = roleOf(system);
    if (role === undefined) return null;
    return {
      wire: "chat-completions",
      role,
      turn: plain.slice(promptAt(plain) + 1).filter((message) => message.role === "assistant").length,
      nth: this.of(role).length + 1,
      model,
      messages: plain,
      system,
      prompt: promptIn(plain),
      media: [],
      results: plain.filter((message) => message.role === "tool").map(({ content }) => content),
      tools: tools.map((tool) => tool.function.name),
      headers: {},
      bytes: 0,
      body: rest,
      wasAborted: Promise.resolve(false),
    };
  }

  private respond(sent: ChatCompletionRequest): Response {
    const step = this.stepOf(sent);
    if (!isFault(step)) return this.say(step, sent);
    if ("status" in step) {
      const retryAfter = step.headers?.["retry-after"];
      return {
        status: step.status,
        error: { message: `scripted ${step.status}`, ...errorIn(step.body) },
        ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
      };
    }
    return { content: "cut" in step ? step.cut : "nothing" };
  }

  private say({ say = "", think, calls = [], finish }: Answer, { tools = [] }: ChatCompletionRequest): Response {
    const offered = tools.map((tool) => ({ name: tool.function.name, kind: "function" as const }));
    const toolCalls = calls.map((call) => {
      const { name, id, arguments: input } = resolveCall(call, offered, `call_${++this.calls}`);
      return { name, id, arguments: input };
    });
    const { input, output } = USAGE;
    const more = {
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        input_tokens: input,
        output_tokens: output,
        promptTokenCount: input,
        candidatesTokenCount: output,
      },
      ...(think !== undefined && { reasoning: think }),
      ...(finish !== undefined && { finishReason: finish === "filter" ? "content_filter" : finish }),
    };
    if (toolCalls.length === 0) return { content: say, ...more };
    return say === "" ? { toolCalls, ...more } : { content: say, toolCalls, ...more };
  }
}

/** Gemini's results are objects, which the mock shows as they are. */
function unwrapped(text: string): string {
  if (!text.startsWith('{"name":')) return text;
  const result: { content?: string; error?: string } = JSON.parse(text);
  return result.content ?? result.error ?? text;
}

/** The error that a scripted body tells, where it tells one. */
function errorIn(body: unknown): { message?: string; code?: string } {
  return typeof body === "object" && body !== null && "error" in body ? (body.error as { message?: string }) : {};
}
