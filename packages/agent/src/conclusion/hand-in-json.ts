/** Reads a result that is one JSON object of a known form: a finding, a review. Anything else is told to the model once. */
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import type { z } from "zod";
import { lastJson } from "./last-json.ts";

/** @param form an example of the object, for the words that tell the model what is wrong. */
export function readJsonOf<T>(schema: z.ZodType<T>, text: string, form: string): { value: T } | { problem: string } {
  const again = `Answer again with one JSON object like ${form} and nothing else.`;
  const json = lastJson(text, "{");
  if (json === undefined) return { problem: `Your answer is no JSON object. ${again}` };
  try {
    const checked = schema.safeParse(parseJson(json));
    if (checked.success) return { value: checked.data };
    return { problem: `Your JSON has another form: ${describeIssues(checked.error)}. ${again}` };
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return { problem: `Your answer is ${error.message}. ${again}` };
  }
}
