/** What a trigger waits for (SPEC D). One member per file of packages/core/src/conditions. */
import { z } from "zod";
import { Id } from "./id.ts";

const onTask = z.object({ taskId: Id });

export const Condition = z.discriminatedUnion("type", [
  z.object({ type: z.literal("task_done"), params: onTask }),
  z.object({ type: z.literal("task_failed"), params: onTask }),
]);
export type Condition = z.infer<typeof Condition>;
