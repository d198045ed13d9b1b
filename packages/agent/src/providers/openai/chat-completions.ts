/**
 * One request to `/chat/completions`, streamed. It never throws, ends soon after `signal` aborts, and does not wait for
 * ever: an endpoint that does not begin, or does not go on, is unavailable.
 */
import { ATTACHMENT_EXTENSIONS, isImage } from "@mimikit/protocol/base/attachment";
import { BadJson, describeIssues, parseJson } from "@mimikit/protocol/base/json";
import type { ChatMessage, Model, ModelEvent, ModelFailure, ModelRequest } from "../../kernel/model.ts";
import type { Media } from "../../prompt/media.ts";
import { AnswerBuilder, Chunk } from "./answer.ts";
import type { Endpoint } from "./endpoint.ts";
import { failureInStream, failureOf } from "./failure.ts";
import { readEvents } from "./sse.ts";

const ERROR_BODY_CHARS_MAX = 65_536;
const ANSWER_BODY_CHARS_MAX = 16 * 1_048_576;
const JSON_LIMITS = { bytes: ANSWER_BODY_CHARS_MAX, depth: 32 };

/** A model at `endpoint`. A failure's message never holds the key. */
export function chatCompletions(endpoint: Endpoint): Model {
  return {
    async *ask(request, signal) {
      const watch = new Watch(endpoint, signal);
      try {
        for await (const event of exchange(endpoint, request, watch))
          yield event.type === "failure" ? withoutKey(event, endpoint) : event;
      } catch (error) {
        yield withoutKey(watch.explain(error), endpoint);
      } finally {
        watch.end();
      }
    },
  };
}

async function* exchange(endpoint: Endpoint, request: ModelRequest, watch: Watch): AsyncGenerator<ModelEvent> {
  const response = await fetch(`${endpoint.baseUrl.replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(endpoint.apiKey !== undefined && { authorization: `Bearer ${endpoint.apiKey}` }),
    },
    body: JSON.stringify(bodyOf(endpoint, request)),
    signal: watch.signal,
    // Another address was not configured, and must not get what was meant for this one.
    redirect: "error",
  });
  const chunks = watch.listen(response.body ?? []);
  if (!response.ok) {
    const body = await readAll(chunks, ERROR_BODY_CHARS_MAX);
    yield failureOf(response.status, body, response.headers.get("retry-after"), Date.now());
    return;
  }
  const isWhole = response.headers.get("content-type")?.includes("json") ?? false;
  const events = isWhole ? [await readAll(chunks, ANSWER_BODY_CHARS_MAX)] : readEvents(chunks);
  const answer = new AnswerBuilder();
  let isDone = false;
  for await (const data of events) {
    if (data === "[DONE]") {
      isDone = true;
      break;
    }
    const chunk = Chunk.safeParse(parseJson(data, JSON_LIMITS));
    if (!chunk.success) throw new BadJson(describeIssues(chunk.error));
    if (chunk.data.error != null) return yield failureInStream(chunk.data.error);
    const text = answer.add(chunk.data);
    if (text !== "") yield { type: "delta", text };
    if (answer.isTooLong) break;
  }
  if (isWhole || isDone || answer.isFinished || answer.isTooLong) yield answer.build(request);
  else
    yield { type: "failure", kind: "unavailable", message: "the model endpoint broke off in the middle of an answer" };
}

function bodyOf({ model }: Endpoint, { messages, tools }: ModelRequest): Record<string, unknown> {
  return {
    model,
    messages: messages.map(wireMessage),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && { tools: tools.map((each) => ({ type: "function", function: each })) }),
  };
}

function wireMessage(message: ChatMessage): Record<string, unknown> {
  if (message.role === "user" && message.media !== undefined && message.media.length > 0)
    return { role: "user", content: [{ type: "text", text: message.content }, ...message.media.map(wirePart)] };
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role !== "assistant" || message.calls.length === 0)
    return { role: message.role, content: message.content };
  const calls = message.calls.map(({ id, name, arguments: input }) => ({
    id,
    type: "function",
    function: { name, arguments: input },
  }));
  return { role: "assistant", content: message.content, tool_calls: calls };
}

/** A picture as a data URL, a recording as its bytes: that is how Chat Completions takes them. */
function wirePart({ type, data }: Media): Record<string, unknown> {
  if (isImage(type)) return { type: "image_url", image_url: { url: `data:${type};base64,${data}` } };
  return { type: "input_audio", input_audio: { data, format: ATTACHMENT_EXTENSIONS[type] } };
}

async function readAll(chunks: AsyncIterable<Uint8Array>, charsMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= charsMax) break;
  }
  return text.slice(0, charsMax);
}

function withoutKey(failure: ModelFailure, { apiKey }: Endpoint): ModelFailure {
  return apiKey === undefined ? failure : { ...failure, message: failure.message.replaceAll(apiKey, "[key]") };
}

/** Why no connection came about, by the codes of the system and of fetch. */
const UNCONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function isUnconnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && UNCONNECTED.has(String(cause.code));
}

/** Ends a request that the run ends, or that has been silent for too long, and says afterwards which of them it was. */
class Watch {
  readonly signal: AbortSignal;
  private readonly endpoint: Endpoint;
  private readonly stop: AbortSignal;
  private readonly silence = new AbortController();
  private timer: NodeJS.Timeout;
  private hasBegun = false;

  constructor(endpoint: Endpoint, stop: AbortSignal) {
    this.endpoint = endpoint;
    this.stop = stop;
    this.signal = AbortSignal.any([stop, this.silence.signal]);
    this.timer = this.start(endpoint.firstByteMs);
  }

  /** Passes the pieces on; with each of them the time begins anew. */
  async *listen(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      clearTimeout(this.timer);
      this.hasBegun = true;
      yield chunk;
      this.timer = this.start(this.endpoint.idleMs);
    }
  }

  explain(error: unknown): ModelFailure {
    if (this.stop.aborted)
      return { type: "failure", kind: "aborted", message: "stopped while the model was answering" };
    const isOutage = !this.hasBegun && isUnconnected(error);
    return { type: "failure", kind: "unavailable", message: this.describe(error), isOutage };
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private start(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.silence.abort(), ms);
  }

  private describe(error: unknown): string {
    const { baseUrl, firstByteMs, idleMs } = this.endpoint;
    const where = `the model endpoint ${new URL(baseUrl).origin}`;
    if (this.silence.signal.aborted && this.hasBegun) return `${where} was silent for ${idleMs / 1_000} s in an answer`;
    if (this.silence.signal.aborted) return `${where} did not begin to answer within ${firstByteMs / 1_000} s`;
    if (error instanceof BadJson) return `${where} sent what is no answer: ${error.message}`;
    if (!(error instanceof Error)) return `${where}: ${String(error)}`;
    const { cause } = error;
    const code = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.message) : error.message;
    return `${where} cannot be reached: ${code}`;
  }
}
