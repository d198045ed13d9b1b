/** Offers notifications in the top line, until the user has decided about them. */

import { words } from "../i18n/words.ts";
import { Bell } from "../ui/icons.tsx";
import { allowNotifications, consent } from "./notifications.ts";

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
