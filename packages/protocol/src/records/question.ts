/**
 * A question to the user (SPEC G3). Several may be open at once. A question is closed by the record that creates
 * `archive/<id>`: one answer, or none in time (docs/file-protocol.md#the-life-of-a-question).
 */
import { z } from "zod";
import { PoolName } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { Report } from "../base/report.ts";

/** Open at one time: who has so many to answer answers none. */
export const QUESTIONS_MAX = 50;
export const QUESTION_CHARS_MAX = 4_000;
export const OPTIONS_MAX = 10;
export const OPTION_CHARS_MAX = 200;
export const ANSWER_CHARS_MAX = 8_000;
export const QUESTION_TIMEOUT_SEC = 3_600;
/** Whether a call is made, or a task is given up whose machine is silent: nothing is held up meanwhile, and the owner may sleep. */
export const APPROVAL_TIMEOUT_SEC = 86_400;
export const QUESTION_TIMEOUT_SEC_MAX = 30 * 86_400;

export const Answer = z.string().trim().min(1).max(ANSWER_CHARS_MAX);

/**
 * The meaning of an answer. `teller`: an event for the Teller. The others are the supervisor's own: whether a chain goes
 * on behind a failure (C8), whether a task that was cut off runs again (C5), whether a task is given up whose machine is
 * silent, whether a call of a task is made (I10), whether the processes restart (G).
 */
export const Purpose = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("teller"),
    /** The work that could not go on without the answer (SPEC C7). */
    about: Report.optional(),
  }),
  z.object({ type: z.literal("go_on"), failedId: Id }),
  z.object({ type: z.literal("run_again"), taskId: Id, attempt: z.number().int().positive() }),
  z.object({ type: z.literal("give_up"), taskId: Id, attempt: z.number().int().positive(), pool: PoolName }),
  z.object({ type: z.literal("approve"), taskId: Id, attempt: z.number().int().positive() }),
  z.object({ type: z.literal("restart") }),
]);
export type Purpose = z.infer<typeof Purpose>;

export const Question = z.object({
  id: Id,
  at: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  question: z.string().min(1).max(QUESTION_CHARS_MAX),
  /** Shown as buttons; any other answer is possible too, unless the supervisor itself asks. */
  options: z.array(z.string().min(1).max(OPTION_CHARS_MAX)).max(OPTIONS_MAX),
  /** Taken when there is no answer in time. */
  default: Answer.optional(),
  purpose: Purpose,
  traceId: Id,
  /** The trigger whose work asks it, and how many stand over that work (SPEC D8). */
  triggerId: Id.optional(),
  triggerDepth: z.number().int().nonnegative().optional(),
});
export type Question = z.infer<typeof Question>;

/** `archive/<id>` of a question: closed for ever, one way. */
export const ClosedQuestion = z.object({
  kind: z.literal("question"),
  id: Id,
  at: z.iso.datetime(),
  question: Question,
  outcome: z.enum(["answered", "expired", "cancelled"]),
  /** The answer, or the default; null if there was no answer and no default. */
  answer: Answer.nullable(),
  /** The command that answered it. */
  wishId: Id.optional(),
  /** The message that answered it, by the number, the place or the text of an option. */
  messageId: Id.optional(),
});
export type ClosedQuestion = z.infer<typeof ClosedQuestion>;
