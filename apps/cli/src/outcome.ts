/**
 * How far the answer to one message has come. A pure look at messages and tasks: the first reply may only announce work;
 * the answer is complete when everything that it started has ended and was reported (SPEC C8).
 */
import type { ChatMessage, TaskSummary } from "@mimikit/protocol/api";

export interface Outcome {
  /** The replies so far, oldest first: the one to the message, then reports of what it started. */
  replies: ChatMessage[];
  /** What the message has started, oldest first. */
  tasks: TaskSummary[];
  /** `waiting`: no reply yet. `working`: something is still open or not yet reported. */
  state: "waiting" | "working" | "settled" | "complete";
}

const OPEN: ReadonlySet<TaskSummary["state"]> = new Set(["waiting", "queued", "running"]);

/**
 * @param messageId the message that was sent, or what was said meanwhile.
 * @param messages the conversation, oldest first.
 * @param tasks every task that is known, in any order.
 */
export function outcomeOf(messageId: string, messages: readonly ChatMessage[], tasks: readonly TaskSummary[]): Outcome {
  const first = firstReply(messageId, messages);
  if (first === undefined) return { replies: [], tasks: [], state: "waiting" };
  const turn = first.id.replace(/\.reply$/, "");
  const isOwn = (id: string) => id.startsWith(`${turn}.`);
  const started = (first.taskIds ?? []).filter(isOwn);
  const own = tasks.filter((task) => isOwn(task.id)).reverse();
  const reports = messages.filter(
    (message) => message !== first && message.role === "assistant" && message.taskIds?.some(isOwn),
  );
  const replies = [first, ...reports];

  if (own.some((task) => OPEN.has(task.state))) return { replies, tasks: own, state: "working" };
  const reported = reports.flatMap((report) => report.taskIds ?? []);
  const isReported = (id: string) => reported.some((other) => other === id || other.startsWith(`${id}.`));
  // A plan is reported through its tasks, and what was cancelled may be reported by nobody.
  const unreported = own.filter((task) => task.state !== "cancelled" && !isReported(task.id));
  if (unreported.length === 0 && started.every((id) => isReported(id) || own.some((task) => task.id === id))) {
    return { replies, tasks: own, state: "complete" };
  }
  // Nothing is open, but not all of it is named in a report (yet): the next turn may be about to begin.
  return { replies, tasks: own, state: "settled" };
}

/**
 * The reply to a message, or to what was said meanwhile: to a turn, to a task whose report is that reply, or to nobody
 * who heard it, so that it became a message.
 */
function firstReply(id: string, messages: readonly ChatMessage[]): ChatMessage | undefined {
  const ids = [id, ...messages.filter((message) => message.replaces === id).map((message) => message.id)];
  const answer = messages.find(
    ({ role, answers }) => role === "assistant" && answers?.some((answered) => ids.includes(answered)),
  );
  if (answer !== undefined) return answer;
  const settledAt = messages.findIndex((message) => message.id === id && message.meanwhile && !message.pending);
  return settledAt < 0 ? undefined : messages.slice(settledAt).find((message) => message.role === "assistant");
}
