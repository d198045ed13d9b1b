/**
 * Reads the evaluator's result: `[{"id", "result"}]`, a yes or no for each condition that it was asked, and for no
 * other. The conditions have nothing to do with each other, so that an answer which is still not whole after its
 * correction counts as far as it goes: otherwise one condition that no model will judge would keep all others from being
 * judged.
 */
import { tryJson } from "@mimikit/protocol/base/json";
import type { Verdicts } from "@mimikit/protocol/records/result";
import type { EvaluationItem } from "@mimikit/protocol/records/task";
import { z } from "zod";
import { lastJson } from "./last-json.ts";

const FORM = 'Answer again, for all of them: one JSON array like [{"id": "c1", "result": true}] and nothing else.';
/** Ids that a problem names; it goes to the model and into the log. */
const NAMED_MAX = 10;

const Answers = z.array(z.object({ id: z.string(), result: z.unknown() }));
type Answers = z.infer<typeof Answers>;

/** `problem` tells the model what is wrong, null when nothing is. */
export function readVerdicts(
  items: readonly EvaluationItem[],
  text: string,
): { verdicts: Verdicts; problem: string | null } {
  const answers = readAnswers(text);
  if (answers === null) return { verdicts: [], problem: `Your answer is no JSON array of objects. ${FORM}` };
  const verdicts: Verdicts = [];
  const unjudged: string[] = [];
  for (const { id } of items) {
    const results = new Set(answers.filter((answer) => answer.id === id).map(({ result }) => result));
    const [result] = results;
    if (results.size === 1 && typeof result === "boolean") verdicts.push({ id, result });
    else unjudged.push(id);
  }
  const asked = new Set(items.map(({ id }) => id));
  const strange = answers.filter(({ id }) => !asked.has(id)).map(({ id }) => JSON.stringify(id.slice(0, 32)));
  const problems = [
    unjudged.length > 0 && `Without one true or false: ${named(unjudged)}.`,
    strange.length > 0 && `Not asked for: ${named(strange)}.`,
  ].filter((problem) => problem !== false);
  return { verdicts, problem: problems.length === 0 ? null : `${problems.join(" ")} ${FORM}` };
}

function readAnswers(text: string): Answers | null {
  const json = lastJson(text, "[");
  return json === undefined ? null : (Answers.safeParse(tryJson(json)).data ?? null);
}

function named(ids: readonly string[]): string {
  const rest = ids.length - NAMED_MAX;
  return ids.slice(0, NAMED_MAX).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
