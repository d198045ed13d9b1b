/** Picks the news that are worth a push. The same look gives the same items. */
import { rootOf } from "@mimikit/protocol/base/id";
import type { ChatMessage, QuestionView, TaskSummary } from "@mimikit/protocol/wire/api";
import { notificationIn } from "@mimikit/protocol/wire/notification";
import type { StateView } from "../state/view.ts";

/** Older news are not pushed, in milliseconds: after an outage the conversation is the better place to read them. */
export const PUSH_AGE_MS_MAX = 86_400_000;
/** Of more than that, only the newest are pushed. */
export const PUSH_ITEMS_MAX = 200;

interface ItemFacts {
  /** That of the message or the question: a device that has shown it recognises it by that. */
  id: string;
  at: string;
  text: string;
}

export type PushItem = ItemFacts &
  (
    | { kind: "notification"; title: string | undefined }
    /** A reply that answers nothing, or that tells what became of work; `tasks` are those that it tells of. */
    | { kind: "report"; tasks: readonly Pick<TaskSummary, "id" | "title" | "state">[] }
    | { kind: "question"; question: QuestionView }
  );

/** The news of the last PUSH_AGE_MS_MAX and the open questions, oldest first, PUSH_ITEMS_MAX at most. */
export function itemsOf(state: Pick<StateView, "messages" | "tasks" | "questions">, nowMs: number): PushItem[] {
  const since = nowMs - PUSH_AGE_MS_MAX;
  const messages = state.messages.filter(({ at, pending }) => pending !== true && Date.parse(at) > since);
  const notified = new Set(messages.flatMap((each) => (each.notification === undefined ? [] : [rootOf(each.id)])));
  const titles = new Map(state.tasks.map((task) => [task.id, task]));
  const told = messages.flatMap((message): PushItem[] => {
    const { id, at, text } = message;
    const notification = notificationIn(message);
    if (notification !== null) return [{ id, at, text, kind: "notification", title: notification.title }];
    // A turn that has called for attention itself is not to do it twice.
    if (!isReply(message) || notified.has(rootOf(id))) return [];
    const tasks = reportedBy(message).flatMap((task) => titles.get(task) ?? []);
    if (message.answers?.length !== 0 && tasks.length === 0) return [];
    return [{ id, at, text, kind: "report", tasks }];
  });
  const asked = state.questions
    .filter(({ at, expiresAt }) => Date.parse(at) > since && Date.parse(expiresAt) > nowMs)
    .map(
      (question): PushItem => ({
        id: question.id,
        at: question.at,
        text: question.question,
        kind: "question",
        question,
      }),
    );
  return [...told, ...asked].sort(byTime).slice(-PUSH_ITEMS_MAX);
}

/** The oldest that was not told yet; undefined where there is none. */
export function nextItem(items: readonly PushItem[], sent: readonly string[]): PushItem | undefined {
  const known = new Set(sent);
  return items.find(({ id }) => !known.has(id));
}

/** Questions of the Teller's are messages of the assistant as well, without `answers`. */
function isReply({ role, answers, stopped }: ChatMessage): boolean {
  return role === "assistant" && answers !== undefined && stopped !== true;
}

/** The tasks that a reply tells the outcome of: all but those that its own turn has started. */
function reportedBy({ id, taskIds = [] }: ChatMessage): string[] {
  return taskIds.filter((task) => rootOf(task) !== rootOf(id) && task !== rootOf(id));
}

function byTime(a: PushItem, b: PushItem): number {
  return Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1);
}
