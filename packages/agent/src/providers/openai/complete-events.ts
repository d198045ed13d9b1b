/**
 * A stream of Responses with everything that the library insists on. Servers of others leave out fields that carry nothing
 * (router-for-me/CLIProxyAPI#5851), count in numbers that are none, name thoughts otherwise, or answer in one piece.
 */
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import { readAll } from "../endpoint/watch.ts";
import { readEvents } from "./sse.ts";

type Fields = Record<string, unknown>;

/** The id of an item without one. */
const ITEM = "item";
const ANSWER_BODY_CHARS_MAX = 16 * 1_048_576;
const JSON_LIMITS = { bytes: ANSWER_BODY_CHARS_MAX, depth: 32 };

export function completed(response: Response): Response {
  if (!response.ok || response.body === null) return response;
  const { status } = response;
  const headers = { "content-type": "text/event-stream" };
  return new Response(ReadableStream.from(encoded(response.body)), { status, headers });
}

async function* encoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const event of eventsIn(chunks)) yield encoder.encode(`data: ${event}\n\n`);
}

/** The first bytes tell a stream from an answer in one piece, whatever the label says. */
async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const iterator = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let head = "";
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    read.push(next.value);
    head = Buffer.concat(read).toString("utf8").trimStart();
    if (head !== "") break;
  }
  const all = (async function* () {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  if (head.startsWith("{")) {
    for (const event of eventsOf(fieldsIn(parseJson(await readAll(all, ANSWER_BODY_CHARS_MAX), JSON_LIMITS))))
      yield JSON.stringify(complete(event));
    return;
  }
  for await (const data of readEvents(all)) yield data === "[DONE]" ? data : completeText(data);
}

/** The library refuses what is no JSON. */
function completeText(data: string): string {
  try {
    return JSON.stringify(complete(fieldsIn(parseJson(data, JSON_LIMITS))));
  } catch (error) {
    if (error instanceof BadJson) return data;
    throw error;
  }
}

function complete(event: Fields): Fields {
  const whole = { sequence_number: 0, ...event };
  switch (event.type) {
    case "response.output_item.added":
    case "response.output_item.done":
      return { output_index: 0, ...whole, item: completeItem(fieldsIn(event.item)) };
    case "response.completed":
    case "response.incomplete":
    case "response.failed": {
      const { usage, ...response } = fieldsIn(event.response);
      return { ...whole, response: { ...response, ...(isCounted(usage) && { usage }) } };
    }
    // Models whose thoughts are no secret.
    case "response.reasoning_text.delta":
      return { item_id: ITEM, ...whole, type: "response.reasoning_summary_text.delta", summary_index: 0 };
    case "response.output_text.delta":
    case "response.refusal.delta":
    case "response.reasoning_summary_text.delta":
      return { item_id: ITEM, ...whole };
    default:
      return whole;
  }
}

function completeItem(item: Fields): Fields {
  const id = item.id ?? item.call_id ?? ITEM;
  return item.type === "function_call" ? { status: "completed", arguments: "", ...item, id } : { ...item, id };
}

/** Statistics never cost an answer. */
function isCounted(usage: unknown): boolean {
  const { input_tokens, output_tokens, input_tokens_details: details } = fieldsIn(usage);
  const { cached_tokens = 0 } = fieldsIn(details);
  return [input_tokens, output_tokens, cached_tokens].every((count) => Number.isInteger(count) && Number(count) >= 0);
}

/** The events that an answer in one piece would have been. */
function eventsOf(answer: Fields): Fields[] {
  if (answer.error != null) return [{ type: "error", ...fieldsIn(answer.error) }];
  const output = Array.isArray(answer.output) ? answer.output.map(fieldsIn) : [];
  const items = output.flatMap((item, output_index): Fields[] => {
    const place = { item_id: item.id ?? ITEM, output_index };
    const parts = (name: string) => (Array.isArray(item[name]) ? (item[name] as unknown[]).map(fieldsIn) : []);
    const said = parts("content").map((part) => {
      if (part.type === "refusal") return { type: "response.refusal.delta", ...place, delta: part.refusal };
      const type = item.type === "reasoning" ? "response.reasoning_text.delta" : "response.output_text.delta";
      return { type, ...place, delta: part.text };
    });
    const thought = parts("summary").map((part, summary_index) => {
      return { type: "response.reasoning_summary_text.delta", ...place, summary_index, delta: part.text };
    });
    const begin = { type: "response.output_item.added", output_index, item };
    return [begin, ...thought, ...said, { type: "response.output_item.done", output_index, item }];
  });
  const type = answer.incomplete_details == null ? "response.completed" : "response.incomplete";
  return [...items, { type, response: answer }];
}

function fieldsIn(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
