/** Documents that a model is told as a whole, in every turn. */
import { createHash } from "node:crypto";

/** The marks of edits, and what people have commented out. */
const COMMENT = /<!--[\s\S]*?-->/g;
/** Hexadecimal characters: enough to see that a text is another. */
const DIGEST_CHARS = 16;

/** The text of such a document that a model is told. */
export function toldOf(document: string): string {
  return document.replace(COMMENT, "").trim();
}

/** Tells one such text from another. */
export function digestOf(told: string): string {
  return createHash("sha256").update(told).digest("hex").slice(0, DIGEST_CHARS);
}
