/** The views over the conversation, in the order in which they are offered. Their names are their addresses. */
import { words } from "./words.ts";

export type ViewSection = keyof typeof words.sectionNames;
/** In the order of the rail. */
export const SECTION_NAMES = Object.keys(words.sectionNames) as ViewSection[];

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
} as const satisfies Record<keyof typeof words.views, ViewSection>;
export type ViewName = keyof typeof TABLE;
export const VIEWS = Object.keys(TABLE) as ViewName[];

export function viewTitle(view: ViewName): string {
  return words.views[view][0];
}

export function viewHint(view: ViewName): string {
  return words.views[view][1];
}

export function sectionOf(view: ViewName): ViewSection {
  return TABLE[view];
}

export function sectionTitle(section: ViewSection): string {
  return words.sectionNames[section];
}

/** The views of a section, the first of which its link opens; that of the chat opens the conversation itself. */
export function viewsOf(section: ViewSection): ViewName[] {
  return VIEWS.filter((view) => sectionOf(view) === section);
}
