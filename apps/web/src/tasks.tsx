/** The work behind the conversation: plans with their members, what they are doing, and how to stop them. */
import type { TaskState } from "@mimikit/protocol/api";
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nowMs } from "./clock.ts";
import { cancelTask, link } from "./connection.ts";
import { Cross, List } from "./icons.tsx";
import { addressOf } from "./place.ts";
import { cancelling, openCount, status, steps, tasks, trees } from "./state.ts";
import { elapsedMs, isOpen, membersOf, overallState, type TaskNode } from "./task-tree.ts";
import { durationText, words } from "./words.ts";

/** The list is for looking at; `mimikit tasks` has all of them. */
const EARLIER_SHOWN_MAX = 50;

const narrowScreen = matchMedia("(max-width: 899px)");
const narrow = signal(narrowScreen.matches);
narrowScreen.addEventListener("change", () => {
  narrow.value = narrowScreen.matches;
});

const drawerOpen = signal(false);
effect(() => {
  if (!narrow.value) drawerOpen.value = false;
});

const nodes = computed(() => {
  const all = new Map<string, TaskNode>();
  const add = (node: TaskNode) => {
    all.set(node.task.id, node);
    node.children.forEach(add);
  };
  trees.value.forEach(add);
  return all;
});

/** The list beside the conversation, where there is room for it. */
export function TaskPanel({ isCovered }: { isCovered: boolean }) {
  if (narrow.value) return null;
  return (
    <aside class="tasks" aria-labelledby="tasks-title" inert={isCovered}>
      <div class="drawer-top">
        <h2 id="tasks-title">{words.tasks}</h2>
        <BoardLink />
      </div>
      <TaskList />
      <Colophon />
    </aside>
  );
}

/** The same list over the conversation, where there is not. */
export function TaskDrawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = drawerOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  if (!narrow.value) return null;
  const close = () => {
    drawerOpen.value = false;
  };
  return (
    // A click on the dialog itself is a click on what is behind it: its content covers the rest. Escape is built in.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog closes on Escape by itself
    <dialog
      class="drawer"
      ref={dialog}
      aria-labelledby="tasks-title"
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="tasks">
        <div class="drawer-top">
          <h2 id="tasks-title">{words.tasks}</h2>
          <BoardLink />
          <button type="button" class="plain" aria-label={words.closeTasks} onClick={close}>
            <Cross />
          </button>
        </div>
        <TaskList />
        <Colophon />
      </div>
    </dialog>
  );
}

/** Opens the drawer; says how much is going on. */
export function DrawerButton() {
  if (!narrow.value) return null;
  return (
    <button
      type="button"
      class="plain counted"
      aria-label={words.openTasks(openCount.value)}
      aria-haspopup="dialog"
      onClick={() => {
        drawerOpen.value = true;
      }}
    >
      <List />
      {openCount.value > 0 && <b>{openCount.value}</b>}
    </button>
  );
}

/** The tasks of a message, one line each; a line leads to its card. */
export function TaskLines({ ids }: { ids: readonly string[] }) {
  const known = ids.flatMap((id) => nodes.value.get(id) ?? []);
  if (known.length === 0) return null;
  return (
    <ul class="task-lines">
      {known.map((node) => (
        <li key={node.task.id}>
          <button type="button" class="task-line" onClick={() => showTask(node.task.id)}>
            <StateLabel state={overallState(node)} />
            <span class="task-name">{node.task.title}</span>
            <MemberCount node={node} />
          </button>
          <LatestStep node={node} />
        </li>
      ))}
    </ul>
  );
}

/** What a tree is doing right now: the last step of its last open member. */
function LatestStep({ node }: { node: TaskNode }) {
  const open = membersOf(node).filter((task) => isOpen(task.state));
  const step = open.flatMap((task) => steps.value.get(task.id)?.at(-1) ?? []).at(-1);
  return step === undefined ? null : <p class="task-step">{step}</p>;
}

function showTask(id: string): void {
  drawerOpen.value = narrow.value;
  // After the drawer has been drawn.
  requestAnimationFrame(() => {
    const card = document.getElementById(cardId(id));
    card?.closest("details")?.setAttribute("open", "");
    card?.scrollIntoView({ block: "nearest" });
    card?.focus();
  });
}

function TaskList() {
  const open = trees.value.filter((node) => isOpen(overallState(node)));
  const earlier = trees.value.filter((node) => !isOpen(overallState(node)));
  if (trees.value.length === 0) return <p class="quiet">{words.noTasks}</p>;
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

/** A task with its members. What is going on is open; what has ended is folded. */
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
  const before = task.state === "waiting" && task.after !== undefined ? tasks.value.get(task.after) : undefined;
  return (
    <div class="task" id={cardId(task.id)} tabIndex={-1} data-task={task.id} data-state={state}>
      <div class="task-top">
        <StateLabel state={state} />
        <span class="task-id">{task.id}</span>
        <RanWith provider={task.provider} />
        <Elapsed node={node} />
        {open && <CancelButton id={task.id} title={task.title} />}
      </div>
      <p class="task-title" title={task.title}>
        <a href={addressOf("tasks", task.id)} onClick={leaveDrawer}>
          {task.title}
        </a>
      </p>
      {before && <p class="task-note">{words.after(before.title)}</p>}
      {task.attempts > 1 && <p class="task-note">{words.attempt(task.attempts)}</p>}
      {isOpen(task.state) && <Steps id={task.id} />}
      {task.state === "failed" && <p class="task-error">{task.error ?? task.failureReason}</p>}
    </div>
  );
}

/** Leads to the drawing of all that is in the list. */
function BoardLink() {
  return (
    <a class="board-link" href={addressOf("tasks")} onClick={leaveDrawer}>
      {words.views.tasks}
    </a>
  );
}

/** The view that a link opens must not open behind the drawer. */
function leaveDrawer(): void {
  drawerOpen.value = false;
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

function Elapsed({ node }: { node: TaskNode }) {
  const state = overallState(node);
  if (state === "waiting" || state === "queued") return null;
  return <span class="elapsed">{durationText(elapsedMs(node, isOpen(state) ? nowMs.value : 0))}</span>;
}

function RanWith({ provider }: { provider: string | undefined }) {
  if (provider === undefined) return null;
  const name = words.provider(provider);
  return (
    <span class="ran-with" title={name}>
      {name}
    </span>
  );
}

function CancelButton({ id, title }: { id: string; title: string }) {
  if (cancelling.value.has(id)) return <span class="elapsed">{words.cancelling}</span>;
  return (
    <button
      type="button"
      class="plain small"
      aria-label={words.cancelTask(title)}
      title={words.cancel}
      disabled={link.value.state !== "connected"}
      onClick={() => cancelTask(id)}
    >
      <Cross />
    </button>
  );
}

export function StateLabel({ state }: { state: TaskState }) {
  return (
    <span class="state" data-state={state}>
      {words.state(state)}
    </span>
  );
}

function MemberCount({ node }: { node: TaskNode }) {
  const members = node.children.flatMap(membersOf);
  if (members.length === 0) return null;
  const done = members.filter((task) => task.state === "done").length;
  return <span class="member-count">{words.membersDone(done, members.length)}</span>;
}

function Colophon() {
  const now = status.value;
  if (!now) return null;
  return (
    <footer class="colophon">
      <span title={words.workspace}>{now.workDir}</span>
      <span>{words.version(now.version)}</span>
    </footer>
  );
}

function cardId(taskId: string): string {
  return `task-${taskId}`;
}
