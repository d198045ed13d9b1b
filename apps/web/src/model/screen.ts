/** How much room there is. The style sheet draws the same lines. */
import { effect, type ReadonlySignal, signal } from "@preact/signals";

/** The tasks are in a drawer, not beside the conversation. */
export const narrow = matching("(max-width: 899px)");
/** The sections are along the bottom, within reach of a thumb, not along the left side. */
export const isPhone = matching("(max-width: 639px)");
/** A finger writes on the screen: its keyboard has no Shift+Enter, and its Enter starts a line. Without any pointer there is a real keyboard. */
export const isTouched = matching("(hover: none) and (pointer: coarse)");
/** A task or a file has its place beside the conversation, not over it. */
export const wide = matching("(min-width: 1360px)");

/** The drawer with the tasks, which a narrow screen has in place of the panel. */
export const isDrawerOpen = signal(false);
effect(() => {
  if (!narrow.value) isDrawerOpen.value = false;
});

/** The view that a link opens must not open behind the drawer. */
export function leaveDrawer(): void {
  isDrawerOpen.value = false;
}

function matching(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const answer = signal(list.matches);
  list.addEventListener("change", () => {
    answer.value = list.matches;
  });
  return answer;
}
