/** Questions that only a model can answer: the last answer is used up by one firing, and forgotten when no condition asks for it (SPEC D3). */
import { sentence } from "@mimikit/protocol/texts/coded";
import { shortened } from "../schedule/trigger-words.ts";
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

export const llmEval: ConditionRule<"llm_eval"> = {
  judge: (_params, _facts, { evaluation }) => {
    const result = evaluation?.result ?? null;
    return result === null ? UNKNOWN : forNow(result);
  },
  explain: ({ prompt }, _facts, { evaluation, unanswered }) => {
    const asked = { prompt: shortened(prompt) };
    if (unanswered !== undefined) {
      const { count, since, at } = unanswered;
      const text =
        count === 1
          ? sentence("evidence_unanswered", asked)
          : sentence("evidence_unanswered_again", { ...asked, count });
      return { text, at, unanswered: { count, since } };
    }
    if (evaluation === undefined) return { text: sentence("evidence_not_asked", asked) };
    const { result, at } = evaluation;
    if (result === null) return { text: sentence("evidence_answer_old", asked), at };
    return { text: sentence("evidence_answer", { ...asked, answer: result ? "yes" : "no" }), at };
  },
};
