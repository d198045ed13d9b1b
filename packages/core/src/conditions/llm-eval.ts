/** What only a model can tell: its last answer, which one firing uses up (SPEC D3). */
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

export const llmEval: ConditionRule<"llm_eval"> = {
  needs: () => ({}),
  judge: (_params, _facts, { evaluation }) => {
    const result = evaluation?.result ?? null;
    return result === null ? UNKNOWN : forNow(result);
  },
  explain: (_params, _facts, { evaluation }) => {
    if (evaluation === undefined) return { text: "a model has not been asked yet" };
    if (evaluation.result === null)
      return { text: "its last answer has been used; a model will be asked again", at: evaluation.at };
    return { text: `a model said ${evaluation.result ? "yes" : "no"}`, at: evaluation.at };
  },
};
