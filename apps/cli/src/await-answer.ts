/** Hands over what the user says and follows what comes of it, over restarts of the gateway, until the answer is complete. */
import type { ChatMessage, QuestionView, ServerFrame, TaskSummary } from "@mimikit/protocol/api";
import { type Client, connect, mayPass } from "./client.ts";
import { findProcesses } from "./instance.ts";
import { follow } from "./live.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { currentPlace } from "./place.ts";

const LOOK_MS = 1_000;
const RETRY_MS = 200;
/** Everything has ended but no report names it: so long after that, none will come. */
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
  /** A task of this answer is new or has changed its state. */
  onTask(task: TaskSummary): void;
  /** A running task, or the Teller's turn, says what it does. */
  onProgress(taskId: string, step: string): void;
  /** Text of a reply as it is being written: lossy, the reply itself follows. */
  onDelta(taskId: string, text: string): void;
}

/**
 * @param handTo hands over what is to be answered and returns its id; it is called again, and must then do it once, when
 * the gateway did not answer.
 * @throws Failure (not running) when no process of the instance lives.
 * @returns the outcome; its state is not `complete` when `signal` ended the wait.
 */
export async function awaitAnswer(
  handTo: (client: Client) => Promise<string>,
  listener: Listener,
  signal: AbortSignal,
): Promise<Outcome & { id: string; questions: QuestionView[] }> {
  await assertSomethingRuns();
  let outcome: Outcome = { replies: [], tasks: [], state: "waiting" };
  let questions: QuestionView[] = [];
  const waker = createWaker(signal);
  const isOwn = (taskId: string) => outcome.state === "waiting" || outcome.tasks.some((task) => task.id === taskId);
  const connection = follow((frame: ServerFrame) => {
    if (frame.type === "delta") listener.onDelta(frame.taskId, frame.text);
    else if (frame.type === "progress") isOwn(frame.taskId) && listener.onProgress(frame.taskId, frame.step);
    else if (HEARD.has(frame.type)) waker.wake();
  });
  try {
    const id = await persistently(handTo, signal);
    if (id === null) return { ...outcome, id: "", questions };
    const shown = new Map<string, string>();
    let settledAtMs: number | undefined;
    while (!signal.aborted) {
      const next = await persistently((client) => lookFor(client, id), signal);
      if (next === null) break;
      outcome = next;
      questions = next.questions;
      for (const notice of next.notices) {
        if (!shown.has(notice.id)) listener.onNotice(notice);
        shown.set(notice.id, "");
      }
      for (const task of outcome.tasks) {
        if (shown.get(task.id) !== task.state) listener.onTask(task);
        shown.set(task.id, task.state);
      }
      for (const question of questions) {
        if (!shown.has(question.id)) listener.onQuestion(question);
        shown.set(question.id, "");
      }
      for (const reply of outcome.replies) {
        if (!shown.has(reply.id)) listener.onReply(reply);
        shown.set(reply.id, "");
      }
      if (outcome.state === "complete") break;
      settledAtMs = outcome.state === "settled" ? (settledAtMs ?? performance.now()) : undefined;
      if (settledAtMs !== undefined && performance.now() - settledAtMs > SETTLED_MS_MAX) {
        outcome = { ...outcome, state: "complete" };
        break;
      }
      await waker.rest(LOOK_MS);
    }
    return { ...outcome, id, questions };
  } finally {
    connection.close();
  }
}

/** A gateway that is just being restarted is worth waiting for; where nothing runs, nobody will restart it. */
async function assertSomethingRuns(): Promise<void> {
  if ((await findProcesses(currentPlace().home)).length === 0) connect();
}

/** Messages first: a task that a message names is there by the time the tasks are read. */
async function lookFor(
  client: Client,
  id: string,
): Promise<Outcome & { notices: ChatMessage[]; questions: QuestionView[] }> {
  const messages = await client.messages();
  const outcome = outcomeOf(id, messages, await client.tasks());
  const questions = (await client.questions()).filter((question) => belongsTo(question, outcome));
  return { ...outcome, notices: noticesIn(messages), questions };
}

/** What a turn or its work asks is named after it. */
function belongsTo({ id }: QuestionView, { replies }: Outcome): boolean {
  return replies.some((reply) => id.startsWith(`${reply.id.replace(/\.reply$/, "")}.`));
}

/** What the system has said since the last reply: with the reply that it holds up it is over. A notification holds up nothing. */
function noticesIn(messages: readonly ChatMessage[]): ChatMessage[] {
  const since = messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1);
  return since.filter(
    ({ role, marker, notification }) => role === "system" && marker === undefined && notification === undefined,
  );
}

/** Asks until there is an answer: the gateway may be restarting, perhaps at another address. null when `signal` ended it. */
async function persistently<T>(ask: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await ask(connect());
    } catch (error) {
      if (!mayPass(error)) throw error;
      await createWaker(signal).rest(RETRY_MS);
    }
  }
  return null;
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
