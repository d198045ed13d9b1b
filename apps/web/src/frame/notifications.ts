/**
 * Notifications of the device: those of the Teller whatever the user looks at, and, while the page is in the background,
 * questions and unasked messages. The browser is asked for leave only when the user says so. The tag is the id of what
 * is told, so that several tabs, and a reconnect, show it once.
 */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { effect, signal } from "@preact/signals";
import { words } from "../i18n/words.ts";
import { loaded, messages, notifications, questions } from "../model/state.ts";
import { store } from "../storage/storage.ts";

const KEY = "mimikit.notifications";
/** There while this browser is notified by Web Push (notify/push.ts). */
const PUSH_KEY = "mimikit.push";
const BODY_CHARS_MAX = 500;

/** `off`: the user has not asked for them on this browser. */
export type Consent = "missing" | "denied" | "off" | "on";

export const consent = signal<Consent>(consentNow());

function consentNow(): Consent {
  if (!("Notification" in window) || !isSecureContext) return "missing";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

/** Asks the browser for leave; call it only because the user pressed something. */
export async function allowNotifications(): Promise<void> {
  store(KEY, "on");
  await Notification.requestPermission();
  consent.value = consentNow();
}

/** The browser's leave stays; we use it no more. */
export function stopNotifications(): void {
  store(KEY, undefined);
  consent.value = consentNow();
}

interface News {
  id: string;
  title: string;
  body: string;
}

/** Tells what is new from now on. Events that the page finds when it first connects are no news. */
export function startNotifying(): void {
  if (isPushed()) void import("../notify/push.ts").then(({ renew }) => renew());
  tellWhatIsNew(() => (loaded.value ? newsNow() : undefined), tellWhoLooksElsewhere);
  tellWhatIsNew(() => notifications.value.map(({ id, title = words.name, text }) => ({ id, title, body: text })), tell);
}

const isPushed = () => localStorage.getItem(PUSH_KEY) !== null;

function tellWhatIsNew(look: () => News[] | undefined, tellOne: (news: News) => void): void {
  let known: ReadonlySet<string> | undefined;
  effect(() => {
    const news = look();
    const before = known;
    known = news && new Set(news.map(({ id }) => id));
    if (before === undefined || consent.peek() !== "on") return;
    for (const one of news ?? []) if (!before.has(one.id)) tellOne(one);
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
    .filter(({ role, answers }) => role === "assistant" && answers?.length === 0)
    .map(({ id, text }) => ({ id, title: words.name, body: text }));
  return [...asked, ...unasked];
}

function tellWhoLooksElsewhere(news: News): void {
  if (document.visibilityState !== "visible" || !document.hasFocus()) tell(news);
}

/** One notification for each piece of news, however many tabs are open. */
function tell({ id, title, body }: News): void {
  const options = { body: beginningOf(body, BODY_CHARS_MAX), tag: id, icon: "icon.svg" };
  // Of who shows what is pushed, too: the same id is shown once.
  if (isPushed()) {
    tellByWorker(title, options);
    return;
  }
  try {
    const shown = new Notification(title, options);
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch (error) {
    // Some phones have the interface, and show nothing that comes from a page itself.
    if (!(error instanceof TypeError)) throw error;
    tellByWorker(title, options);
  }
}

function tellByWorker(title: string, options: NotificationOptions): void {
  import("../notify/notify-by-worker.ts")
    .then(({ notifyByWorker }) => notifyByWorker(title, options))
    .catch((problem: unknown) => {
      console.warn(problem);
      consent.value = "missing";
    });
}
