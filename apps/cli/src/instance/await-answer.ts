/** Hands over what the user says and follows what comes of it, with or without a gateway, until the answer is complete. */
import type { ChatMessage, QuestionView, ServerFrame, TaskSummary } from "@mimikit/protocol/wire/api";
import { currentPlace } from "../io/place.ts";
import { assertSomethingRuns } from "./client.ts";
import { follow } from "./live.ts";
import { isOpen, type MessageOutcome, outcomeOf } from "./outcome.ts";
import { readState } from "./read-state.ts";

const LOOK_MS = 1_000;
/** Everything has ended, no turn is open, and no report names it: so long after that, none will come. */
const SETTLED_MS_MAX = 5_000;
/** Frames after which it is worth looking again. */
const HEARD: ReadonlySet<ServerFrame["type"]> = new Set(["message", "task", "question", "snapshot"]);

export interface Listener {
  /** Each reply once, in order. The last one is the final answer when `awaitAnswer` resolves. */
  onReply(reply: ChatMessage): void;
  /** Why the answer takes its time: the system says so once, and the wait goes on. */
  onNotice(notice: ChatMessage): void;
  /** The answer, or work of it, asks something. */
  onQuestion(question: QuestionView): void;
  /** It is no longer open: it was answered, here or elsewhere, or its time is over. */
  onQuestionOver?(question: QuestionView): void;
  /** A task of this answer is new or has changed its state. */
  onTask(task: TaskSummary): void;
  /** A running task, or the Teller's turn, says what it does. */
  onProgress(taskId: string, step: string): void;
}

interface Patience {
  /** Ends the wait. */
  signal: AbortSignal;
  /** Is there a user who may answer questions meanwhile? Without one, there is nothing to wait for. */
  isAttended: boolean;
}

/**
 * @param hand hands over what is to be answered, and returns its id.
 * @throws Failure (not running) when no process of the instance lives.
 * @returns the outcome: `complete`, `asking` where only an answer goes on with it, or as it was when `signal` ended the wait.
 */
export async function awaitAnswer(
  hand: () => Promise<string>,
  listener: Listener,
  { signal, isAttended }: Patience,
): Promise<MessageOutcome & { id: string }> {
  await assertSomethingRuns(currentPlace().home);
  let outcome: MessageOutcome = { replies: [], tasks: [], questions: [], state: "waiting" };
  const waker = createWaker(signal);
  const isOwn = (taskId: string) => outcome.state === "waiting" || outcome.tasks.some((task) => task.id === taskId);
  const connection = follow((frame: ServerFrame) => {
    if (frame.type === "progress" && isOwn(frame.taskId)) listener.onProgress(frame.taskId, frame.step);
    else if (HEARD.has(frame.type)) waker.wake();
  });
  try {
    const id = await hand();
    const shown = new Map<string, string>();
    let asked: readonly QuestionView[] = [];
    let settledAtMs: number | undefined;
    while (!signal.aborted) {
      const { messages, tasks, questions, isTurnOpen } = await readState();
      outcome = outcomeOf(id, messages, tasks, questions);
      for (const notice of noticesIn(messages)) {
        if (!shown.has(notice.id)) listener.onNotice(notice);
        shown.set(notice.id, "");
      }
      for (const task of outcome.tasks) {
        if (shown.get(task.id) !== task.state) listener.onTask(task);
        shown.set(task.id, task.state);
      }
      for (const reply of outcome.replies) {
        if (!shown.has(reply.id)) listener.onReply(reply);
        shown.set(reply.id, "");
      }
      const { questions: open } = outcome;
      for (const question of asked) if (!open.some(({ id }) => id === question.id)) listener.onQuestionOver?.(question);
      asked = open;
      for (const question of open) {
        if (!shown.has(question.id)) listener.onQuestion(question);
        shown.set(question.id, "");
      }
      settledAtMs = outcome.state === "settled" && !isTurnOpen ? (settledAtMs ?? performance.now()) : undefined;
      if (settledAtMs !== undefined && performance.now() - settledAtMs > SETTLED_MS_MAX)
        outcome = { ...outcome, state: outcome.tasks.some(isOpen) ? "asking" : "complete" };
      if (outcome.state === "complete" || (outcome.state === "asking" && !isAttended)) break;
      await waker.rest(LOOK_MS);
    }
    return { ...outcome, id };
  } finally {
    connection.close();
  }
}

/** The notices of the system since the last reply: with the reply that one holds up it is over. A notification holds up nothing. */
function noticesIn(messages: readonly ChatMessage[]): ChatMessage[] {
  const since = messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1);
  return since.filter(
    ({ role, marker, notification }) => role === "system" && marker === undefined && notification === undefined,
  );
}

/** A rest that a nudge or the signal ends; a nudge that comes before the rest makes it short. */
function createWaker(signal: AbortSignal) {
  let nudged = false;
  let end: (() => void) | undefined;
  return {
    wake() {
      nudged = true;
      end?.();
    },
    rest(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          end = undefined;
          nudged = false;
          resolve();
        };
        const timer = setTimeout(finish, nudged ? 0 : ms);
        end = finish;
        signal.addEventListener("abort", finish);
        if (signal.aborted) finish();
      });
    },
  };
}
