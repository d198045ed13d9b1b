/** Who runs attempt K of a task, and how an attempt that may be retried ended (docs/file-protocol.md#layout). */
import { z } from "zod";
import { Problem } from "../base/cause.ts";
import { FailureReason } from "../base/failure.ts";
import { Id } from "../base/id.ts";

/** A process, for certain: a pid alone is reused within minutes (docs/file-protocol.md R6). */
export const Identity = z.object({ pid: z.number().int().positive(), startTime: z.string(), bootId: z.string() });
export type Identity = z.infer<typeof Identity>;

export const Claim = z.object({
  id: Id,
  attempt: z.number().int().positive(),
  owner: Identity,
  at: z.iso.datetime(),
  /** What the attempt counts for in the budgets until it has said what it cost; where there are none, nothing (SPEC N2). */
  reserved: z.object({ tokens: z.number().nonnegative(), costUsd: z.number().nonnegative() }).optional(),
});
export type Claim = z.infer<typeof Claim>;

/** Something that the attempt started still runs: it could not be found to be ended (docs/file-protocol.md R6). */
export const Left = z.literal(true);

export const FailedAttempt = z.object({
  id: Id,
  attempt: z.number().int().positive(),
  failureReason: FailureReason,
  error: z.string(),
  at: z.iso.datetime(),
  retryAt: z.iso.datetime(),
  /** Nobody could be reached who answers for the role: no failure of the task, and tried again until somebody can (SPEC G4). */
  outage: z.literal(true).optional(),
  problem: Problem.optional(),
  left: Left.optional(),
});
export type FailedAttempt = z.infer<typeof FailedAttempt>;
