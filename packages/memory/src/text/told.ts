/** Documents that a model is told as a whole, in every turn. */
import { createHash } from "node:crypto";
import { withoutComments } from "@mimikit/protocol/texts/comments";

/** Hexadecimal characters: enough to see that a text is another. */
const DIGEST_CHARS = 16;

/** The text of such a document that a model is told: without the marks of edits, and what people have commented out. */
export function toldOf(document: string): string {
  return withoutComments(document).trim();
}

/** Tells one such text from another. */
export function digestOf(told: string): string {
  return createHash("sha256").update(told).digest("hex").slice(0, DIGEST_CHARS);
}
