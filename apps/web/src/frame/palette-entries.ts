/** The entries of the palette: views and actions by name, tasks by title, and a search for any other text. */

import { firstWords } from "../i18n/first-words.ts";
import { VIEWS, viewHint, viewTitle } from "../i18n/view-names.ts";
import { viewWords } from "../i18n/view-words.ts";
import { words } from "../i18n/words.ts";
import { clear, disconnect, sendMessage, stop } from "../model/connection.ts";
import { go, goHome, place } from "../model/place.ts";
import { replying, tasks } from "../model/state.ts";
import { showFirstSteps } from "../storage/first-steps-kept.ts";

const TASKS_OFFERED_MAX = 5;

export interface PaletteEntry {
  id: string;
  name: string;
  hint: string;
  act: () => void;
}

/** The entries that fit the typed text. Every word of it must be there; the name counts more than what explains it. */
export function entriesFor(text: string): PaletteEntry[] {
  const sought = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (said: string) => sought.every((word) => said.toLowerCase().includes(word));
  const all = standing();
  const byName = all.filter(({ name }) => fits(name));
  const byHint = all.filter((entry) => !byName.includes(entry) && fits(`${entry.name} ${entry.hint}`));
  if (sought.length === 0) return byName;
  return [...byName, ...byHint, ...tasksNamed(fits), lookFor(text)];
}

function standing(): PaletteEntry[] {
  const views = VIEWS.map((view) => ({
    id: view,
    name: viewTitle(view),
    hint: viewHint(view),
    act: () => go(view),
  }));
  return [
    ...(place.value.view === undefined
      ? []
      : [entry("home", viewWords.conversation, viewWords.conversationHint, goHome)]),
    ...views,
    ...(replying.value ? [entry("stop", viewWords.stop, words.stopTitle, stop)] : []),
    entry("new-trigger", viewWords.newTrigger, viewWords.newTriggerHint, () => go("triggers", "new")),
    entry("timeline", viewWords.timelineEntry, viewWords.timelineHint, () => go("tasks", "timeline")),
    entry("clear", viewWords.clear, viewWords.clearHint, () => inConversation(clear)),
    entry("help", viewWords.help, viewWords.helpHint, () => inConversation(() => sendMessage("help"))),
    entry("first-steps", firstWords.title, firstWords.titleHint, () => inConversation(showFirstSteps)),
    entry("sign-out", viewWords.signOut, words.signOut, () => {
      if (confirm(words.signOutQuestion)) void disconnect();
    }),
  ];
}

function entry(id: string, name: string, hint: string, act: () => void): PaletteEntry {
  return { id, name, hint, act };
}

function inConversation(act: () => void): void {
  goHome();
  act();
}

function tasksNamed(fits: (said: string) => boolean): PaletteEntry[] {
  return [...tasks.value.values()]
    .filter(({ id, title }) => fits(`${title} ${id}`))
    .slice(-TASKS_OFFERED_MAX)
    .reverse()
    .map(({ id, title, state }) =>
      entry(id, title, `${viewWords.taskHint} · ${words.state(state)}`, () => go("tasks", id)),
    );
}

function lookFor(text: string): PaletteEntry {
  return entry("look-for", viewWords.lookFor(text), viewWords.lookForHint, () => go("search", text));
}
