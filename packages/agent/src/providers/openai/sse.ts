/**
 * Reads the events of an answer: JSON objects, and `[DONE]`. The body is a stream of server-sent events, or JSON as one
 * object, as lines or as a list. The first bytes decide, because proxies drop or change the content type.
 */
import { JsonObjects } from "@mimikit/protocol/base/json";
import { BadAnswer } from "../endpoint/watch.ts";

/** The last event of a stream. */
export const DONE = "[DONE]";
/** The longest line or object. */
const EVENT_CHARS_MAX = 16 * 1_048_576;

/** Throws `BadAnswer` for a web page or an event that is too long, and what the stream throws. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const objects = new JsonObjects();
  let isJson: boolean | null = null;
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (isJson === null) {
      // Some servers send blank lines while the model thinks.
      rest = rest.trimStart();
      if (rest === "") continue;
      if (rest.startsWith("<")) throw new BadAnswer("a web page");
      isJson = rest.startsWith("{") || rest.startsWith("[");
    }
    const lines = isJson ? [rest] : rest.split(/\r\n|\n|\r(?!$)/);
    rest = isJson ? "" : (lines.pop() ?? "");
    if (rest.length + objects.rest.length > EVENT_CHARS_MAX)
      throw new BadAnswer(`an event of more than ${EVENT_CHARS_MAX} characters`);
    for (const line of lines) yield* isJson ? objects.add(line) : eventsOf(line, objects);
  }
  yield* eventsOf(rest.replace(/\r$/, ""), objects);
  if (objects.rest !== "") yield objects.rest;
}

/** One event may have several `data:` lines, and the blank line between two events may be missing. */
function eventsOf(line: string, objects: JsonObjects): string[] {
  if (!line.startsWith("data:")) return [];
  const data = line.slice("data:".length).trim();
  return data === DONE ? [DONE] : objects.add(`${data}\n`);
}
