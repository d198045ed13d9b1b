/** The top line: whether the page is connected, who answers, and what the owner should look at. */

import { words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { connection, connectNow, disconnect } from "../model/connection.ts";
import { addressOf } from "../model/place.ts";
import { status, tasks } from "../model/state.ts";
import { Door, Mark, Warning } from "../ui/icons.tsx";
import { NotificationsButton } from "./notifications-button.tsx";
import { OverviewButton, OverviewSheet } from "./overview-button.tsx";
import { PaletteButton } from "./palette.tsx";
import { DrawerButton } from "./tasks.tsx";

export function Header() {
  const signOut = () => {
    if (confirm(words.signOutQuestion)) void disconnect();
  };
  return (
    <header class="header">
      <Mark />
      <div class="title">
        <h1>{words.name}</h1>
        <p class="facts">
          <Connection />
          <OverviewButton />
          <Running />
        </p>
      </div>
      <OverviewSheet />
      <Problems />
      <PaletteButton />
      <DrawerButton />
      <NotificationsButton />
      <button type="button" class="plain roomy" title={words.signOut} aria-label={words.signOut} onClick={signOut}>
        <Door />
      </button>
    </header>
  );
}

/** Red and amber are words, too: colour is never the only sign. */
function Connection() {
  const now = connection.value;
  if (now.state === "connected") {
    const starting = status.value?.ready === false;
    return (
      <span
        class="fact"
        data-link={starting ? "connecting" : "connected"}
        role="status"
        title={starting ? words.startingTitle : ""}
      >
        {starting ? words.starting : words.connected}
      </span>
    );
  }
  if (now.state === "connecting") {
    return (
      <span class="fact" data-link="connecting" role="status">
        {words.connecting}
      </span>
    );
  }
  const waitSec = now.state === "waiting" ? Math.max(1, Math.ceil((now.retryAtMs - nowMs.value) / 1000)) : 0;
  return (
    <button type="button" class="fact" data-link={now.state} title={words.retryNow} onClick={connectNow}>
      {now.state === "waiting" ? words.reconnectingIn(waitSec) : words.offline}
    </button>
  );
}

/** The running work, by its title if it is one task. */
function Running() {
  const running = [...tasks.value.values()].filter(({ state }) => state === "running");
  const [first] = running;
  if (first === undefined) return null;
  return (
    <a
      class="fact running"
      href={addressOf("tasks", running.length === 1 ? first.id : undefined)}
      title={words.running}
    >
      {running.length === 1 ? first.title : words.tasksRun(running.length)}
    </a>
  );
}

function Problems() {
  const problems = status.value?.problems ?? [];
  if (problems.length === 0) return null;
  const label = words.problems(problems.length);
  return (
    <>
      <button type="button" class="problems-button" popovertarget="problems" aria-label={label} title={label}>
        <Warning />
        <span class="label">{label}</span>
      </button>
      <div id="problems" class="sheet problems" popover="auto">
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
    </>
  );
}
