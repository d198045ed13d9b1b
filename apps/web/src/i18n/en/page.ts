/**
 * The texts of the first page, in English. `words.ts` waits for it, so it imports nothing of the page but types: the two
 * would wait for each other.
 */

import type { TaskState } from "@mimikit/protocol/wire/api";
import type { Line, SlashName } from "@mimikit/protocol/wire/slash-command";

export type Mistake = Extract<Line, { kind: "mistake" }>["mistake"];

export type IntervalUnit = "day" | "hour" | "minute" | "second";

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
  retry: "have your last message answered anew",
  clear: "begin a new conversation; memory stays",
  help: "show this list",
};

const MISTAKES: Record<Mistake, (name: string) => string> = {
  unknown: (name) => `There is no command /${name}. Type / to see what there is; // begins a message with a slash.`,
  textMissing: (name) => `Say what: /${name} and then your words.`,
  textUnwanted: (name) => `/${name} stands alone. To send this as a message, begin it with //.`,
};

export const words = {
  language: "en" as "en" | "zh",
  name: "Mimikit",
  skip: "Skip to the message field",

  sections: "Sections",
  moreSections: "More",
  running: "Runs now",
  tasksRun: (n: number) => plural(n, "task runs", "tasks run"),
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
  answersNext: (name: string) => `Next message: ${name}`,
  overview: "Who answers, and what today has cost",
  whoAnswers: "Who answers",
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
    title === undefined ? "Heard after its next step, or after this reply" : `Passed on to: ${title}`,
  heard: "Heard meanwhile",
  cameBy: (channel: string) => `By ${channel}`,
  saidToStopped: "Said to a reply that was stopped",
  answerAnew: "Answer anew",
  nothingToRetry: "There is no last reply that could be given anew now.",
  change: "Change and send again",
  changing: "Your last message in other words",
  dropChange: "Leave it as it was",
  versions: "Versions",
  earlierVersion: "Earlier version",
  laterVersion: "Later version",
  beginAnew: "New conversation",
  newConversation: "New conversation",
  showEarlier: (n: number) => `Show the earlier conversation (${plural(n, "line", "lines")})`,
  hideEarlier: "Hide the earlier conversation",
  answered: "Answered",
  refused: (reason: string) => `Not accepted: ${reason}`,
  sendAgain: "Send again",
  discard: "Discard",
  tokens: (n: number) => plural(n, "token", "tokens"),
  copy: "Copy",
  wrapLines: "Wrap lines",
  diagram: "Diagram",
  source: "Source",
  download: "Download",
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
  saveFile: (name: string) => `Download ${name}`,
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

  every: (n: number, unit: IntervalUnit) => (n === 1 ? `every ${unit}` : `every ${n} ${unit}s`),
  looking: "Looking…",

  /** The providers that have another name than everywhere. */
  providers: {} as Readonly<Record<string, string>>,
  /** The sections of the rail. */
  sectionNames: {
    chat: "Chat",
    tasks: "Tasks",
    schedules: "Schedules",
    memory: "Memory",
    skills: "Skills",
    activity: "Activity",
    settings: "Settings",
  },
  /** The title of each view, and what it shows in a line. */
  views: {
    search: ["Search", "everything that was ever said"],
    tasks: ["Task board", "plans, what waits for what, and how each task went"],
    triggers: ["Schedules", "triggers: what starts by itself, and when it does next"],
    backlog: ["Backlog", "what is to be done some day"],
    memory: ["Memory", "what is remembered, and what is to be"],
    skills: ["Skills", "what is done by the book, and what is wrong with the rest"],
    improvements: ["Improvements", "what Mimikit has improved by itself, and why"],
    changes: ["Recent changes", "what was changed lately, and how to take it back"],
    usage: ["Usage", "tokens and cost by day, and what may be spent"],
    audit: ["Audit log", "every action of the processes, one line each"],
    settings: ["Settings", "who answers, how to change it; language and colours"],
    keys: ["Keyboard shortcuts", "what the keyboard does"],
  } satisfies Record<string, [title: string, hint: string]>,
};
