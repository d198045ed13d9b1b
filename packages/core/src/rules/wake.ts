/**
 * The Teller is woken when something waits for it and no turn is open. A plan is reported once, when nothing of it is
 * open any more; what failed, or needs an answer, is reported at once (SPEC C8). Where a budget is used up, only what the
 * user says wakes it; the rest waits, or comes along (SPEC N2).
 */
import { ancestorsOf, compareTaskIds, rootOf, turnId } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import { isSameVia } from "@mimikit/protocol/channels/via";
import type { ClearCommand, Event, Message, RetryCommand } from "@mimikit/protocol/records/inbox";
import { type Result, reportOf } from "@mimikit/protocol/records/result";
import { blankTask, type TurnInput } from "@mimikit/protocol/records/task";
import type { Action } from "../base/action.ts";
import { highestTurn, openDependents, openResults, openTasks, type Snapshot } from "../base/snapshot.ts";
import { titleOf } from "../base/title.ts";
import { inputAgain, retryRefusal } from "../tasks/answer-anew.ts";
import { heldAnswers, waitsForMessage } from "./answer-in-words.ts";
import { isSettledAtOnce } from "./settle.ts";

/** More waits for the next turn. */
export const TURN_ITEMS_MAX = 20;
/** Characters of what a turn answers, as JSON: its record, and that of its result, stay far below RECORD_BYTES_MAX. */
export const TURN_CHARS_MAX = 400_000;
const TURN_PRIORITY = 10;

export function wake(snapshot: Snapshot, nowMs: number): Action[] {
  const number = highestTurn(snapshot);
  if (number > snapshot.settledTurn) return [];
  const { said, events } = pendingOf(snapshot);
  const results = reportableResults(snapshot);
  const warning = events.find(({ name }) => name === "budget");
  const isHeldBack = snapshot.ceiling !== null && said.length === 0 && !events.some(isAnswer);
  if (warning === undefined && (isHeldBack || said.length + events.length + results.length === 0)) return [];
  // No pool runs the turn that reports it, so the turn takes nothing else along.
  const turn =
    warning === undefined
      ? inputOf(said, results.map(reportOf), events, snapshot.lastAnswer)
      : { ...NOTHING, events: [warning] };
  const id = turnId(number + 1);
  const origin = turn.results[0]?.id ?? turn.events[0]?.id;
  const triggerId = triggerOf(turn, snapshot);
  const triggerDepth = depthOf(turn, snapshot);
  const traceId = turn.messages.length > 0 || origin === undefined ? id : rootOf(origin);
  const ownOrders = ownOrdersBefore(turn, traceId, snapshot);
  return [
    {
      type: "wake",
      turn: {
        ...blankTask(warning === undefined && turn.clear === undefined ? "turn" : "announcement"),
        id,
        title: titleOfTurn(turn),
        prompt: "",
        priority: TURN_PRIORITY,
        createdAt: new Date(nowMs).toISOString(),
        traceId,
        ...(triggerId !== undefined && { triggerId }),
        ...(triggerDepth > 0 && { triggerDepth }),
        ...(ownOrders > 0 && { ownOrders }),
        turn,
      },
    },
  ];
}

const NOTHING: TurnInput = { messages: [], events: [], results: [] };

/** The user's word, though no message. */
function isAnswer({ name }: Event): boolean {
  return name === "question_answered";
}

/** The trigger that a turn is about, if it is about nothing else: what it costs is the trigger's. */
function triggerOf({ messages, events, results }: TurnInput, snapshot: Snapshot): string | undefined {
  const [first, ...others] = [
    ...results.map(({ id }) => snapshot.results.get(id)?.task.triggerId),
    ...events.map(({ data }) => data.triggerId),
  ];
  return messages.length === 0 && others.every((each) => each === first) ? first : undefined;
}

/** How many triggers stand over what this turn starts (SPEC D8). A user's message starts at zero. */
function depthOf({ messages, events, results }: TurnInput, snapshot: Snapshot): number {
  if (messages.length > 0) return 0;
  const reported = results.map(({ id }) => snapshot.results.get(id)?.task.triggerDepth ?? 0);
  const told = events.map(({ data }) => data.triggerDepth ?? 0);
  return Math.max(0, ...reported, ...told);
}

/**
 * The number of the next plan that this turn makes without a word of the owner; 0 where the owner has spoken, or agreed to go on. Open
 * tasks of the same request count, so that plans side by side are one row.
 */
function ownOrdersBefore({ messages, events, results, again }: TurnInput, traceId: string, snapshot: Snapshot): number {
  if (messages.length > 0 || again !== undefined || events.some(isAnswer)) return 0;
  const reported = results.flatMap(({ id }) => snapshot.results.get(id)?.task ?? []);
  const open = [...snapshot.queue.values()].filter((task) => task.traceId === traceId);
  return 1 + Math.max(0, ...[...reported, ...open].map(({ ownOrders = 0 }) => ownOrders));
}

function titleOfTurn({ clear, messages, results, events }: TurnInput): string {
  if (clear !== undefined) return "new conversation";
  return titleOf(messages[0]?.text ?? results[0]?.title ?? events[0]?.text ?? "");
}

type Spoken = Message | ClearCommand | RetryCommand;

/** The Teller's pending messages and events in inbox/, oldest first. */
function pendingOf(snapshot: Snapshot): { said: Spoken[]; events: Event[] } {
  const said: Spoken[] = [];
  const events: Event[] = [];
  const held = heldAnswers(snapshot);
  for (const command of snapshot.inbox.values()) {
    if (snapshot.isArchived(command.id) || held.has(command.id)) continue;
    if (command.kind === "message" || command.kind === "clear") said.push(command);
    if (command.kind === "retry" && retryRefusal(command, snapshot) === null) said.push(command);
    if (command.kind === "event") events.push(command);
  }
  return { said: said.sort(byTime), events: events.sort(byTime) };
}

function byTime(a: { at: string; id: string }, b: { at: string; id: string }): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1;
}

/**
 * The input of the next turn: everything pending, up to the first thing that has a turn of its own (a command to start a
 * new conversation or to answer again, or a message that asks for one), and up to the first message from another
 * channel, because the reply goes back to where it was asked for.
 */
function inputOf(said: Spoken[], reports: Report[], events: Event[], lastAnswer: Result | null): TurnInput {
  const [first] = said;
  if (first?.kind === "retry" && lastAnswer !== null) return inputAgain(first, lastAnswer);
  if (first?.kind === "clear") return { ...NOTHING, clear: first };
  if (first?.kind === "message" && first.mode === "next") return { ...NOTHING, messages: [first] };
  const isOfThisTurn = (each: Spoken) =>
    each.kind === "message" && each.mode !== "next" && first?.kind === "message" && isSameVia(each.via, first.via);
  const end = said.findIndex((each) => !isOfThisTurn(each));
  const messages = (end < 0 ? said : said.slice(0, end)).filter((each) => each.kind === "message");
  const room = { items: TURN_ITEMS_MAX, chars: TURN_CHARS_MAX };
  const taken = fitting(messages, room);
  return {
    messages: taken,
    results: fittingPlans(reports, room),
    events: fitting(
      events.filter((event) => !waitsForMessage(event, said, taken)),
      room,
    ),
  };
}

/** The room that a turn still has. */
interface Room {
  items: number;
  chars: number;
}

/** As many as there is room for, in their order; the first item of a turn always has room. */
function fitting<T>(items: readonly T[], room: Room): T[] {
  const taken: T[] = [];
  for (const item of items) {
    const { length } = JSON.stringify(item);
    const isFirst = room.items === TURN_ITEMS_MAX;
    if (!isFirst && (room.items === 0 || length > room.chars)) break;
    room.items--;
    room.chars -= length;
    taken.push(item);
  }
  return taken;
}

/** A plan is reported in one turn (SPEC C8): one that does not fit any more waits, unless no turn has room for all of it. */
function fittingPlans(reports: readonly Report[], room: Room): Report[] {
  const plans = Map.groupBy(reports, ({ id }) => ancestorsOf(id)[0] ?? id);
  const taken: Report[] = [];
  for (const plan of plans.values()) {
    const isFirst = room.items === TURN_ITEMS_MAX;
    const fits = fitting(plan, { ...room });
    if (fits.length < plan.length && !isFirst) break;
    taken.push(...fitting(plan, room));
  }
  return taken;
}

/** The results that have ended and are to be reported now, in the order of the tasks. */
export function reportableResults(snapshot: Snapshot): Result[] {
  const over = new Map<string, boolean>();
  const isOver = (plan: string) => {
    const known = over.get(plan) ?? isPlanOver(plan, snapshot);
    over.set(plan, known);
    return known;
  };
  return openResults(snapshot)
    .filter((result) => !isSettledAtOnce(result) && isReportable(result, isOver))
    .sort((a, b) => compareTaskIds(a.id, b.id));
}

/** Is a plan applied, and nothing of it open any more? */
function isPlanOver(plan: string, snapshot: Snapshot): boolean {
  const { tasks, dependents } = snapshot.childrenOf(plan);
  return (
    snapshot.isArchived(plan) && openTasks(snapshot, tasks).length + openDependents(snapshot, dependents).length === 0
  );
}

function isReportable(result: Result, isOver: (plan: string) => boolean): boolean {
  // A cancelled or never started task is not urgent news: a chain that ends would be reported step by step.
  if (result.status !== "done" && result.failureReason !== "cancelled") return true;
  const plan = result.task.parentId;
  return plan === undefined || isOver(plan);
}
