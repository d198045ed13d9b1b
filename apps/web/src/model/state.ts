/** The state of the page, as signals. `receive` turns each frame of the gateway into a change of them; no I/O here. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type {
  ChatMessage,
  QuestionView,
  ServerFrame,
  Status,
  TaskSummary,
  TriggerSummary,
} from "@mimikit/protocol/wire/api";
import { type Notification, notificationIn } from "@mimikit/protocol/wire/notification";
import { batch, computed, signal } from "@preact/signals";
import { words } from "../i18n/words.ts";
import { mark, type OutboxEntry, outbox, release } from "./outbox.ts";
import { isOpen, treesOf } from "./task-tree.ts";

/** A tab may stay open for weeks: beyond these the oldest go, and no earlier ones come by themselves; the gateway still has them. */
export const MESSAGES_MAX = 5_000;
const TASKS_MAX = 500;
const LIVE_CHARS_MAX = 200_000;
const STEPS_PER_TASK_MAX = 3;
const NOTIFICATIONS_MAX = 20;
const OVER_TRIGGERS_MAX = 200;
/** A page of output is too long to be read out. */
const ANNOUNCED_CHARS_MAX = 500;

const TURN_ID = /^t-\d{6,}$/;
const REPLY_ID = /^(t-\d{6,})\.reply$/;
const OUTAGE_ID = /^(t-\d{6,})\.outage$/;

export const messages = signal<readonly ChatMessage[]>([]);
/** Whether the gateway has told of messages before those that it sent first. */
export const isCut = signal(false);
/** Holes in the conversation: the ids of the messages right after them. */
export const gaps = signal<ReadonlySet<string>>(new Set());
export const tasks = signal<ReadonlyMap<string, TaskSummary>>(new Map());
/** Open questions by id. */
export const questions = signal<ReadonlyMap<string, QuestionView>>(new Map());
/** Questions that the user has answered on this page and that are not closed yet, with the name of the answer's frame. */
export const answering = signal<ReadonlyMap<string, string>>(new Map());
/** Triggers by id; of very many the soonest. */
export const triggers = signal<ReadonlyMap<string, TriggerSummary>>(new Map());
/** The ids of triggers that the page saw end, the latest last. */
export const overTriggers = signal<ReadonlySet<string>>(new Set());
export const status = signal<Status | undefined>(undefined);
/** The text so far of each running Teller turn. */
export const liveText = signal<ReadonlyMap<string, string>>(new Map());
/** The model's thoughts so far in each running Teller turn. */
export const liveThoughts = signal<ReadonlyMap<string, string>>(new Map());
/** The latest steps of each running task, oldest first. */
export const steps = signal<ReadonlyMap<string, readonly string[]>>(new Map());
/** Tasks that the user cancelled and that have not ended yet. */
export const cancelling = signal<ReadonlySet<string>>(new Set());
/** Something that went wrong and belongs to no message. */
export const notice = signal<string | undefined>(undefined);
/** Notifications that came while the page was open, oldest first. */
export const notifications = signal<readonly Notification[]>([]);
/** The text for screen readers: the newest message or question that came while the page was open. */
export const announcement = signal("");
/** The last ordered frame that was applied; a reconnect goes on from here. */
export const cursor = signal<string | undefined>(undefined);
/** Whether the conversation has been received: before that an empty page means nothing. */
export const loaded = computed(() => cursor.value !== undefined);

export const answeredIds = computed(() => new Set(messages.value.flatMap((message) => message.answers ?? [])));
export const trees = computed(() => treesOf(tasks.value.values()));
export const openCount = computed(() => [...tasks.value.values()].filter((task) => isOpen(task.state)).length);
/** The open turn whose model could not be reached, until it says something. */
export const unreachedTurn = computed(() => {
  const turns = messages.value.flatMap((message) =>
    isPending(message) ? (OUTAGE_ID.exec(message.id)?.[1] ?? []) : [],
  );
  return turns.find((turn) => !liveText.value.has(turn));
});
/** Whether a message waits for an answer that cannot be seen yet, and that is being looked for. */
export const thinking = computed(() => {
  if (liveText.value.size > 0 || unreachedTurn.value !== undefined || status.value?.ready !== true) return false;
  return messages.value.some(isAwaited);
});
/** Whether a reply is being written or waits to be: it can be stopped. */
export const replying = computed(
  () => liveText.value.size > 0 || (status.value?.counts.running.teller ?? 0) > 0 || messages.value.some(isAwaited),
);
/** Whether something runs that can be told something: a reply, or a task. */
export const busy = computed(
  () => replying.value || [...tasks.value.values()].some((task) => task.state === "running"),
);
/** Whether a reply is being given: what is sent now waits for it. */
export const answeringNow = computed(
  () =>
    liveText.value.size > 0 || messages.value.some((message) => isAwaited(message) && message.toTaskId !== undefined),
);
/** Where the conversation begins that is talked in now: the index of its first line; 0 where none was cleared. */
export const beginning = computed(() => messages.value.findLastIndex((message) => message.marker === "clear") + 1);

/** Applies one frame. Frames of kinds that this page does not know yet change nothing. */
export function receive(frame: ServerFrame): void {
  batch(() => {
    switch (frame.type) {
      case "snapshot":
        if (loaded.value) frame.messages.forEach(notifyOfMissed);
        messages.value = frame.messages.slice(-MESSAGES_MAX);
        isCut.value = frame.earlier === true;
        gaps.value = new Set();
        tasks.value = new Map(frame.tasks.map((task) => [task.id, task]));
        questions.value = new Map(frame.questions.map((question) => [question.id, question]));
        triggers.value = new Map(frame.triggers.map((trigger) => [trigger.id, trigger]));
        status.value = frame.status;
        break;
      case "message":
        receiveMessage(frame.data);
        break;
      case "task":
        receiveTask(frame.data);
        break;
      case "question": {
        const { isOpen: isAsked, ...question } = frame.data;
        if (isAsked) askUser(question);
        else closeQuestion(question.id);
        break;
      }
      case "trigger": {
        const { isOver, ...trigger } = frame.data;
        if (isOver) overTriggers.value = new Set([...overTriggers.value, trigger.id].slice(-OVER_TRIGGERS_MAX));
        triggers.value = isOver
          ? without(triggers.value, trigger.id)
          : new Map(triggers.value).set(trigger.id, trigger);
        break;
      }
      case "notification":
        addNotification(frame.data);
        break;
      case "status":
        status.value = frame.data;
        break;
      case "begin":
        forgetTurn(frame.taskId);
        steps.value = without(steps.value, frame.taskId);
        break;
      case "delta":
        if (TURN_ID.test(frame.taskId) && !hasReply(frame.taskId)) addLive(liveText, frame.taskId, frame.text);
        break;
      case "thought":
        if (TURN_ID.test(frame.taskId) && !hasReply(frame.taskId)) addLive(liveThoughts, frame.taskId, frame.text);
        break;
      case "progress":
        addStep(frame.taskId, frame.step);
        break;
      case "accepted":
        receiveAcceptance(frame.id, frame.messageId);
        break;
      case "error":
        if (frame.id !== undefined && outbox.value.some((entry) => entry.id === frame.id)) {
          mark(frame.id, { refusal: frame.message });
        } else {
          notice.value = frame.message;
          if (frame.id !== undefined) {
            forgetCancelling(frame.id);
            forgetAnswer(frame.id);
          }
        }
        break;
    }
    if ("cursor" in frame) cursor.value = frame.cursor;
  });
}

/** A new connection: live text, steps and commands of the old one have holes or are lost, so they start afresh. */
export function forgetLive(): void {
  batch(() => {
    liveText.value = new Map();
    liveThoughts.value = new Map();
    steps.value = new Map();
    cancelling.value = new Set();
    answering.value = new Map();
  });
}

/** A signed-out page shows nothing of the conversation. */
export function forgetAll(): void {
  batch(() => {
    forgetLive();
    messages.value = [];
    gaps.value = new Set();
    tasks.value = new Map();
    questions.value = new Map();
    triggers.value = new Map();
    status.value = undefined;
    notice.value = undefined;
    announcement.value = "";
    notifications.value = [];
    cursor.value = undefined;
    outbox.value = [];
  });
}

/**
 * Puts messages that follow each other, oldest first, into their place; what is there already stays as it is.
 * @param next the message right after them, which is there.
 */
export function putStretch(stretch: readonly ChatMessage[], next?: string): void {
  const all = [...messages.value];
  const holes = new Set(gaps.value);
  const ids = [...stretch.map(({ id }) => id), ...(next === undefined ? [] : [next])];
  const placeOf = (id: string | undefined) => all.findIndex((message) => message.id === id);
  const firstKnown = ids.find((id) => placeOf(id) >= 0);
  const [first] = ids;
  if (first === undefined) return;
  let place = firstKnown === undefined ? holeFor(stretch[0], all, holes) : placeOf(firstKnown);
  if (firstKnown !== first) {
    const after = all[place]?.id;
    // The hole above is above these now; where they touch nothing that is known, one is below them, too.
    if (place > 0) holes.add(first);
    if (after !== undefined) holes.add(after);
  }
  for (const message of stretch) {
    const there = placeOf(message.id);
    if (there < 0) all.splice(place, 0, message);
    place = (there < 0 ? place : there) + 1;
  }
  for (const id of ids.slice(1)) holes.delete(id);
  batch(() => {
    messages.value = all;
    gaps.value = holes;
  });
}

/** The place of the hole, or of the upper end, to which a message belongs that touches nothing known: by its time. */
function holeFor(message: ChatMessage | undefined, all: readonly ChatMessage[], holes: ReadonlySet<string>): number {
  const ends = all.flatMap(({ id }, i) => (i === 0 || holes.has(id) ? [i] : []));
  return ends.find((i) => (all[i]?.at ?? "") > (message?.at ?? "")) ?? ends.at(-1) ?? 0;
}

/** Drops the oldest of too many, as many as have come; a reader who has brought more than that keeps them. */
function newestOf(next: readonly ChatMessage[]): readonly ChatMessage[] {
  return next.slice(-Math.max(MESSAGES_MAX, messages.value.length));
}

function hasReply(turn: string): boolean {
  return messages.value.some((message) => message.id === replyIdOf(turn));
}

/** The id of the message that a turn ends with. */
export function replyIdOf(turn: string): string {
  return `${turn}.reply`;
}

function receiveMessage(message: ChatMessage): void {
  const known = messages.value.some((one) => one.id === message.id || one.id === message.replaces);
  if (!known && message.role === "user") showInsteadOfEntry(message);
  if (!known && message.role !== "user") announcement.value = spokenText(message);
  putMessage(message);
  const turn = REPLY_ID.exec(message.id)?.[1];
  if (turn !== undefined) forgetTurn(turn);
}

function addNotification(notification: Notification): void {
  if (notifications.value.some(({ id }) => id === notification.id)) return;
  notifications.value = [...notifications.value, notification].slice(-NOTIFICATIONS_MAX);
}

/** A gateway that was started again knows of no cursor: what came meanwhile is only in its snapshot. */
function notifyOfMissed(message: ChatMessage): void {
  const notification = notificationIn(message);
  if (notification !== null && !messages.value.some(({ id }) => id === message.id)) addNotification(notification);
}

function spokenText({ marker, text }: ChatMessage): string {
  return marker === "clear" ? words.newConversation : beginningOf(text, ANNOUNCED_CHARS_MAX);
}

/**
 * Keeps the order of the conversation, which is the gateway's (docs/file-protocol.md I10): what is settled in the order
 * in which it was, and below it what still waits, in order of time.
 */
function putMessage(message: ChatMessage): void {
  const before = messages.value.find((one) => one.id === message.id);
  if (before && !isPending(before) && !isPending(message)) {
    messages.value = messages.value.map((one) => (one.id === message.id ? message : one));
    return;
  }
  const rest = messages.value.filter(
    (one) => one.id !== message.id && one.id !== message.replaces && one.id !== message.instead,
  );
  const end = rest.findIndex((one) => isPending(one) && (!isPending(message) || isEarlier(message, one)));
  messages.value = newestOf(rest.toSpliced(end < 0 ? rest.length : end, 0, message));
}

function isEarlier(a: ChatMessage, b: ChatMessage): boolean {
  return a.at === b.at ? a.id < b.id : a.at < b.at;
}

/** Is it still on its way? */
export function isPending(message: ChatMessage): boolean {
  return message.pending === true;
}

/** Words for a run are answered by what the run makes of them, not by a reply of their own. */
function isAwaited(message: ChatMessage): boolean {
  if (message.again === true) return true;
  return isPending(message) && message.meanwhile !== true && !answeredIds.value.has(message.id);
}

/** The message may come back before its acknowledgement: it must not be seen twice in between. */
function showInsteadOfEntry(message: ChatMessage): void {
  const isIt = (one: OutboxEntry) =>
    one.text === message.text && one.shownAs === undefined && (one.mode === "steer") === (message.meanwhile === true);
  const entry = outbox.value.find(isIt);
  if (entry) mark(entry.id, { shownAs: message.id });
}

function receiveAcceptance(id: string, messageId: string): void {
  const entry = release(id);
  if (!entry || messages.value.some((message) => message.id === messageId)) return;
  // A steering message that no run received may have become a message before it was acknowledged.
  if (messages.value.some((message) => message.replaces === messageId)) return;
  const { text, at, mode, quote } = entry;
  const message: ChatMessage = {
    id: messageId,
    role: "user",
    text,
    at,
    pending: true,
    ...(mode === "steer" && { meanwhile: true }),
    ...(mode === "next" && { mode }),
    ...(quote !== undefined && { quote }),
  };
  // Its time is this browser's until the gateway tells its own: what was said last stands last.
  messages.value = newestOf([...messages.value, message]);
}

function askUser(question: QuestionView): void {
  questions.value = new Map(questions.value).set(question.id, question);
  announcement.value = words.asks(beginningOf(question.question, ANNOUNCED_CHARS_MAX));
}

function closeQuestion(id: string): void {
  questions.value = without(questions.value, id);
  answering.value = without(answering.value, id);
}

/** @param frameId of an answer that was refused: the question waits for another. */
function forgetAnswer(frameId: string): void {
  answering.value = new Map([...answering.value].filter(([, id]) => id !== frameId));
}

function receiveTask(task: TaskSummary): void {
  const next = new Map(tasks.value).set(task.id, task);
  // The map keeps the order of arrival, so that the first key is the task that has been known longest.
  if (next.size > TASKS_MAX) next.delete([...next.values()].find((one) => !isOpen(one.state))?.id ?? task.id);
  tasks.value = next;
  if (!isOpen(task.state)) {
    steps.value = without(steps.value, task.id);
    forgetCancelling(task.id);
  }
}

function forgetCancelling(taskId: string): void {
  cancelling.value = new Set([...cancelling.value].filter((id) => id !== taskId));
}

function addLive(live: typeof liveText, turn: string, text: string): void {
  const whole = (live.value.get(turn) ?? "") + text;
  live.value = new Map(live.value).set(turn, beginningOf(whole, LIVE_CHARS_MAX));
}

function forgetTurn(turn: string): void {
  liveText.value = without(liveText.value, turn);
  liveThoughts.value = without(liveThoughts.value, turn);
}

function addStep(taskId: string, step: string): void {
  const task = tasks.value.get(taskId);
  if (task && !isOpen(task.state)) return;
  const latest = [...(steps.value.get(taskId) ?? []), step].slice(-STEPS_PER_TASK_MAX);
  steps.value = new Map(steps.value).set(taskId, latest);
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
