/** Every word that the page says, in the language that was chosen or that of the browser: Chinese, or else English. */

import type { HomeItem, TaskState, TriggerExplanation } from "@mimikit/protocol/wire/api";
import type { Line, SlashName } from "@mimikit/protocol/wire/slash-command";

/** The name of a role, in every language. */
export { capitalized as titleOf } from "@mimikit/protocol/base/capitalized";

export type TriggerState = TriggerExplanation["state"];
export type Mistake = Extract<Line, { kind: "mistake" }>["mistake"];

export type IntervalUnit = "day" | "hour" | "minute" | "second";

const UNITS: Record<IntervalUnit, string> = { day: "d", hour: "h", minute: "min", second: "s" };

function plural(n: number, one: string, many: string): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

const STATES: Record<TaskState, string> = {
  waiting: "waiting",
  queued: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  needs_input: "needs you",
};

const COMMANDS: Record<SlashName, string> = {
  steer: "say something to what runs now",
  next: "a message with a turn of its own, after the one that runs",
  attach: "take files along",
  stop: "end what runs now",
  clear: "begin a new conversation; memory stays",
  help: "show this list",
};

const MISTAKES: Record<Mistake, (name: string) => string> = {
  unknown: (name) => `There is no command /${name}. Type / to see what there is; // begins a message with a slash.`,
  textMissing: (name) => `Say what: /${name} and then your words.`,
  textUnwanted: (name) => `/${name} stands alone. To send this as a message, begin it with //.`,
};

const TRIGGER_MOMENTS: Partial<Record<TriggerState, (moment: string) => string>> = {
  scheduled: (moment) => `fires next: ${moment}`,
  due: (moment) => `is due since ${moment}`,
  resting: (moment) => `has fired, and rests until ${moment}`,
};

const COMBINATIONS: Record<string, string> = { and: "all of", or: "any of", not: "not" };

const ENGLISH = {
  language: "en" as "en" | "zh",
  name: "Mimikit",
  skip: "Skip to the message field",

  adoption: {
    title: "Is this state directory yours?",
    text: (home: string) =>
      `${home} was not made here, so nothing in it runs. If it came with a repository or an archive of somebody else, stop Mimikit and delete it. If it is yours, adopt it: then this runs or is believed.`,
    nothing: "Nothing in it would run or be believed.",
    kinds: {
      setting: "Settings of config.yaml",
      command: "Commands in the inbox",
      task: "Tasks",
      result: "Results whose effects would be applied",
      trigger: "Triggers",
      skill: "Skills",
      file: "Files that are part of every prompt",
      browser: "Browsers that are signed in",
    } satisfies Record<HomeItem["kind"], string>,
    more: (count: number) => `And ${count.toLocaleString("en")} more.`,
    accept: "It is mine: adopt it",
    done: "Adopted. Mimikit goes on in a moment.",
  },

  everythingElse: "Everything else",
  openPalette: "Search or do something",
  palettePlaceholder: "What do you want to see or do?",
  paletteHint: "↑ ↓ choose · Enter opens · Escape closes",
  backToConversation: "Back to the conversation",
  questionsWait: (n: number) => plural(n, "question waits", "questions wait"),
  earlierMessages: "Earlier messages",
  opening: "Opening…",
  openingFailed: "This part of the page could not be loaded.",
  reload: "Load the page again",

  connected: "connected",
  connecting: "connecting…",
  reconnectingIn: (seconds: number) => `reconnecting in ${seconds} s`,
  offline: "offline",
  retryNow: "Reconnect now",
  starting: "starting…",
  startingTitle: "Messages are saved now and answered as soon as everything runs.",
  answeredLast: (name: string, last: string) => `${name} (last: ${last})`,
  overview: "Who answers, and what today has cost",
  whoAnswers: "Who answers",
  offlineEngine: "No model is connected. The built-in engine answers: send “help” to see what it can do.",
  passedOver: "Not chosen automatically",
  tokensInOut: (input: string, output: string) => `${input} tokens in, ${output} out`,
  tool: "tool",
  calls: "calls",
  failedCalls: "failed",
  meanTime: "mean time",
  problems: (n: number) => plural(n, "thing to look at", "things to look at"),
  signOut: "Sign out",
  allowNotifications: "Allow notifications",
  signOutQuestion:
    "Sign this browser out? Messages that were not sent yet are dropped. To come back you need a new pairing code.",

  conversation: "Conversation",
  you: "You",
  assistant: "Mimikit",
  notice: "Notice",
  today: "Today",
  yesterday: "Yesterday",
  thinking: "Thinking",
  thoughts: "What the model is thinking",
  newMessages: "New messages",
  toNewest: "To the newest",
  sending: "Sending…",
  unsent: "Waits for the connection",
  saved: "Saved",
  savedNext: "Saved, waits for a turn of its own",
  savedWaits: "Saved, waits for the reply before it",
  seen: "Seen, being answered",
  waitsForModel: "Waits for the model",
  saidMeanwhile: "Said to what runs",
  passedOn: (title: string | undefined) =>
    title === undefined ? "Passed on to the reply being written" : `Passed on to: ${title}`,
  heard: "Heard meanwhile",
  newConversation: "New conversation",
  showEarlier: (n: number) => `Show the earlier conversation (${plural(n, "line", "lines")})`,
  hideEarlier: "Hide the earlier conversation",
  answered: "Answered",
  refused: (reason: string) => `Not accepted: ${reason}`,
  sendAgain: "Send again",
  discard: "Discard",
  tokens: (n: number) => plural(n, "token", "tokens"),
  copy: "Copy",
  copyMessage: "Copy message",
  reply: "Reply",
  replyTo: (text: string) => `Reply to “${text}”`,
  inReplyTo: "In reply to",
  showQuoted: "Show it in the conversation",
  dropQuote: "Do not reply to it",
  earlierMessage: "an earlier message",
  quotedTooOld: "That message is older than what the page can show.",
  copied: "Copied",
  copyFailed: "Not allowed",
  dismiss: "Dismiss",

  emptyTitle: "What should be done?",
  emptyText:
    "Write what you want. Mimikit saves it at once, plans it, runs the work in the background and reports here. You can close this page; nothing gets lost.",
  examplesTitle: "Try one of these",
  examples: [
    { text: "run `date` then `df -h .`", why: "two steps, the second waits for the first" },
    { text: "remember I like pnpm", why: "kept as plain Markdown, found again later" },
    { text: "first run `ls`, then run `date`, every day at 9", why: "the same by itself, until you cancel it" },
    { text: "help", why: "everything the assistant understands" },
  ],

  message: "Message",
  placeholder: "Message Mimikit",
  send: "Send",
  sendTitle: "Send (Enter): answered when the reply before it is complete",
  attach: "Attach files",
  attachTitle: "Attach files: pictures, recordings, PDFs, texts. Paste and drop work, too",
  attachedFiles: "Attached files",
  unnamedFile: "file",
  uploading: (name: string) => `Uploading ${name}`,
  uploadFailed: "It did not arrive.",
  tryAgain: "Try again",
  removeFile: (name: string) => `Remove ${name}`,
  saveFile: (name: string) => `Save ${name}`,
  fileGone: (name: string) => `${name} is not there any more, or there is no connection.`,
  fileTooLarge: (size: string) => `Larger than ${size}.`,
  tooManyFiles: (max: number) => `A message takes at most ${max} files along; the others were left out.`,
  queue: "Queue",
  queueTitle: "Queue (Enter): answered when the reply before it is complete",
  ownTurn: "Own turn",
  nextTitle: "Own turn (/next): queue it, to be answered apart from what else waits",
  steer: "Steer",
  steerTitle: "Steer (Ctrl+Enter or ⌘Enter): say it to what runs now",
  stop: "Stop",
  stopTitle: "Stop (Escape in the empty field): end what runs now",
  commands: "Commands",
  command: (name: SlashName) => COMMANDS[name],
  commandText: "text",
  mistake: (mistake: Mistake, name: string) => MISTAKES[mistake](name),
  notConnected: "There is no connection, so nothing was sent.",
  composerHint: "Enter sends · Shift+Enter starts a new line · / shows the commands",
  steerNoQuote: "What runs can be told words, but no quote: drop the quote first",
  busyHint: "Enter queues it · Ctrl+Enter steers what runs · Escape in the empty field stops it",
  tooLong: (max: string) =>
    `This message is too long to send: it may have ${max} characters. Put it into a file in the workspace and name the file instead.`,

  tasks: "Tasks",
  openTasks: (n: number) => (n === 0 ? "Tasks" : `Tasks, ${plural(n, "open", "open")}`),
  closeTasks: "Close the tasks",
  now: "Now",
  earlier: "Earlier",
  noTasks: "Work in the background appears here, with its progress.",
  state: (state: TaskState) => STATES[state],
  after: (titles: readonly string[]) => `after ${new Intl.ListFormat("en").format(titles)}`,
  attempt: (n: number) => `attempt ${n}`,
  membersDone: (done: number, total: number) => `${done} of ${total} done`,
  cancel: "Cancel",
  cancelTask: (title: string) => `Cancel ${title}`,
  cancelling: "Cancelling…",
  workspace: "Workspace",
  version: (version: string) => `Mimikit ${version}`,

  questions: "Questions",
  asks: (question: string) => `Mimikit asks: ${question}`,
  about: (title: string) => `About “${title}”`,
  yourAnswer: "Your answer",
  otherAnswer: "Another answer",
  answer: "Answer",
  opensFor: (left: string) => `${left} left to answer`,
  takenIn: (preset: string, left: string) => `“${preset}” is taken in ${left}`,

  triggerCount: (n: number) => (n === 0 ? "Triggers" : `Triggers, ${n}`),
  noTriggers:
    "Nothing is scheduled. Say for example “every day at 9 run `npm test`” or “remind me in 10 minutes to …”.",
  moreTriggers: (n: number) => `${n} more: “mimikit triggers” lists them all.`,
  every: (n: number, unit: IntervalUnit) => `every ${n} ${UNITS[unit]}`,
  cron: (pattern: string, zone: string) => `${pattern} (${zone})`,
  once: (moment: string) => `once, ${moment}`,
  next: "next:",
  paused: "paused",
  waitsForCondition: "waits for its condition",
  neverAgain: "does not fire again",
  why: "Why",
  whyOf: (title: string) => `Why ${title}`,
  pause: "Pause",
  pauseOf: (title: string) => `Pause ${title}`,
  resume: "Resume",
  resumeOf: (title: string) => `Resume ${title}`,
  runNow: "Run now",
  runNowOf: (title: string) => `Run now: ${title}`,
  started: "started",
  delete: "Delete",
  deleteOf: (title: string) => `Delete ${title}`,
  deleteQuestion: (title: string) => `Delete the trigger “${title}”? It does not fire again.`,
  looking: "Looking…",
  upcoming: "Next times",
  lately: "Lately",
  fired: "fired",
  skipped: (count: number | null, reason: string) => `${count === null ? "many" : count} skipped: ${reason}`,
  holds: (holds: boolean | null): string => (holds === null ? "not known" : holds ? "holds" : "does not hold"),
  combination: (type: string) => COMBINATIONS[type] ?? type,
  /** What the gateway says of a trigger, in its words where no moment is in them. @param moment when it may fire, or is due. */
  explained: (state: TriggerState, text: string, moment: string) => TRIGGER_MOMENTS[state]?.(moment) ?? text,

  budgetOfDay: "Budget of the day",
  budgetOfMonth: "Budget of the month",
  tokensOf: (spent: string, limit: string) => `${spent} of ${limit} tokens`,
  costOf: (spent: string, limit: string) => `${spent} of ${limit}`,
  reserved: (tokens: string) => `${tokens} tokens reserved for what runs`,
  budgetReached: (until: string) => `Used up: work waits until ${until}. Your messages are still answered.`,

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
/** What every language says. */
export type Words = typeof ENGLISH;

/** Where the reader's choice of a language is kept. */
export const LANGUAGE_KEY = "mimikit.language";

/** What the reader has chosen for this browser; null where its own language counts. */
export function chosenLanguage(): string | null {
  return localStorage.getItem(LANGUAGE_KEY);
}

// Only who reads Chinese waits for it: half of what the page says at first would be loaded for nobody.
export const words: Words = (chosenLanguage() ?? navigator.language).startsWith("zh")
  ? (await import("./chinese-words.ts")).CHINESE
  : ENGLISH;

/** Of two ways to say one thing that of the page's language: for the words that are loaded in both. */
export function say<T>(english: T, chinese: T): T {
  return words.language === "zh" ? chinese : english;
}

/** How often that is, in the largest unit of which it is a whole number. */
export function everyText(seconds: number): string {
  if (seconds % 86_400 === 0) return words.every(seconds / 86_400, "day");
  if (seconds % 3_600 === 0) return words.every(seconds / 3_600, "hour");
  return seconds % 60 === 0 ? words.every(seconds / 60, "minute") : words.every(seconds, "second");
}

/** A duration as people say it: `8s`, `1m 05s`, `2h 03m`. Negative durations (clocks differ) are 0. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
}

/** How long a call takes as people say it: `40 ms`, `1.2 s`. */
export function pauseText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const NUMBER = new Intl.NumberFormat(words.language);
const SIZE_UNITS = ["B", "KB", "MB"] as const;
const COST = new Intl.NumberFormat(words.language, { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** A count in the habit of the language: `12,345`. */
export function numberText(n: number): string {
  return NUMBER.format(n);
}

/** A size as file managers say it: `12 KB`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2;
  const size = bytes / 1024 ** power;
  return `${size < 10 && power > 0 ? Math.round(size * 10) / 10 : Math.round(size)} ${SIZE_UNITS[power]}`;
}

/** US dollars, to a hundredth of a cent. */
export function costText(usd: number): string {
  return COST.format(usd);
}

const CLOCK_TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(words.language, { weekday: "long", day: "numeric", month: "long" });

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

/** A moment in the browser's zone: the time, and the day where that is not today. */
export function momentText(at: string, nowMs: number): string {
  const day = dayText(at, nowMs);
  return day === words.today ? timeText(at) : `${day}, ${timeText(at)}`;
}
