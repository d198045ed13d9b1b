/** What came of a task, asked for when it is opened. */
import type { TaskDetail } from "@mimikit/protocol/api";
import { ResultCard } from "../views/result-card.tsx";
import { useAnswer } from "../views/use-answer.ts";
import { words } from "../words.ts";
import { cardWords } from "./card-words.ts";

export function Outcome({ id }: { id: string }) {
  const { answer, isLooking } = useAnswer<TaskDetail>(`api/tasks/${encodeURIComponent(id)}`);
  // Why there is no answer is said by the notice.
  if (answer === undefined) return isLooking ? <p class="quiet">{words.looking}</p> : null;
  const { result, resultType = "text" } = answer;
  if (result === null || result === undefined) return <p class="quiet">{cardWords.noOutcome}</p>;
  return <ResultCard type={resultType} result={result} />;
}
