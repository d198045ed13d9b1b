/** Tasks by their state, their role and their words, one line each; of those that are open, several are cancelled at once. */
import { ROLES, type Role } from "@mimikit/protocol/base/kind";
import type { TaskState, TaskSummary } from "@mimikit/protocol/wire/api";
import { fits, TASK_TEXT_CHARS_MAX, type TaskFilter } from "@mimikit/protocol/wire/task-filter";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { viewWords } from "../../i18n/view-words.ts";
import { momentText, titleOf, words } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { addressOf } from "../../model/place.ts";
import { cancelling, tasks } from "../../model/state.ts";
import { isOpen } from "../../model/task-tree.ts";
import { cancellationOf, cancelSoon } from "../../ui/cancel-soon.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import { Select } from "../../ui/select.tsx";
import { StateLabel } from "../../ui/task-facts.tsx";

const FOUND_SHOWN_MAX = 200;

const STATES: readonly TaskState[] = ["running", "queued", "waiting", "needs_input", "done", "failed", "cancelled"];
const ANY = "";

/** It stays while the reader looks at one task and comes back. */
const filter = signal<TaskFilter>({});

/** Is anything looked for? */
export function isFiltered(): boolean {
  const { state, role, text = "" } = filter.value;
  return state !== undefined || role !== undefined || text.trim() !== "";
}

export function TaskFilters() {
  const { state, role, text = "" } = filter.value;
  const set = (change: TaskFilter) => {
    filter.value = { ...filter.value, ...change };
  };
  return (
    <search class="task-filters">
      <input
        type="search"
        aria-label={viewWords.findTask}
        placeholder={viewWords.findTask}
        maxLength={TASK_TEXT_CHARS_MAX}
        value={text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <Select
        name={viewWords.taskState}
        options={[ANY, ...STATES] as const}
        textOf={(one) => (one === ANY ? viewWords.anyState : words.state(one))}
        chosen={state ?? ANY}
        onChoose={(one) => set({ state: one === ANY ? undefined : one })}
      />
      <Select
        name={viewWords.role}
        options={[ANY, ...(Object.keys(ROLES) as Role[])] as const}
        textOf={(one) => (one === ANY ? viewWords.anyRole : titleOf(one))}
        chosen={role ?? ANY}
        onChoose={(one) => set({ role: one === ANY ? undefined : one })}
      />
    </search>
  );
}

export function Found() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = [...tasks.value.values()]
    .filter((task) => fits(task, filter.value))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  const shown = found.slice(0, FOUND_SHOWN_MAX);
  const open = shown
    .filter(({ id, state }) => isOpen(state) && !cancelling.value.has(id) && cancellationOf(id) === undefined)
    .map(({ id }) => id);
  // A task that has ended meanwhile, or is not shown any more, is not cancelled.
  const meant = open.filter((id) => chosen.has(id));
  return (
    <section>
      <p class="found-top">
        <span role="status">{viewWords.tasksFound(found.length)}</span>
        {open.length > 0 && (
          <label>
            <input
              type="checkbox"
              checked={meant.length === open.length}
              onChange={({ currentTarget }) => setChosen(new Set(currentTarget.checked ? open : []))}
            />{" "}
            {viewWords.chooseOpen(open.length)}
          </label>
        )}
        {meant.length > 0 && (
          <button
            type="button"
            disabled={connection.value.state !== "connected"}
            onClick={() => {
              cancelSoon(meant, meant.length === 1 ? tasks.value.get(meant[0] ?? "")?.title : undefined);
              setChosen(new Set());
            }}
          >
            {viewWords.cancelChosen(meant.length)}
          </button>
        )}
      </p>
      <ul class="found">
        {shown.map((task) => (
          <Line
            key={task.id}
            task={task}
            isChosen={open.includes(task.id) ? chosen.has(task.id) : undefined}
            onChoose={(isMeant) =>
              setChosen(new Set(isMeant ? [...meant, task.id] : meant.filter((id) => id !== task.id)))
            }
          />
        ))}
      </ul>
      {found.length > shown.length && <p class="quiet">{viewWords.onlyNewest(shown.length)}</p>}
    </section>
  );
}

interface LineProps {
  task: TaskSummary;
  /** undefined for what cannot be cancelled. */
  isChosen: boolean | undefined;
  onChoose: (isChosen: boolean) => void;
}

function Line({ task: { id, title, state, role, createdAt }, isChosen, onChoose }: LineProps) {
  return (
    <li data-found={id}>
      <input
        type="checkbox"
        aria-label={viewWords.chooseTask(title)}
        disabled={isChosen === undefined}
        checked={isChosen === true}
        onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
      />
      <StateLabel state={state} />
      <a class="plan-title" href={addressOf("tasks", id)}>
        <CodedText text={title} />
      </a>
      <span class="quiet">{titleOf(role)}</span>
      <time class="quiet" dateTime={createdAt}>
        {momentText(createdAt, nowMs.value)}
      </time>
    </li>
  );
}
