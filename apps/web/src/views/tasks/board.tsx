/** All work at a glance: each plan as a drawing of what waits for what; one task with its whole story. */

import { computed } from "@preact/signals";
import { writeDraft } from "../../conversation/composer.tsx";
import { Empty } from "../../first-run/empty.tsx";
import { firstWords } from "../../i18n/first-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { durationText, momentText } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { addressOf, go, goHome, type ViewProps } from "../../model/place.ts";
import { isPhone } from "../../model/screen.ts";
import { steps, trees } from "../../model/state.ts";
import { elapsedMs, isOpen, membersOf, overallState, type TaskNode } from "../../model/task-tree.ts";
import { Choice } from "../../ui/choice.tsx";
import { CodedText } from "../../ui/coded-text.tsx";
import { MemberCount, StateLabel, spentText } from "../../ui/task-facts.tsx";
import { Found, isFiltered, TaskFilters } from "./found.tsx";
import { HeldBack, Queues } from "./queues.tsx";
import { graphOf, NODE_HEIGHT, NODE_WIDTH } from "./task-graph.ts";
import { TaskStory } from "./task-story.tsx";
import { DayTimeline } from "./timeline.tsx";
import "./board.css";

const ENDED_SHOWN_MAX = 50;

const open = computed(() => trees.value.filter((node) => isOpen(overallState(node))));
const ended = computed(() => trees.value.filter((node) => !isOpen(overallState(node))));

/** In the place of a task's id: no task has this one. */
const TIMELINE = "timeline";

export function Board({ detail }: ViewProps) {
  if (detail !== undefined && detail !== TIMELINE) return <TaskStory key={detail} id={detail} />;
  if (trees.value.length === 0)
    return (
      <div class="board">
        <Empty
          action={viewWords.boardTry}
          does={() => {
            goHome();
            writeDraft(firstWords.boardExample);
          }}
        >
          <p>{viewWords.boardTeach}</p>
        </Empty>
      </div>
    );
  return (
    <div class="board">
      <Choice
        name={viewWords.boardAs}
        options={[
          { value: "", text: viewWords.plans },
          { value: TIMELINE, text: viewWords.timeline },
        ]}
        chosen={detail ?? ""}
        onChoose={(as) => go("tasks", as === "" ? undefined : as)}
      />
      {detail === TIMELINE ? (
        <DayTimeline />
      ) : (
        <>
          {!isPhone.value && <Queues />}
          <TaskFilters />
          {isFiltered() ? <Found /> : <Plans />}
        </>
      )}
    </div>
  );
}

function Plans() {
  const [first, ...others] = [
    { title: viewWords.openNow, list: open.value },
    { title: viewWords.ended, list: ended.value.slice(0, ENDED_SHOWN_MAX) },
  ].filter(({ list }) => list.length > 0);
  return (
    <>
      {first !== undefined && <Group {...first} />}
      {/* A small screen begins with tasks. */}
      {isPhone.value && <Queues />}
      {others.map((group) => (
        <Group key={group.title} {...group} />
      ))}
    </>
  );
}

function Group({ title, list }: { title: string; list: readonly TaskNode[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul class="plans">
        {list.map((node) => (
          <li key={node.task.id} class="plan" data-plan={node.task.id}>
            <Plan node={node} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Plan({ node }: { node: TaskNode }) {
  const state = overallState(node);
  const members = node.children.flatMap(membersOf);
  const { id, title, createdAt } = node.task;
  return (
    <>
      <p class="plan-top">
        <StateLabel state={state} />
        <HeldBack task={node.task} />
        <a class="plan-title" href={addressOf("tasks", id)}>
          <CodedText text={title} />
        </a>
        {node.task.againOf !== undefined && <span class="quiet">{viewWords.anotherTry}</span>}
        <MemberCount node={node} />
        <span class="quiet">{durationText(elapsedMs(node, isOpen(state) ? nowMs.value : 0))}</span>
        <span class="quiet">{spentText(membersOf(node))}</span>
        <time class="quiet" dateTime={createdAt}>
          {momentText(createdAt, nowMs.value)}
        </time>
      </p>
      {members.length > 0 && <Graph node={node} />}
    </>
  );
}

function Graph({ node }: { node: TaskNode }) {
  const { nodes, lines, width, height } = graphOf(node.children.flatMap(membersOf));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
    <section class="graph-scroll" tabIndex={0} aria-label={node.task.title}>
      <div class="graph" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0l8 4-8 4z" />
            </marker>
          </defs>
          {lines.map(({ from, to, path }) => (
            <path
              key={`${from} ${to}`}
              class="needs"
              data-needs={to}
              data-from={from}
              d={path}
              marker-end="url(#arrow)"
            />
          ))}
        </svg>
        {nodes.map(({ task, x, y }) => (
          <a
            key={task.id}
            class="graph-task"
            data-node={task.id}
            data-state={task.state}
            href={addressOf("tasks", task.id)}
            title={task.title}
            style={{ left: `${x}px`, top: `${y}px`, width: `${NODE_WIDTH}px`, height: `${NODE_HEIGHT}px` }}
          >
            <StateLabel state={task.state} />
            <span class="graph-title">
              <CodedText text={task.title} />
            </span>
            {isOpen(task.state) && <span class="unseen">{steps.value.get(task.id)?.at(-1)}</span>}
          </a>
        ))}
      </div>
    </section>
  );
}
