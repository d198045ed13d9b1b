/**
 * What Mimikit wants to be seen even where nobody looks at the page: shown by the browser, once the user has allowed it.
 * The tag is the id of the effect, so that several tabs, and a reconnect, show it once.
 */
import { effect, signal } from "@preact/signals";
import { Bell } from "./icons.tsx";
import { notifications } from "./state.ts";
import { words } from "./words.ts";

/** Undefined where the browser has no notifications, or not on this address. */
const permission = signal<NotificationPermission | undefined>(
  "Notification" in globalThis && isSecureContext ? Notification.permission : undefined,
);

/** Shows what comes while the page is open. */
export function showNotifications(): void {
  let shown = new Set<string>();
  effect(() => {
    const all = notifications.value;
    for (const { id, title, text } of all)
      if (!shown.has(id) && permission.peek() === "granted")
        new Notification(title ?? words.name, { body: text, tag: id });
    shown = new Set(all.map(({ id }) => id));
  });
}

/** Asks the browser for its leave; nothing where that has been decided already. */
export function NotificationsButton() {
  if (permission.value !== "default") return null;
  const ask = async () => {
    permission.value = await Notification.requestPermission();
  };
  return (
    <button
      type="button"
      class="plain"
      title={words.allowNotifications}
      aria-label={words.allowNotifications}
      onClick={() => void ask()}
    >
      <Bell />
    </button>
  );
}
