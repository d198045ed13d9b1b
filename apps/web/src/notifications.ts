/**
 * Questions and what comes unasked, reminders above all, as notifications of the device while nobody looks at the page.
 * The browser is asked for leave only when the user says so.
 */
import { effect, signal } from "@preact/signals";
import { loaded, messages, questions } from "./state.ts";
import { words } from "./words.ts";

const KEY = "mimikit.notifications";
const BODY_CHARS_MAX = 200;

/** `off`: the user has not asked for them on this browser. */
export type Consent = "missing" | "denied" | "off" | "on";

export const notifications = signal<Consent>(consentNow());

function consentNow(): Consent {
  if (!("Notification" in window) || !isSecureContext) return "missing";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

/** Asks the browser for leave; call it only because the user pressed something. */
export async function allowNotifications(): Promise<void> {
  localStorage.setItem(KEY, "on");
  await Notification.requestPermission();
  notifications.value = consentNow();
}

/** The browser's leave stays; we use it no more. */
export function stopNotifications(): void {
  localStorage.removeItem(KEY);
  notifications.value = consentNow();
}

interface News {
  id: string;
  title: string;
  body: string;
}

/** Tells what is new from now on. What the page finds when it first connects is no news. */
export function startNotifying(): void {
  let known: ReadonlySet<string> | undefined;
  effect(() => {
    const news = loaded.value ? newsNow() : undefined;
    const before = known;
    known = news && new Set(news.map(({ id }) => id));
    if (before === undefined || notifications.value !== "on") return;
    for (const one of news ?? []) if (!before.has(one.id)) tell(one);
  });
}

/** Open questions, and messages of Mimikit that answer nothing: reminders and reports. */
function newsNow(): News[] {
  const asked = [...questions.value.values()].map(({ id, question }) => ({
    id,
    title: words.questions,
    body: question,
  }));
  const unasked = messages.value
    .filter(({ role, answers, id }) => role === "assistant" && answers === undefined && !questions.value.has(id))
    .map(({ id, text }) => ({ id, title: words.name, body: text }));
  return [...asked, ...unasked];
}

/** One notification for each piece of news, however many tabs are open. */
function tell({ id, title, body }: News): void {
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const shown = new Notification(title, { body: body.slice(0, BODY_CHARS_MAX), tag: id, icon: "icon.svg" });
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
}
