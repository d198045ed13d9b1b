/**
 * How far the answer to one message has come. A pure look at messages and tasks: the first reply may only announce work;
 * the answer is complete when everything that it started has ended and was reported (SPEC C8).
 */
import type { ChatMessage, QuestionView, TaskSummary } from "@mimikit/protocol/wire/api";

export interface MessageOutcome {
  /** The replies so far, oldest first: the one to the message, then reports of what it started. */
  replies: ChatMessage[];
  /** The tasks that the message has started, oldest first. */
  tasks: TaskSummary[];
  /** The open questions of the answer, or of its work. */
  questions: QuestionView[];
  /**
   * `waiting`: no reply yet. `working`: something goes on by itself. `asking`: only an answer of the user's goes on with it.
   * `settled`: nothing goes on by itself, but not all that has ended is reported yet. `complete`: nothing more will come.
   */
  state: "waiting" | "working" | "asking" | "settled" | "complete";
}

const OPEN: ReadonlySet<TaskSummary["state"]> = new Set(["waiting", "queued", "running"]);

export function isOpen({ state }: TaskSummary): boolean {
  return OPEN.has(state);
}

/**
 * @param messageId the message that was sent, or what was said meanwhile.
 * @param messages the conversation, oldest first.
 * @param tasks every task that is known, in any order.
 * @param questions every open question.
 */
export function outcomeOf(
  messageId: string,
  messages: readonly ChatMessage[],
  tasks: readonly TaskSummary[],
  questions: readonly QuestionView[] = [],
): MessageOutcome {
  const first = firstReply(messageId, messages);
  if (first === undefined) return { replies: [], tasks: [], questions: [], state: "waiting" };
  const turn = turnOf(first);
  const isOwn = (id: string) => id.startsWith(`${turn}.`);
  const started = (first.taskIds ?? []).filter(isOwn);
  const own = tasks.filter((task) => isOwn(task.id)).reverse();
  const reports = messages.filter(
    (message) => message !== first && message.role === "assistant" && message.taskIds?.some(isOwn),
  );
  const replies = [first, ...reports];
  // A question of a turn, or of its work, is named after it.
  const asked = questions.filter(({ id }) => replies.some((reply) => id.startsWith(`${turnOf(reply)}.`)));
  const answer = { replies, tasks: own, questions: asked };

  // A dependent task waits for the task before it, whose failure is asked about.
  const isHeld = ({ id, state }: TaskSummary) => state === "waiting" || asked.some(({ taskId }) => taskId === id);
  const open = own.filter(isOpen);
  if (open.length > 0 && (asked.length === 0 || !open.every(isHeld))) return { ...answer, state: "working" };
  const reported = reports.flatMap((report) => report.taskIds ?? []);
  const isReported = (id: string) => reported.some((other) => other === id || other.startsWith(`${id}.`));
  // A failure is reported at once, the rest when nothing is open any more.
  if (open.length > 0) {
    const isKnown = own.every((task) => task.state !== "failed" || isReported(task.id));
    return { ...answer, state: isKnown ? "asking" : "settled" };
  }
  // A plan is reported through its tasks, and a cancelled one may not be reported at all.
  const unreported = own.filter((task) => task.state !== "cancelled" && !isReported(task.id));
  if (unreported.length === 0 && started.every((id) => isReported(id) || own.some((task) => task.id === id))) {
    return { ...answer, state: "complete" };
  }
  // Nothing is open, but not all of it is named in a report (yet): the next turn may be about to begin.
  return { ...answer, state: "settled" };
}

/** The id of the turn that a reply was given in. */
export function turnOf({ id }: Pick<ChatMessage, "id">): string {
  return id.replace(/\.reply$/, "");
}

/** The reply to a message, or to a steering message: to a turn, to a task whose report is that reply, or to no run, so that it became a message. */
function firstReply(id: string, messages: readonly ChatMessage[]): ChatMessage | undefined {
  const ids = [id, ...messages.filter((message) => message.replaces === id).map((message) => message.id)];
  const answer = messages.find(
    ({ role, answers }) => role === "assistant" && answers?.some((answered) => ids.includes(answered)),
  );
  if (answer !== undefined) return answer;
  const settledAt = messages.findIndex((message) => message.id === id && message.meanwhile && !message.pending);
  return settledAt < 0 ? undefined : messages.slice(settledAt).find((message) => message.role === "assistant");
}
