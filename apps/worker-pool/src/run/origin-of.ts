/** The user's words that work is about: all that was said since the first message of its job. */
import { messagesOf } from "@mimikit/core/views/history";
import { rootOf, turnId, turnNumber } from "@mimikit/protocol/base/id";
import type { Message } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";

/** Turns of one job that are read. */
const JOB_TURNS_MAX = 50;
/** Turns before the last one of a job that may have said something for it. */
const TURNS_BETWEEN_MAX = 20;

/**
 * The messages of the turns of a job: of the one that it began in, and of those that its results, questions and answers led to. Between
 * them, also those of turns that started no work: they may add to this one. A turn may not be archived yet.
 */
export async function originOf({ id, traceId, triggerId }: Task, cache: StateCache): Promise<Message[]> {
  const turns = new Map<number, Result>();
  const waiting = [traceId, rootOf(id)];
  for (let next = waiting.pop(); next !== undefined && turns.size < JOB_TURNS_MAX; next = waiting.pop()) {
    const number = turnNumber(next);
    if (number === 0 || turns.has(number)) continue;
    const turn = await cache.resultOf(next);
    if (turn === null) continue;
    turns.set(number, turn);
    waiting.push(...causesOf(turn).filter((cause) => turnNumber(cause) < number));
  }
  // A trigger fires long after the turn that made it: what is said meanwhile is not for it.
  if (triggerId === undefined) for (const [number, turn] of await turnsBetween(turns, cache)) turns.set(number, turn);
  const spoken = [...turns].sort(([a], [b]) => a - b).flatMap(([, turn]) => spokenIn(turn));
  return [...new Map(spoken.map((message) => [message.id, message])).values()];
}

/** The turns that a turn follows from. */
function causesOf({ task: { traceId, turn } }: Result): string[] {
  const { results = [], events = [] } = turn ?? {};
  const ids = [
    ...results.map((report) => report.id),
    ...events.flatMap(({ data }) => {
      const { questionId, about, triggerId } = data as Record<string, unknown>;
      const aboutId = typeof about === "object" && about !== null && "id" in about ? about.id : undefined;
      return [questionId, aboutId, triggerId].filter((id) => typeof id === "string");
    }),
  ];
  return [traceId, ...ids.map(rootOf)];
}

async function turnsBetween(job: ReadonlyMap<number, Result>, cache: StateCache): Promise<[number, Result][]> {
  const first = Math.min(...job.keys());
  const last = Math.max(...job.keys());
  const between: [number, Result][] = [];
  for (let n = last - 1; n > Math.max(first, last - 1 - TURNS_BETWEEN_MAX); n--) {
    if (job.has(n)) continue;
    const turn = await cache.resultOf(turnId(n));
    if (turn?.task.turn?.clear !== undefined) break;
    if (turn !== null && !turn.effects.some(({ type }) => type === "delegate" || type === "schedule"))
      between.push([n, turn]);
  }
  return between;
}

/** The user's messages, answers and steering messages of a turn. */
function spokenIn(turn: Result): Message[] {
  const { messages = [] } = turn.task.turn ?? {};
  const shown = messagesOf(turn).filter(({ role }) => role === "user");
  const others = shown.filter(({ id }) => !messages.some((message) => message.id === id));
  return [
    ...messages.map((message) => {
      const { text = message.text, quote } = shown.find(({ id }) => id === message.id) ?? {};
      return { ...message, text, ...(quote !== undefined && { quote }) };
    }),
    ...others.map(({ id, at, text, quote }) => ({
      kind: "message" as const,
      id,
      at,
      text,
      ...(quote !== undefined && { quote }),
    })),
  ];
}
