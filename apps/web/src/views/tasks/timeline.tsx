/** The timeline of tasks: a lane for each, with its waiting and its running as a bar over time, and its cost. */

import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { Empty } from "../../first-run/empty.tsx";
import { firstWords } from "../../i18n/first-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { durationText, momentText, timeText } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { addressOf } from "../../model/place.ts";
import { trees } from "../../model/state.ts";
import { isOpen, membersOf, type TaskNode } from "../../model/task-tree.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import { StateLabel, spentText } from "../../ui/task-facts.tsx";
import { type Scale, scaleOf, shareOf } from "./timeline-scale.ts";
import "./timeline.css";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const LANES_MAX = 200;

/** The members of one plan, from when it was ordered until the last of them was over. */
export function PlanTimeline({ node }: { node: TaskNode }) {
  const tasks = membersOf(node);
  const now = tasks.some(({ state }) => isOpen(state)) ? nowMs.value : 0;
  const fromMs = Math.min(...tasks.map(({ createdAt }) => Date.parse(createdAt)));
  const toMs = Math.max(...tasks.map((task) => endMs(task, now)));
  return <Lanes title={viewWords.timelineOf(node.task.title)} tasks={tasks} scale={readersScale(fromMs, toMs)} />;
}

/** All tasks of the last 24 hours, plan by plan, the newest first. */
export function DayTimeline() {
  const toMs = nowMs.value;
  const tasks = trees.value.flatMap(membersOf).filter((task) => endMs(task, toMs) > toMs - DAY_MS);
  // Tasks that ran within minutes are not drawn in a day that was empty otherwise.
  const fromMs = Math.max(toMs - DAY_MS, Math.min(...tasks.map(({ createdAt }) => Date.parse(createdAt))));
  if (tasks.length === 0)
    return (
      <Empty action={firstWords.showPlans} does={addressOf("tasks")}>
        <p>{viewWords.nothingRan}</p>
      </Empty>
    );
  return <Lanes title={viewWords.lastDay} tasks={tasks.slice(0, LANES_MAX)} scale={readersScale(fromMs, toMs)} />;
}

function readersScale(fromMs: number, toMs: number): Scale {
  return scaleOf(fromMs, toMs, -new Date(fromMs).getTimezoneOffset() * MINUTE_MS);
}

function endMs({ completedAt, createdAt, startedAt, state }: TaskSummary, now: number): number {
  return isOpen(state) ? now : Date.parse(completedAt ?? startedAt ?? createdAt);
}

function Lanes({ title, tasks, scale }: { title: string; tasks: readonly TaskSummary[]; scale: Scale }) {
  return (
    <figure class="timeline">
      <figcaption>{title}</figcaption>
      <ol class="lanes">
        {tasks.map((task) => (
          <li key={task.id} class="lane" data-lane={task.id} data-state={task.state}>
            <Lane task={task} scale={scale} />
          </li>
        ))}
      </ol>
      <div class="ticks" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <span
            key={tick}
            style={{ left: `${shareOf(tick, scale)}%` }}
            data-side={shareOf(tick, scale) > 90 ? "left" : "right"}
          >
            {scale.isRelative ? durationText(tick - scale.fromMs) : timeText(new Date(tick).toISOString())}
          </span>
        ))}
      </div>
    </figure>
  );
}

function Lane({ task, scale }: { task: TaskSummary; scale: Scale }) {
  const { id, title, state, createdAt, startedAt } = task;
  const end = endMs(task, nowMs.value);
  const ordered = shareOf(Date.parse(createdAt), scale);
  const started = startedAt === undefined ? shareOf(end, scale) : shareOf(Date.parse(startedAt), scale);
  const ended = shareOf(end, scale);
  return (
    <>
      <p class="lane-top">
        <StateLabel state={state} />
        <a class="lane-title" href={addressOf("tasks", id)} title={title}>
          <CodedText text={title} />
        </a>
        {startedAt !== undefined && <span class="unseen">{viewWords.ranFrom(momentText(startedAt, nowMs.value))}</span>}
      </p>
      <div class="lane-track" aria-hidden="true">
        <span class="lane-wait" style={{ left: `${ordered}%`, width: `${started - ordered}%` }} />
        {startedAt !== undefined && (
          <span class="lane-run" data-state={state} style={{ left: `${started}%`, width: `${ended - started}%` }} />
        )}
      </div>
      <p class="lane-cost">
        {[startedAt !== undefined && durationText(end - Date.parse(startedAt)), spentText([task])]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </>
  );
}
