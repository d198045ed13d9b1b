/** Lines of `streams/{taskId}.jsonl`: what a running task shows before its result. Lossy by design. */
import { z } from "zod";

export const STREAM_BYTES_MAX = 1_048_576;

export const StreamLine = z.discriminatedUnion("type", [
  /** It is said again from here: an attempt begins, or an answer that broke off is asked for again. */
  z.object({ type: z.literal("begin") }),
  z.object({ type: z.literal("delta"), text: z.string() }),
  /** The model's thoughts before it answers: shown collapsed, and never part of the reply. */
  z.object({ type: z.literal("thought"), text: z.string() }),
  z.object({ type: z.literal("progress"), step: z.string() }),
]);
export type StreamLine = z.infer<typeof StreamLine>;
