/** What only a model can tell: its last answer, which one firing uses up, and which is forgotten when nobody asks for it (SPEC D3). */
import { shortened } from "../schedule/trigger-words.ts";
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

export const llmEval: ConditionRule<"llm_eval"> = {
  judge: (_params, _facts, { evaluation }) => {
    const result = evaluation?.result ?? null;
    return result === null ? UNKNOWN : forNow(result);
  },
  explain: ({ prompt }, _facts, { evaluation }) => {
    const asked = `"${shortened(prompt)}"`;
    if (evaluation === undefined) return { text: `${asked}: a model has not been asked yet` };
    const { result, at } = evaluation;
    if (result === null)
      return { text: `${asked}: its last answer counts no more; a model is asked again when it matters`, at };
    return { text: `${asked}: a model said ${result ? "yes" : "no"}`, at };
  },
};
