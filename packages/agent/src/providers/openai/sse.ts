/** The `data:` lines of a stream of server-sent events, as far as Chat Completions uses them: one line is one event. */

/** A longer line is no event of a model. */
const LINE_CHARS_MAX = 8 * 1_048_576;

/** Throws when a line is too long, and what the stream throws. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > LINE_CHARS_MAX)
      throw new Error(`the model endpoint sent a line of more than ${LINE_CHARS_MAX} characters`);
    for (const line of lines) yield* dataOf(line);
  }
  yield* dataOf(rest.replace(/\r$/, ""));
}

function dataOf(line: string): string[] {
  return line.startsWith("data:") ? [line.slice("data:".length).trim()] : [];
}
