/** Pictures in a question to claude: with them the question is one JSON line, in the words of the Messages API. */

import { loadMedia } from "../../prompt/media.ts";
import type { CliAsk } from "../agent-cli/agent-cli.ts";

/** Does this question show pictures? A thread that goes on has them already. */
export function showsPictures({ run, threadId }: CliAsk): boolean {
  return threadId === null && (run.context.evidence ?? []).some(({ shownAs }) => shownAs !== undefined);
}

/** The words, with the pictures after them where there are any. Throws what the disk throws. */
export async function withPictures(ask: CliAsk, words: string): Promise<string> {
  if (!showsPictures(ask)) return words;
  const pictures = (await loadMedia(ask.run.context.evidence ?? [])).map(({ type, data }) => ({
    type: "image",
    source: { type: "base64", media_type: type, data },
  }));
  const content = [{ type: "text", text: words }, ...pictures];
  return `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
}
