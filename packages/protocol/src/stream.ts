/** Lines of `streams/{taskId}.jsonl`: what a running task shows before its result. Lossy by design. */
import { z } from "zod";

export const STREAM_BYTES_MAX = 1_048_576;

export const StreamLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("delta"), text: z.string() }),
  z.object({ type: z.literal("progress"), step: z.string() }),
]);
export type StreamLine = z.infer<typeof StreamLine>;
