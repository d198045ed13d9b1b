/** A plan with its members, or a task alone: how far it is, what it is doing, what it has cost and what came of it. */

import type { TaskState, TaskSummary } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { cardWords } from "../../i18n/card-words.ts";
import { words } from "../../i18n/words.ts";
import { addressOf } from "../../model/place.ts";
import { steps } from "../../model/state.ts";
import { isOpen, membersOf, overallState, type TaskNode } from "../../model/task-tree.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import { Check, Cross } from "../../ui/icons.tsx";
import { lazily } from "../../ui/lazily.tsx";
import { CancelButton, Elapsed, Failure, MemberCount, StateLabel, spentText, waitsText } from "../../ui/task-facts.tsx";

const Outcome = lazily(async () => (await import("./outcome.tsx")).Outcome);

export function WorkCard({ node }: { node: TaskNode }) {
  const { id, title } = node.task;
  const state = overallState(node);
  const members = node.children.flatMap(membersOf);
  return (
    <article class="work" data-work={id} data-state={state} aria-label={title}>
      <div class="work-top">
        <StateLabel state={state} />
        <TitleLink task={node.task} />
        {isOpen(state) && <CancelButton id={id} title={title} />}
      </div>
      {members.length === 0 ? (
        <>
          <p class="work-facts">
            <Facts node={node} />
            {state === "done" && node.task.role !== "planner" && <OutcomeButton task={node.task} />}
          </p>
          <Latest task={node.task} />
        </>
      ) : (
        <Members node={node} members={members} isGoing={isOpen(state)} />
      )}
    </article>
  );
}

interface MembersProps {
  node: TaskNode;
  members: readonly TaskSummary[];
  isGoing: boolean;
}

/** Active work is expanded; ended work is collapsed. */
function Members({ node, members, isGoing }: MembersProps) {
  const { title } = node.task;
  const done = members.filter((member) => member.state === "done").length;
  return (
    <>
      {isGoing && <progress class="share" max={members.length} value={done} aria-label={cardWords.share(title)} />}
      <details open={isGoing}>
        <summary class="work-facts">
          <MemberCount node={node} />
          <Facts node={node} />
        </summary>
        <ol class="rows" aria-label={cardWords.members(title)}>
          {members.map((task) => (
            <TaskRow key={task.id} node={{ task, children: [] }} />
          ))}
        </ol>
      </details>
    </>
  );
}

/** One task on a line, with what it is doing below it, or what came of it when that is asked for. */
export function TaskRow({ node }: { node: TaskNode }) {
  const { task } = node;
  const state = overallState(node);
  const waits = waitsText(task);
  return (
    <li class="row" data-row={task.id} data-state={state}>
      <StateMark state={state} />
      <span class="row-title">
        <TitleLink task={task} />
        {waits !== "" && (
          <span class="quiet">
            {" "}
            <CodedText text={waits} />
          </span>
        )}
      </span>
      <Elapsed node={node} />
      {state === "done" && <OutcomeButton task={task} />}
      <Latest task={task} />
    </li>
  );
}

/** Leads to the whole story of a task. */
function TitleLink({ task: { id, title } }: { task: TaskSummary }) {
  return (
    <a class="work-title" href={addressOf("tasks", id)}>
      <CodedText text={title} />
    </a>
  );
}

/** How long it takes or took, and what it has cost where that is known. */
function Facts({ node }: { node: TaskNode }) {
  const spent = spentText(membersOf(node));
  return (
    <>
      <Elapsed node={node} />
      {spent !== "" && <span>{spent}</span>}
    </>
  );
}

/** The present activity of an open task; the error of a failed one. */
function Latest({ task }: { task: TaskSummary }) {
  const { id, state } = task;
  if (state === "failed") return <Failure task={task} />;
  const step = isOpen(state) ? steps.value.get(id)?.at(-1) : undefined;
  return step === undefined ? null : <p class="live-step">{step}</p>;
}

/** Opens what came of a task below it. A result that the reply already names need not be seen twice, so it is collapsed. */
function OutcomeButton({ task: { id, title } }: { task: TaskSummary }) {
  const isShown = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="link outcome-button"
        aria-expanded={isShown.value}
        aria-label={cardWords.outcomeOf(title)}
        onClick={() => {
          isShown.value = !isShown.value;
        }}
      >
        {cardWords.outcome}
      </button>
      {isShown.value && (
        <div class="outcome">
          <Outcome id={id} />
        </div>
      )}
    </>
  );
}

/** The state as a pictogram, and as a word for who does not see it. */
function StateMark({ state }: { state: TaskState }) {
  return (
    <span class="state-mark" data-state={state} title={words.state(state)}>
      {state === "done" && <Check />}
      {(state === "failed" || state === "cancelled") && <Cross />}
      <span class="unseen">{words.state(state)}: </span>
    </span>
  );
}
