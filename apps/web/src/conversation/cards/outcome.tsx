/** The outcome of a task, asked for when it is opened. */
import type { TaskDetail } from "@mimikit/protocol/wire/api";
import { cardWords } from "../../i18n/card-words.ts";
import { words } from "../../i18n/words.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { ResultCard } from "../../views/tasks/result-card.tsx";

export function Outcome({ id }: { id: string }) {
  const { answer, isLooking } = useAnswer<TaskDetail>(`api/tasks/${encodeURIComponent(id)}`);
  // Why there is no answer is said by the notice.
  if (answer === undefined) return isLooking ? <p class="quiet">{words.looking}</p> : null;
  const { result, resultType = "text" } = answer;
  if (result === null || result === undefined) return <p class="quiet">{cardWords.noOutcome}</p>;
  return <ResultCard type={resultType} result={result} />;
}
