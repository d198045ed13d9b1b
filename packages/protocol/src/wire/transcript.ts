/** Lines of `sessions/{taskId}.transcript.jsonl`: what was said and done while a task ran, for people to read. Lossy by design. */
import { z } from "zod";

/** Of one task, all attempts together. */
export const TRANSCRIPT_BYTES_MAX = 4 * 1_048_576;
/** Longer texts are cut in the middle. */
export const TRANSCRIPT_TEXT_CHARS_MAX = 16_384;

const at = { at: z.iso.datetime() };

export const TranscriptLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), ...at, attempt: z.number().int().positive() }),
  z.object({ type: z.literal("said"), ...at, text: z.string() }),
  z.object({ type: z.literal("thought"), ...at, text: z.string() }),
  /** A tool begins; `input` is a command, or the arguments as JSON. */
  z.object({ type: z.literal("call"), ...at, id: z.string(), tool: z.string(), input: z.string() }),
  /** The answer to the call of this id. */
  z.object({ type: z.literal("output"), ...at, id: z.string(), ok: z.boolean(), text: z.string() }),
  /** The user said this meanwhile. */
  z.object({ type: z.literal("steer"), ...at, text: z.string() }),
]);
export type TranscriptLine = z.infer<typeof TranscriptLine>;

/** A line that a run writes, without its time. */
export type TranscriptEntry = TranscriptLine extends infer Line
  ? Line extends { at: string }
    ? Omit<Line, "at">
    : never
  : never;

/** `GET /api/tasks/{id}/transcript` */
export const TranscriptAnswer = z.object({
  lines: z.array(TranscriptLine),
  /** Ask for what comes after this line next time. */
  next: z.number().int().nonnegative(),
  /** It was longer than is kept. */
  isCut: z.boolean(),
});
export type TranscriptAnswer = z.infer<typeof TranscriptAnswer>;
