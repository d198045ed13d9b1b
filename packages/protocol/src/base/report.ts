/** The outcome of a task, as others are told it. */
import { z } from "zod";
import { PlanNote } from "./fields.ts";
import { Id } from "./id.ts";
import { Role } from "./role.ts";
import { Steer } from "./signal.ts";

/** The outcome of an earlier task, as it is put in front of a later one: the next task of a chain, or the Teller's report. */
export const Report = z.object({
  id: Id,
  title: z.string(),
  role: Role,
  status: z.enum(["done", "failed", "needs_input"]),
  resultType: z.string(),
  result: z.unknown(),
  error: z.string().optional(),
  failureReason: z.string().optional(),
  question: z.string().optional(),
  /** The user's answer to the question (SPEC C7). */
  answer: z.string().optional(),
  /** Steering messages that the task received while it ran. */
  steers: z.array(Steer).optional(),
  /** The note of the plan that made the task; it is on the first of its tasks. */
  planNote: PlanNote.optional(),
});
export type Report = z.infer<typeof Report>;
