/** A task that waits for a condition. A chain's link fires once, under its own id, and is gone (SPEC D4, PROTOCOL R2). */
import { z } from "zod";
import { Condition } from "./condition.ts";
import { Id } from "./id.ts";
import { Task } from "./task.ts";

export const Trigger = z.object({ id: Id, condition: Condition, task: Task });
export type Trigger = z.infer<typeof Trigger>;
