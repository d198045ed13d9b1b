/**
 * One request to `/chat/completions`, streamed. It never throws, ends soon after `signal` aborts, and does not wait for
 * ever: an endpoint that does not begin, or does not go on, is unavailable.
 */

import { wellFormed } from "@mimikit/protocol/texts/whole-characters";
import { type Model, type ModelEvent, type ModelFailure, type ModelRequest, NO_ANSWER } from "../../kernel/model.ts";
import { failureInStream, failureOf } from "../endpoint/failure.ts";
import { learn, readLearnt } from "../endpoint/learnt.ts";
import { BROKE_OFF } from "../endpoint/measure-answer.ts";
import { hostOf } from "../endpoint/place.ts";
import { atPlace, BadAnswer, EndpointWatch, readAll } from "../endpoint/watch.ts";
import { AnswerBuilder } from "./answer.ts";
import { readChunk } from "./chunk.ts";
import type { Endpoint } from "./endpoint.ts";
import { bodyOf } from "./request.ts";
import { correctionsFor, requestFormOf } from "./request-form.ts";
import { DONE, readEvents } from "./sse.ts";

const ERROR_BODY_CHARS_MAX = 65_536;

/** An endpoint may refuse several parts of a request one after another. */
const CORRECTIONS_MAX = 4;

/** A model at `endpoint`. A failure's message never holds the key. @param form of its next request; each request may change it. */
export function chatCompletions(endpoint: Endpoint, form: Streaming = { isStreamed: true }): Model {
  return {
    async *ask(request, signal) {
      const known = readLearnt(endpoint).corrections ?? [];
      let corrections = known;
      let body = writeBody(endpoint, request, corrections, form);
      const refused = new Set<string>();
      for (let retry = 1; ; retry++) {
        let failure: ModelFailure = { type: "failure", kind: "unavailable", cause: "busy", message: NO_ANSWER };
        for await (const event of askOnce(endpoint, request, body, signal, form)) {
          if (event.type === "answer" && corrections !== known) learn(endpoint, { corrections });
          if (event.type === "failure") failure = event;
          else yield event;
          if (event.type === "answer") return;
        }
        refused.add(body);
        const corrected = correctionsFor(failure)
          .filter((name) => !corrections.includes(name))
          .map((name) => [...corrections, name])
          .find((names) => !refused.has(writeBody(endpoint, request, names, form)));
        if (corrected === undefined || retry > CORRECTIONS_MAX) return yield failure;
        yield { type: "retry", retry, message: failure.message };
        corrections = corrected;
        body = writeBody(endpoint, request, corrections, form);
      }
    },
  };
}

export interface Streaming {
  isStreamed: boolean;
}

function writeBody(
  endpoint: Endpoint,
  request: ModelRequest,
  corrections: readonly string[],
  { isStreamed }: Streaming,
): string {
  const { stream_options, ...body } = bodyOf(endpoint, request, requestFormOf(endpoint, corrections));
  return JSON.stringify(wellFormed(isStreamed ? { ...body, stream_options } : { ...body, stream: false }));
}

async function* askOnce(
  endpoint: Endpoint,
  request: ModelRequest,
  body: string,
  signal: AbortSignal,
  form: Streaming,
): AsyncGenerator<ModelEvent> {
  const watch = new EndpointWatch(endpoint, signal);
  try {
    for await (const event of exchange(endpoint, request, body, watch, form))
      yield event.type === "failure" ? atPlace(event, endpoint) : event;
  } catch (error) {
    yield watch.explain(error);
  } finally {
    watch.end();
  }
}

/**
 * @param form of this request, and afterwards of the next. A stream that breaks off before its first word is followed by a
 * request without one: some servers send the status of a stream before they look at the prompt, and have no other way to
 * tell what is wrong with it (that of llama-cpp-python 0.3.36).
 */
async function* exchange(
  endpoint: Endpoint,
  request: ModelRequest,
  sent: string,
  watch: EndpointWatch,
  form: Streaming,
): AsyncGenerator<ModelEvent> {
  const response = await fetch(`${endpoint.baseUrl.replace(/(?<!\/)\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...keyHeaderOf(endpoint),
    },
    body: sent,
    signal: watch.signal,
    // Another address was not configured, and must not get what was meant for this one.
    redirect: "error",
  });
  const chunks = watch.listen(response.body ?? []);
  if (!response.ok) {
    const body = await readAll(chunks, ERROR_BODY_CHARS_MAX);
    yield failureOf(response.status, body, response.headers, Date.now(), hostOf(endpoint));
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

function unavailable(message: string): ModelFailure {
  return { type: "failure", kind: "unavailable", cause: "busy", message };
}

/** The header that carries the key, if there is one. */
export function keyHeaderOf({ apiKey, keyHeader }: Pick<Endpoint, "apiKey" | "keyHeader">): Record<string, string> {
  if (apiKey === undefined) return {};
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey };
}
