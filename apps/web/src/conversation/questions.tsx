/** The open questions to the user, above the message field until they are answered or their time is over. */

import type { ANSWER_CHARS_MAX as AnswerCharsMax } from "@mimikit/protocol/records/question";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { durationText, words } from "../i18n/words.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { nowMs } from "../model/clock.ts";
import { answer, connection } from "../model/connection.ts";
import { answering, questions, tasks } from "../model/state.ts";

/** The protocol's limit. Its type is the number itself, so that a change there stops this from compiling. */
const ANSWER_CHARS_MAX: typeof AnswerCharsMax = 8_000;

export function Questions() {
  const open = [...questions.value.values()].sort((a, b) => a.at.localeCompare(b.at));
  return (
    <section class="questions" aria-label={words.questions}>
      {open.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </section>
  );
}

function QuestionCard({ question: { id, question, options, isChoice, taskId, ...rest } }: { question: QuestionView }) {
  const isAnswered = answering.value.has(id);
  const isLocked = isAnswered || connection.value.state !== "connected";
  const about = taskId === undefined ? undefined : tasks.value.get(taskId)?.title;
  const titleId = `question-${id}`;
  return (
    <article class="question" data-question={id} aria-labelledby={titleId} aria-busy={isAnswered}>
      {about !== undefined && <p class="about">{words.about(about)}</p>}
      <div id={titleId}>
        <Markdown text={question} />
      </div>
      {options.length > 0 && (
        <div class="options">
          {options.map((option) => (
            <button key={option} type="button" class="option" disabled={isLocked} onClick={() => answer(id, option)}>
              {option}
            </button>
          ))}
        </div>
      )}
      {!isChoice && <FreeAnswer id={id} isLocked={isLocked} hasOptions={options.length > 0} />}
      <TimeLeft expiresAt={rest.expiresAt} preset={rest.default} />
    </article>
  );
}

interface FreeAnswerProps {
  id: string;
  isLocked: boolean;
  hasOptions: boolean;
}

function FreeAnswer({ id, isLocked, hasOptions }: FreeAnswerProps) {
  const text = useSignal("");
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        const said = text.value.trim();
        if (said !== "" && !isLocked) answer(id, said);
      }}
    >
      <input
        type="text"
        aria-label={words.yourAnswer}
        placeholder={hasOptions ? words.otherAnswer : words.yourAnswer}
        maxLength={ANSWER_CHARS_MAX}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="primary" disabled={isLocked || text.value.trim() === ""}>
        {words.answer}
      </button>
    </form>
  );
}

/** How long there is, and what happens then. */
function TimeLeft({ expiresAt, preset }: { expiresAt: string; preset: string | undefined }) {
  const left = durationText(Date.parse(expiresAt) - nowMs.value);
  return <p class="time-left">{preset === undefined ? words.opensFor(left) : words.takenIn(preset, left)}</p>;
}
