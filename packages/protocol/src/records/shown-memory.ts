/** The memories that a model was shown for a reply, kept in the result of the turn (docs/memory.md#what-a-reply-has-used). */
import { z } from "zod";
import { Id } from "../base/id.ts";

/** Of one turn; more is shown now and then, and not kept. */
export const SHOWN_MAX = 20;
/** Characters of one: a paragraph of memory as a search shows it, with its marks, is whole. */
export const SHOWN_CHARS_MAX = 320;
/** Bytes of all of them as JSON. */
export const SHOWN_BYTES_MAX = 8_192;

export const ShownMemory = z.object({
  /** The file that it stands in, `memory.md`; none where it was found in the conversation. */
  source: z.string().optional(),
  /** The message that it was found in. */
  message: Id.optional(),
  /** As it was shown, or the beginning of that. */
  text: z.string(),
  /** When it was said, or the day of its file. */
  at: z.string().optional(),
  /** It is part of every turn, and was not looked for. */
  always: z.literal(true).optional(),
  /** Of all that was shown, where `text` is the beginning of it. */
  digest: z.string().optional(),
});
export type ShownMemory = z.infer<typeof ShownMemory>;
