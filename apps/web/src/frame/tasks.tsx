/** The work behind the conversation, beside it or, where there is no room, in a drawer over it. */
import { useEffect, useRef } from "preact/hooks";
import { words } from "../i18n/words.ts";
import { isDrawerOpen, narrow } from "../model/screen.ts";
import { openCount, status, tasks } from "../model/state.ts";
import { Cross, List } from "../ui/icons.tsx";
import { lazily } from "../ui/lazily.tsx";

const Listed = lazily(async () => (await import("./task-list.tsx")).TaskList);

/** The list beside the conversation, where there is room for it. */
export function TaskPanel({ isCovered }: { isCovered: boolean }) {
  if (narrow.value) return null;
  return (
    <aside class="tasks" aria-labelledby="tasks-title" inert={isCovered}>
      <div class="drawer-top">
        <h2 id="tasks-title">{words.tasks}</h2>
      </div>
      <Known />
      <Colophon />
    </aside>
  );
}

/** The same list over the conversation, where there is not. */
export function TaskDrawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isDrawerOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  if (!narrow.value) return null;
  const close = () => {
    isDrawerOpen.value = false;
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
          <button type="button" class="plain" aria-label={words.closeTasks} onClick={close}>
            <Cross />
          </button>
        </div>
        <Known />
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
        isDrawerOpen.value = true;
      }}
    >
      <List />
      {openCount.value > 0 && <b>{openCount.value}</b>}
    </button>
  );
}

function Known() {
  return tasks.value.size === 0 ? <p class="quiet">{words.noTasks}</p> : <Listed />;
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
