/** The answer of a tool from outside, as text for a model: quoted, so that it opens nothing, and bounded. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { block } from "../prompt/quote.ts";

/** More than this is cut, and said to be. */
export const ANSWER_CHARS_MAX = 60_000;

/** A part of an answer, as far as we look at it. */
export interface ContentPart {
  type: string;
  text?: unknown;
  data?: unknown;
  mimeType?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: unknown;
}

/**
 * @param structured what the tool answered as data; counts where there is no text.
 * @param remark what is odd about the answer, in words of our own.
 */
export function answerText(content: readonly ContentPart[], structured?: unknown, remark?: string): string {
  const texts = content.map(partText).filter((text) => text !== "");
  if (texts.length === 0 && structured !== undefined) texts.push(JSON.stringify(structured));
  const answer = quotedAnswer(texts.join("\n"));
  return remark === undefined ? answer : `${answer}\n[the tool has run, and this is its answer; ${remark}]`;
}

/** The beginning of `text`, each line indented. */
export function quotedAnswer(text: string): string {
  if (text.trim() === "") return "(it answered nothing)";
  if (text.length <= ANSWER_CHARS_MAX) return block(text);
  return `[the first ${ANSWER_CHARS_MAX} of ${text.length} characters]\n${block(beginningOf(text, ANSWER_CHARS_MAX))}`;
}

function partText(part: ContentPart): string {
  const { type, text, data, mimeType, uri, resource } = part;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource" && typeof resource === "object" && resource !== null)
    return partText({ ...(resource as object), type: "text" in resource ? "text" : "blob" });
  if (type === "resource_link") return `[resource ${String(uri)}]`;
  const kind = typeof mimeType === "string" ? mimeType : "of an unknown type";
  const size = typeof data === "string" ? `, ${Math.floor((data.length * 3) / 4)} bytes` : "";
  return `[${type} ${kind}${size}: it cannot be shown here]`;
}
