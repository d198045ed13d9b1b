/**
 * Where the reader is: in the conversation, or in a view over it. The address says it, so that the browser's way back and
 * a reload lead where they should.
 */
import { computed, signal } from "@preact/signals";
import { VIEWS, type ViewName } from "../i18n/view-names.ts";
import { wide } from "./screen.ts";
import { notice } from "./state.ts";

export interface PagePlace {
  /** undefined in the conversation. */
  view: ViewName | undefined;
  /** The detail of the view: the id of a task or of a trigger, or a search text. */
  detail: string | undefined;
}

/** Names of this computer that no other one reaches. */
export const LOOPBACK = /^(localhost|127\..+|\[?::1\]?)$/;
const IN_FRAGMENT = /^#\/([a-z]+)(?:\/(.+))?$/;

export const place = signal<PagePlace>(placeIn(location.hash));
/** Whether the palette is over it, wherever that is. */
export const isPaletteOpen = signal(false);

/** Whether the view has its place beside the conversation: one task or one file, where there is room for both. */
export const isBeside = computed(() => {
  const { view, detail } = place.value;
  return wide.value && detail !== undefined && (view === "memory" || (view === "tasks" && detail !== "timeline"));
});

addEventListener("popstate", () => {
  moveTo(placeIn(location.hash));
});

/** Opens a view, or goes to another detail of the one that is open. */
export function go(view: ViewName, detail?: string): void {
  history.pushState(null, "", addressOf(view, detail));
  moveTo({ view, detail });
}

/** The same view with another detail, where the way back need not lead through each of them. */
export function replace(view: ViewName, detail?: string): void {
  history.replaceState(null, "", addressOf(view, detail));
  moveTo({ view, detail });
}

/** Back to the conversation. */
export function goHome(): void {
  if (place.value.view === undefined) return;
  history.pushState(null, "", location.pathname + location.search);
  moveTo({ view: undefined, detail: undefined });
}

/** A notice belongs to the view where it arose, and goes with it. */
function moveTo(next: PagePlace): void {
  if (next.view !== place.value.view) notice.value = undefined;
  place.value = next;
}

/** The address of a view, for a link. */
export function addressOf(view: ViewName, detail?: string): string {
  return `#/${view}${detail === undefined ? "" : `/${encodeURIComponent(detail)}`}`;
}

function placeIn(fragment: string): PagePlace {
  const [, name, detail] = IN_FRAGMENT.exec(fragment) ?? [];
  const view = VIEWS.find((one) => one === name);
  return { view, detail: view === undefined || detail === undefined ? undefined : decoded(detail) };
}

/** A typed address may be malformed: it is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

export interface ViewProps {
  /** The detail of the view: an id, or a search text. */
  detail: string | undefined;
}
