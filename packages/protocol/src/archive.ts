/** What `archive/` remembers of wishes and marks; messages, events and results are there as they were. */
import { z } from "zod";
import { Id } from "./id.ts";
import { CancelWish, ClearWish, Event, Message, RestartWish, SteerWish, StopWish } from "./inbox.ts";
import { Result } from "./result.ts";

export const WishOutcome = z.object({
  kind: z.literal("wish"),
  id: Id,
  at: z.iso.datetime(),
  wish: z.discriminatedUnion("kind", [CancelWish, RestartWish, SteerWish, StopWish, ClearWish]),
  outcome: z.string(),
  /** Steers and stops: the task that the wish found. It is decided once, when this record is made. */
  taskId: Id.optional(),
});
export type WishOutcome = z.infer<typeof WishOutcome>;

/** "Task `taskId` and everything below it is cancelled." */
export const Mark = z.object({ kind: z.literal("mark"), id: Id, at: z.iso.datetime(), taskId: Id });
export type Mark = z.infer<typeof Mark>;

export const Archived = z.union([Message, Event, WishOutcome, Mark, Result]);
export type Archived = z.infer<typeof Archived>;

/** The first line of `archive/YYYY-MM.jsonl`; one archived record a line follows. */
export const FoldHeader = z.object({ kind: z.literal("fold"), month: z.string(), ids: z.array(Id) });
export type FoldHeader = z.infer<typeof FoldHeader>;
