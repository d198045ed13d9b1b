/** One task: what was asked, what came of it, and when what happened to it. */

import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { TaskDetail, TaskSummary } from "@mimikit/protocol/wire/api";
import { answererTitle } from "../../i18n/answerer-of.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { costText, durationText, momentText, numberText, titleOf, words } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { addressOf } from "../../model/place.ts";
import { steps, tasks, trees } from "../../model/state.ts";
import { isOpen, type TaskNode } from "../../model/task-tree.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import { CancelButton, Failure, StateLabel } from "../../ui/task-facts.tsx";
import { Again } from "./again.tsx";
import { TaskFiles } from "./files.tsx";
import { HeldBack } from "./queues.tsx";
import { ResultCard } from "./result-card.tsx";
import { PlanTimeline } from "./timeline.tsx";
import { Transcript } from "./transcript.tsx";

/** Longer orders are folded. */
const PROMPT_SHOWN_CHARS = 400;

export function TaskStory({ id }: { id: string }) {
  const summary = tasks.value.get(id);
  // Asked again whenever something has happened to it.
  const version = `${summary?.state} ${summary?.attempts} ${summary?.completedAt}`;
  const { answer: detail, isLooking } = useAnswer<TaskDetail>(`api/tasks/${encodeURIComponent(id)}`, version);
  const task = detail ?? summary;
  return (
    <article class="story" data-story={id}>
      <p>
        <a href={addressOf("tasks")}>← {viewWords.backToBoard}</a>
      </p>
      {task === undefined ? (
        <p class="quiet">{isLooking ? words.looking : viewWords.taskGone}</p>
      ) : (
        <>
          <Heading task={summary ?? task} />
          <HeldBack task={summary ?? task} />
          {detail?.completedAt !== undefined && isOrder(detail) && <Again detail={detail} />}
          <FirstTry task={task} />
          <Facts task={task} />
          <Asked prompt={task.prompt} />
          <Latest id={id} />
          <Members id={id} />
          <Transcript id={id} />
          {detail !== undefined && <Outcome detail={detail} />}
          <TaskFiles id={id} />
          {detail !== undefined && <BuiltOn detail={detail} />}
          {detail !== undefined && <Course detail={detail} />}
        </>
      )}
    </article>
  );
}

function Heading({ task: { id, state, title } }: { task: TaskSummary }) {
  return (
    <div class="story-top">
      <StateLabel state={state} />
      <h3>
        <CodedText text={title} />
      </h3>
      {isOpen(state) && <CancelButton id={id} title={title} isWord />}
    </div>
  );
}

/** Steps of self-improvement are not requested. */
function isOrder({ id }: TaskSummary): boolean {
  return !id.startsWith("imp-");
}

/** Which task this one is another try of. */
function FirstTry({ task: { againOf } }: { task: TaskSummary }) {
  if (againOf === undefined) return null;
  return (
    <p class="quiet">
      {viewWords.anotherTryOf}{" "}
      <a href={addressOf("tasks", againOf)}>
        <CodedText text={tasks.value.get(againOf)?.title ?? againOf} />
      </a>
    </p>
  );
}

function Facts({ task }: { task: TaskSummary }) {
  const { id, role, provider, model, attempts, startedAt, completedAt, usage } = task;
  const endMs = completedAt === undefined ? nowMs.value : Date.parse(completedAt);
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const facts: [string, string | undefined][] = [
    [viewWords.task, id],
    [viewWords.role, titleOf(role)],
    [viewWords.answeredBy, provider && answererTitle(provider, model)],
    [viewWords.took, startedAt && durationText(endMs - Date.parse(startedAt))],
    [viewWords.attempts, attempts > 1 ? String(attempts) : undefined],
    [viewWords.measureTokens, tokens > 0 ? numberText(tokens) : undefined],
    [viewWords.cost, usage !== undefined && usage.costUsd > 0 ? costText(usage.costUsd) : undefined],
  ];
  return (
    <dl class="facts-list">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Asked({ prompt }: { prompt: string }) {
  const isLong = prompt.length > PROMPT_SHOWN_CHARS;
  return (
    <section>
      <h4>{viewWords.asked}</h4>
      <p class="asked">{isLong ? `${beginningOf(prompt, PROMPT_SHOWN_CHARS)}…` : prompt}</p>
      {isLong && (
        <details>
          <summary>{viewWords.whole}</summary>
          <p class="asked">{prompt}</p>
        </details>
      )}
    </section>
  );
}

function Latest({ id }: { id: string }) {
  const latest = steps.value.get(id) ?? [];
  if (latest.length === 0) return null;
  return <pre class="steps">{latest.join("\n")}</pre>;
}

/** Of a plan: who of it ran when. */
function Members({ id }: { id: string }) {
  const node = nodeOf(id, trees.value);
  return node === undefined || node.children.length === 0 ? null : <PlanTimeline node={node} />;
}

function nodeOf(id: string, nodes: readonly TaskNode[]): TaskNode | undefined {
  for (const node of nodes) {
    const found = node.task.id === id ? node : nodeOf(id, node.children);
    if (found !== undefined) return found;
  }
  return undefined;
}

function Outcome({ detail }: { detail: TaskDetail }) {
  const { state, resultType, result, error, failureReason } = detail;
  return (
    <section>
      <h4>{viewWords.outcome}</h4>
      {isOpen(state) && <p class="quiet">{viewWords.noOutcome}</p>}
      {(error ?? failureReason) !== undefined && <Failure task={detail} />}
      {result !== null && result !== undefined && <ResultCard type={resultType ?? "text"} result={result} />}
    </section>
  );
}

/** The results that this task was given to go on from. */
function BuiltOn({ detail: { upstream } }: { detail: TaskDetail }) {
  if (upstream.length === 0) return null;
  return (
    <section>
      <h4>{viewWords.builtOn}</h4>
      <ul class="built-on">
        {upstream.map(({ id, title, status }) => (
          <li key={id}>
            <StateLabel state={status} />{" "}
            <a href={addressOf("tasks", id)}>
              <CodedText text={title} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const ATTEMPT =
  /^attempt (\d+) (started|failed: |reached no provider: |waits for the rate limit until |was cut off: |left something running)([\s\S]*)$/;
/** A moment, and what follows behind a colon. */
const MOMENT = /^(\S+): ([\s\S]*)$/;

/** The gateway's text about a moment, in the language of the page. */
function courseText(event: string): string {
  if (event === "created") return viewWords.created;
  const [, n, what, why] = ATTEMPT.exec(event) ?? [];
  if (n === undefined) return isState(event) ? words.state(event) : event;
  if (what === "started") return viewWords.attemptStarted(n);
  if (what === "left something running") return viewWords.attemptLeft(n);
  if (what === "waits for the rate limit until ") {
    const [, until = "", reason = ""] = MOMENT.exec(why ?? "") ?? [];
    return viewWords.attemptWaits(n, momentText(until, nowMs.value), reason);
  }
  if (what === "was cut off: ") return viewWords.attemptCutOff(n, why ?? "");
  return what === "failed: " ? viewWords.attemptFailed(n, why ?? "") : viewWords.attemptReachedNobody(n, why ?? "");
}

function isState(event: string): event is TaskSummary["state"] {
  return ["done", "failed", "cancelled", "needs_input"].includes(event);
}

function Course({ detail: { timeline } }: { detail: TaskDetail }) {
  return (
    <section>
      <h4>{viewWords.course}</h4>
      <ol class="course">
        {timeline.map(({ at, event }, i) => {
          const before = timeline[i - 1];
          return (
            <li key={`${at} ${event}`}>
              <time dateTime={at}>{momentText(at, nowMs.value)}</time>
              <span>{courseText(event)}</span>
              {before !== undefined && (
                <span class="quiet">+{durationText(Date.parse(at) - Date.parse(before.at))}</span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
