/** Offers notifications in the top line, until the user has decided about them. */
import { Bell } from "./icons.tsx";
import { allowNotifications, consent } from "./notifications.ts";
import { words } from "./words.ts";

export function NotificationsButton() {
  if (consent.value !== "off") return null;
  return (
    <button
      type="button"
      class="plain roomy"
      title={words.allowNotifications}
      aria-label={words.allowNotifications}
      onClick={() => void allowNotifications()}
    >
      <Bell />
    </button>
  );
}
