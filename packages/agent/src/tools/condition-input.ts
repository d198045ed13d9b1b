/**
 * A condition as models are told about it. Its whole schema is recursive, which some endpoints refuse, and costs more than
 * all the other tools together: so they are told its forms in words, and what they send is checked by the whole schema.
 */
import { ATOM_TYPES, ROWS } from "@mimikit/protocol/triggers/atoms";
import { Condition } from "@mimikit/protocol/triggers/condition-schema";
import { z } from "zod";

const Told: z.ZodType<unknown> = z.looseObject({});

export const ConditionInput = Told.pipe(Condition);

const BY_PARAMS = Map.groupBy(ATOM_TYPES, (type) => {
  const { fields, told } = ROWS[type];
  return told ?? `{${Object.entries(fields).map(([name, { isOptional }]) => (isOptional ? `${name}?` : name))}}`;
});

/** The forms of a condition. They are said with one tool: the others point to it. */
export const CONDITION_FORMS =
  `{"type":T,"params":P}: ${[...BY_PARAMS].map(([told, types]) => `${types.join(", ")} ${told}`).join("; ")}; ` +
  '{"type":"and"|"or","conditions":[…]}; {"type":"not","condition":…}';
