/**
 * A condition as models are told about it. Its whole schema is recursive, which some endpoints refuse, and costs more than
 * all the other tools together: so they are told its forms in words, and what they send is checked by the whole schema.
 */
import { Condition } from "@mimikit/protocol/triggers/condition";
import { z } from "zod";

const Told: z.ZodType<unknown> = z.looseObject({});

export const ConditionInput = Told.pipe(Condition);

/** The forms of a condition. They are said with one tool: the others point to it. */
export const CONDITION_FORMS =
  '{"type":T,"params":P}: file_changed {path or glob}; file_exists {path}; task_done, task_failed {taskId}; llm_eval {prompt}; time {after?,before? "22:30" or ISO,weekdays? ["mon"],timezone?}; {"type":"and"|"or","conditions":[…]}; {"type":"not","condition":…}';
