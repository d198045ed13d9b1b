/** The drawer with the tasks, which a narrow screen has in place of the panel. */
import { effect, signal } from "@preact/signals";

const narrowScreen = matchMedia("(max-width: 899px)");
export const narrow = signal(narrowScreen.matches);
narrowScreen.addEventListener("change", () => {
  narrow.value = narrowScreen.matches;
});

export const isDrawerOpen = signal(false);
effect(() => {
  if (!narrow.value) isDrawerOpen.value = false;
});

/** The view that a link opens must not open behind the drawer. */
export function leaveDrawer(): void {
  isDrawerOpen.value = false;
}
