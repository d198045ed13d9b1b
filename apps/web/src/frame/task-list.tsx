/** The tasks as a list of cards: plans with their members, what they are doing, and how to stop them. */

import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { answererTitle } from "../i18n/answerer-of.ts";
import { words } from "../i18n/words.ts";
import { addressOf } from "../model/place.ts";
import { leaveDrawer } from "../model/screen.ts";
import { steps, trees } from "../model/state.ts";
import { isOpen, overallState, type TaskNode } from "../model/task-tree.ts";
import { CodedText } from "../ui/coded-text.tsx";
import { CancelButton, Elapsed, Failure, MemberCount, StateLabel, waitsText } from "../ui/task-facts.tsx";

/** The list is for looking at; `mimikit tasks` has all of them. */
const EARLIER_SHOWN_MAX = 50;

/** Every tree of tasks: what is going on first. */
export function TaskList() {
  const open = trees.value.filter((node) => isOpen(overallState(node)));
  const earlier = trees.value.filter((node) => !isOpen(overallState(node)));
  return (
    <>
      {open.length > 0 && <Section title={words.now} list={open} />}
      {earlier.length > 0 && <Section title={words.earlier} list={earlier.slice(0, EARLIER_SHOWN_MAX)} />}
    </>
  );
}

function Section({ title, list }: { title: string; list: TaskNode[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul class="cards">
        {list.map((node) => (
          <li key={node.task.id} class="card">
            <Card node={node} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A task with its members. Active work is expanded; ended work is collapsed. */
function Card({ node }: { node: TaskNode }) {
  if (node.children.length === 0) return <TaskRow node={node} />;
  return (
    <>
      <TaskRow node={node} />
      <details open={isOpen(overallState(node))}>
        <summary>
          <MemberCount node={node} />
        </summary>
        <ol class="members">
          {node.children.map((child) => (
            <li key={child.task.id}>
              <Card node={child} />
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

function TaskRow({ node }: { node: TaskNode }) {
  const { task } = node;
  const state = overallState(node);
  const open = isOpen(state);
  const waits = waitsText(task);
  return (
    <div class="task" data-task={task.id} data-state={state}>
      <div class="task-top" title={task.id}>
        <StateLabel state={state} />
        <RanWith task={task} />
        <Elapsed node={node} />
        {open && <CancelButton id={task.id} title={task.title} />}
      </div>
      <p class="task-title" title={task.title}>
        <a href={addressOf("tasks", task.id)} onClick={leaveDrawer}>
          <CodedText text={task.title} />
        </a>
      </p>
      {waits !== "" && (
        <p class="task-note">
          <CodedText text={waits} />
        </p>
      )}
      {task.attempts > 1 && <p class="task-note">{words.attempt(task.attempts)}</p>}
      {isOpen(task.state) && <Steps id={task.id} />}
      {task.state === "failed" && <Failure task={task} />}
    </div>
  );
}

function Steps({ id }: { id: string }) {
  const latest = steps.value.get(id) ?? [];
  if (latest.length === 0) return null;
  return (
    <pre class="steps">
      {latest.map((step, i) => (
        <span class="step" key={i}>
          {step}
        </span>
      ))}
    </pre>
  );
}

function RanWith({ task: { provider, model } }: { task: TaskSummary }) {
  if (provider === undefined) return null;
  const name = answererTitle(provider, model);
  return (
    <span class="ran-with" title={name}>
      {name}
    </span>
  );
}
