/** Every word that the page says. A second language is a second object of this shape. */
import type { TaskState } from "@mimikit/protocol/api";

const PROVIDERS: Record<string, string> = {
  offline: "offline engine",
  openai: "model endpoint",
  codex: "Codex",
  claude: "Claude",
};

const STATES: Record<TaskState, string> = {
  waiting: "waiting",
  queued: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  needs_input: "needs you",
};

function plural(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

export const words = {
  name: "Mimikit",
  skip: "Skip to the message field",

  connected: "connected",
  connecting: "connecting…",
  reconnectingIn: (seconds: number) => `reconnecting in ${seconds} s`,
  offline: "offline",
  retryNow: "Reconnect now",
  starting: "starting…",
  startingTitle: "Messages are saved now and answered as soon as everything runs.",
  provider: (name: string) => PROVIDERS[name] ?? name,
  offlineEngineTitle: "No model is connected. The built-in engine answers: send “help” to see what it can do.",
  providersTitle: (roles: [string, string][]) => roles.map(([role, name]) => `${role}: ${name}`).join("\n"),
  problems: (n: number) => plural(n, "thing to look at", "things to look at"),
  signOut: "Sign out",
  signOutQuestion:
    "Sign this browser out? Messages that were not sent yet are dropped. To come back you need a new pairing code.",

  conversation: "Conversation",
  you: "You",
  assistant: "Mimikit",
  notice: "Notice",
  today: "Today",
  yesterday: "Yesterday",
  thinking: "Thinking",
  newMessages: "New messages",
  toNewest: "To the newest",
  sending: "Sending…",
  unsent: "Waits for the connection",
  saved: "Saved",
  answered: "Answered",
  refused: (reason: string) => `Not accepted: ${reason}`,
  sendAgain: "Send again",
  discard: "Discard",
  tokens: (n: number) => plural(n, "token", "tokens"),
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Not allowed",
  dismiss: "Dismiss",

  emptyTitle: "What should be done?",
  emptyText:
    "Write what you want. Mimikit saves it at once, plans it, runs the work in the background and reports here. You can close this page; nothing gets lost.",
  examplesTitle: "Try one of these",
  examples: [
    { text: "run `ls` then `wc -l README.md`", why: "two steps, the second waits for the first" },
    { text: "remember I like pnpm", why: "kept as plain Markdown, found again later" },
    { text: "tasks", why: "what runs, waits and is done" },
    { text: "help", why: "everything the assistant understands" },
  ],

  message: "Message",
  placeholder: "Message Mimikit",
  send: "Send",
  composerHint: "Enter sends · Shift+Enter starts a new line",
  tooLong: "This message is too long to send. Put it into a file in the workspace and name the file instead.",

  tasks: "Tasks",
  openTasks: (n: number) => (n === 0 ? "Tasks" : `Tasks, ${plural(n, "open", "open")}`),
  closeTasks: "Close the tasks",
  now: "Now",
  earlier: "Earlier",
  noTasks: "Work in the background appears here, with its progress.",
  state: (state: TaskState) => STATES[state],
  after: (title: string) => `after ${title}`,
  attempt: (n: number) => `attempt ${n}`,
  membersDone: (done: number, total: number) => `${done} of ${total} done`,
  cancel: "Cancel",
  cancelTask: (title: string) => `Cancel ${title}`,
  cancelling: "Cancelling…",
  workspace: "Workspace",
  version: (version: string) => `Mimikit ${version}`,

  pairTitle: "Pair this browser",
  pairText: "Mimikit answers only browsers that you have paired with it. Print a fresh address and open it here:",
  pairCommand: "npx mimikit pair",
  pairStart: "npm start prints one too. A code works once, for two minutes.",
  pairCode: "Pairing code",
  pairPlaceholder: "the code, or the address",
  pair: "Pair",
  pairing: "Pairing…",
  pairExpired: "That code was used already or is older than two minutes. Print a new one.",
  pairRefused: "That is not a code Mimikit knows. Print a new one and paste all of it.",
  pairLocked: "Too many codes were wrong. Wait a minute, then try again.",
  pairUnreachable: "Mimikit does not answer. Is it running? “npm start” starts it.",
};

/** A duration as people say it: `8s`, `1m 05s`, `2h 03m`. Negative durations (clocks differ) are 0. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
}

const CLOCK_TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long" });

/** The time of day of an ISO moment, in the browser's zone and habit. */
export function timeText(at: string): string {
  return CLOCK_TIME.format(new Date(at));
}

/** The day of an ISO moment: `Today`, `Yesterday`, `Monday, March 3`. */
export function dayText(at: string, nowMs: number): string {
  const day = new Date(at);
  const yesterday = new Date(nowMs);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day.toDateString() === new Date(nowMs).toDateString()) return words.today;
  if (day.toDateString() === yesterday.toDateString()) return words.yesterday;
  return DAY.format(day);
}
