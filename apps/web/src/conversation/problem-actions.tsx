/** Help if a model did not answer: another key, another model, or the same message answered again. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { problemWords } from "../i18n/problem-words.ts";
import { go } from "../model/place.ts";
import { answerAnew, lastReply } from "./anew/second-thoughts.ts";
import { takeAnswerer } from "./answerer-switch.tsx";

const SIGNED_IN = ["codex", "claude"];

export function ProblemActions({ message: { id, problem } }: { message: ChatMessage }) {
  if (problem === undefined) return null;
  const keyWord = SIGNED_IN.includes(problem.provider) ? problemWords.signIn : problemWords.changeKey;
  return (
    <fieldset class="options" aria-label={problemWords.whatHelps}>
      <button type="button" class="option" onClick={() => go("settings", "connect")}>
        {problem.cause === "key" ? keyWord : problemWords.chooseModel}
      </button>
      {lastReply.value?.id === id && (
        <button type="button" class="option" onClick={() => void answerAnew(id, takeAnswerer())}>
          {problemWords.tryAgain}
        </button>
      )}
    </fieldset>
  );
}
