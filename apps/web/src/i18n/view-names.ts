/** The views over the conversation, in the order in which they are offered. Their names are their addresses. */
import { words } from "./words.ts";

export type Section = keyof typeof words.sectionNames;
/** In the order of the rail. */
export const SECTION_NAMES = Object.keys(words.sectionNames) as Section[];

/** The section of each view. */
const TABLE = {
  search: "chat",
  tasks: "tasks",
  triggers: "schedules",
  backlog: "tasks",
  memory: "memory",
  skills: "skills",
  improvements: "skills",
  changes: "activity",
  usage: "activity",
  audit: "activity",
  settings: "settings",
  keys: "settings",
} as const satisfies Record<keyof typeof words.views, Section>;
export type View = keyof typeof TABLE;
export const VIEWS = Object.keys(TABLE) as View[];

export function viewTitle(view: View): string {
  return words.views[view][0];
}

export function viewHint(view: View): string {
  return words.views[view][1];
}

export function sectionOf(view: View): Section {
  return TABLE[view];
}

export function sectionTitle(section: Section): string {
  return words.sectionNames[section];
}

/** The views of a section, the first of which its link opens; that of the chat opens the conversation itself. */
export function viewsOf(section: Section): View[] {
  return VIEWS.filter((view) => sectionOf(view) === section);
}
