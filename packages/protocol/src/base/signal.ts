/**
 * A steering message to a running task (SPEC I5): a steer command with the task that it found. Created once under the id
 * of the command, so that one command never reaches two tasks; removed when its task has ended.
 */
import { z } from "zod";
import { Via } from "../channels/via.ts";
import { MESSAGE_CHARS_MAX } from "./fields.ts";
import { Id } from "./id.ts";

/** The user's words as the run hears them. */
export const Steer = z.object({
  /** That of the command. */
  id: Id,
  at: z.iso.datetime(),
  text: z.string().min(1).max(MESSAGE_CHARS_MAX),
  /** The channel that it came by. */
  via: Via.optional(),
});
export type Steer = z.infer<typeof Steer>;

export const Signal = Steer.extend({ taskId: Id });
export type Signal = z.infer<typeof Signal>;
