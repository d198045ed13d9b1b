/**
 * One request to `/chat/completions`, streamed. It never throws, ends soon after `signal` aborts, and does not wait for
 * ever: an endpoint that does not begin, or does not go on, is unavailable.
 */

import { ATTACHMENT_EXTENSIONS, isImage } from "@mimikit/protocol/base/attachment";
import { wellFormed, wellFormedJson } from "@mimikit/protocol/texts/whole-characters";
import type { KernelMessage, Model, ModelEvent, ModelFailure, ModelRequest } from "../../kernel/model.ts";
import type { Media } from "../../prompt/media.ts";
import { failureInStream, failureOf } from "../endpoint/failure.ts";
import { BROKE_OFF } from "../endpoint/measure-answer.ts";
import { hostOf } from "../endpoint/place.ts";
import { atPlace, BadAnswer, EndpointWatch, readAll } from "../endpoint/watch.ts";
import { AnswerBuilder, wireExtra, wireThoughts } from "./answer.ts";
import { readChunk } from "./chunk.ts";
import type { Endpoint } from "./endpoint.ts";
import { DONE, readEvents } from "./sse.ts";

const ERROR_BODY_CHARS_MAX = 65_536;

/** A model at `endpoint`. A failure's message never holds the key. */
export function chatCompletions(endpoint: Endpoint): Model {
  const form = { isStreamed: true };
  return {
    async *ask(request, signal) {
      const watch = new EndpointWatch(endpoint, signal);
      try {
        for await (const event of exchange(endpoint, request, watch, form))
          yield event.type === "failure" ? atPlace(event, endpoint) : event;
      } catch (error) {
        yield watch.explain(error);
      } finally {
        watch.end();
      }
    },
  };
}

/**
 * @param form of this request, and afterwards of the next. A stream that breaks off before its first word is followed by a
 * request without one: some servers send the status of a stream before they look at the prompt, and have no other way to
 * tell what is wrong with it (that of llama-cpp-python 0.3.36).
 */
async function* exchange(
  endpoint: Endpoint,
  request: ModelRequest,
  watch: EndpointWatch,
  form: { isStreamed: boolean },
): AsyncGenerator<ModelEvent> {
  const response = await fetch(`${endpoint.baseUrl.replace(/(?<!\/)\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...keyHeaderOf(endpoint),
    },
    body: JSON.stringify(wellFormed(inForm(form, bodyOf(endpoint, request)))),
    signal: watch.signal,
    // Another address was not configured, and must not get what was meant for this one.
    redirect: "error",
  });
  const chunks = watch.listen(response.body ?? []);
  if (!response.ok) {
    const body = await readAll(chunks, ERROR_BODY_CHARS_MAX);
    yield failureOf(response.status, body, response.headers.get("retry-after"), Date.now(), hostOf(endpoint));
    return;
  }
  form.isStreamed = !form.isStreamed;
  const answer = new AnswerBuilder();
  let isDone = false;
  /** Whether any event belonged to this wire; null before the first one. */
  let isKnown: boolean | null = null;
  try {
    for await (const data of readEvents(chunks)) {
      isDone = data === DONE;
      if (isDone) break;
      const chunk = readChunk(data);
      isKnown = isKnown === true || chunk.isKnown;
      if (chunk.error != null) form.isStreamed = true;
      if (chunk.error != null && !answer.isFinished) return yield failureInStream(chunk.error, hostOf(endpoint));
      const { text, thought } = answer.add(chunk);
      if (text !== "" || thought !== "") form.isStreamed = true;
      if (thought !== "") yield { type: "thought", text: thought };
      if (text !== "") yield { type: "delta", text };
      if (answer.isTooLong) break;
      if (answer.isFinished) watch.expectEnd();
    }
  } catch (error) {
    // Silence is no break: the next stream may begin in time, and an answer in one piece begins later.
    if (watch.signal.aborted) form.isStreamed = true;
    // A finished answer is paid for: it counts even if the connection stays open or breaks.
    if (!answer.isFinished || watch.isStopped) throw error;
  }
  if (isKnown === false) throw new BadAnswer("JSON of another shape");
  if (answer.failure !== null) yield unavailable(`the model could not end an answer: ${answer.failure}`);
  else if (isDone || answer.isComplete) {
    form.isStreamed = true;
    yield answer.build(request);
  } else yield unavailable(BROKE_OFF);
}

function inForm({ isStreamed }: { isStreamed: boolean }, body: Record<string, unknown>): Record<string, unknown> {
  if (isStreamed) return body;
  const { stream_options: _, ...whole } = body;
  return { ...whole, stream: false };
}

function unavailable(message: string): ModelFailure {
  return { type: "failure", kind: "unavailable", cause: "busy", message };
}

/** The header that carries the key, if there is one. */
export function keyHeaderOf({ apiKey, keyHeader }: Pick<Endpoint, "apiKey" | "keyHeader">): Record<string, string> {
  if (apiKey === undefined) return {};
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey };
}

function bodyOf(
  { model, effort, isStrict = false }: Endpoint,
  { messages, tools, mayCall }: ModelRequest,
): Record<string, unknown> {
  const offersTools = mayCall && tools.length > 0;
  return {
    model,
    // Before the messages, of which each request has more: what is the same in both is then the beginning of both.
    ...(offersTools && { tools: tools.map((each) => ({ type: "function", function: each })) }),
    messages: messages.map((message) => wireMessage(message, isStrict)),
    stream: true,
    // Mistral counts without being asked, and refuses to be asked.
    ...(!isStrict && { stream_options: { include_usage: true } }),
    ...(effort !== undefined && { reasoning_effort: effort }),
  };
}

function wireMessage(message: KernelMessage, isStrict: boolean): Record<string, unknown> {
  if (message.role === "user" && message.media !== undefined && message.media.length > 0)
    return { role: "user", content: [{ type: "text", text: message.content }, ...message.media.map(wirePart)] };
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role !== "assistant" || message.calls.length === 0)
    return { role: message.role, content: message.content };
  const calls = message.calls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: wellFormedJson(call.arguments) },
    ...(!isStrict && wireExtra(call)),
  }));
  const thoughts = isStrict ? {} : wireThoughts(message.thoughts);
  return { role: "assistant", content: message.content, ...thoughts, tool_calls: calls };
}

/** A picture as a data URL, a recording as its bytes: that is how Chat Completions takes them. */
function wirePart({ type, data }: Media): Record<string, unknown> {
  if (isImage(type)) return { type: "image_url", image_url: { url: `data:${type};base64,${data}` } };
  return { type: "input_audio", input_audio: { data, format: ATTACHMENT_EXTENSIONS[type] } };
}
