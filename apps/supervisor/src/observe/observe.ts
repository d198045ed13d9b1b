/** The disk as facts for `decide`: the state cache, who is alive, and the outcomes that triggers ask about. */
import type { Attention } from "@mimikit/core/attention/attention";
import type { Ceiling, Spending } from "@mimikit/core/base/budget";
import type { Attempt, Attended, Decision, LastEvaluation, MemoryFacts, Snapshot } from "@mimikit/core/base/snapshot";
import { needsOf } from "@mimikit/core/conditions/index";
import { hasUserWords } from "@mimikit/core/tasks/answer-anew";
import { evaluationId, evaluationNumber, turnId } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import { SELF_IMPROVE } from "@mimikit/protocol/records/improvement";
import { type Result, reportOf } from "@mimikit/protocol/records/result";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { Ledger } from "@mimikit/store/mirror/ledger";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import { type ImproveSettings, improvingOf } from "./improving.ts";
import type { MemoryRecords } from "./memory-watch.ts";
import { closedQuestions } from "./questions.ts";

/** The facts beyond the state directory for decisions. */
export interface World {
  /** The stamps of these paths and globs, texts that change whenever the files do; "" if nothing is there. */
  stampsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Is it known that what is at this path or glob changes, though its stamp is still that of an earlier look? */
  isMoving?(path: string): boolean;
  /** The IANA zone of the server. */
  timeZone: string;
  /** The settings of self-improvement. */
  selfImprove(): ImproveSettings;
  /** The spending, and whether a limit is reached. */
  spending(): { ceiling: Ceiling | null; spentByTrigger(id: string): Spending };
  /** Of the tasks that other machines have, by id, those whose machine has been silent for so long that the owner is asked. */
  silentAway?(away: ReadonlyMap<string, Attempt>): Promise<ReadonlySet<string>>;
  /** The progress of memory: what it holds of the conversation, and what is to go there. */
  memory: { look(records: MemoryRecords): Promise<MemoryFacts> };
}

/**
 * Call after `mirror.refresh()`.
 * @param attention hears of what changes in the state cache. @param nowMs milliseconds since the epoch.
 */
export async function observe(mirror: Mirror, world: World, attention: Attention, nowMs: number): Promise<Snapshot> {
  const { inbox, dropped, links, standing, questions, staleVersions, signals, changes, queue, results, ledger } =
    mirror;
  const attempts = mirror.attemptFacts;
  const isArchived = (id: string) => ledger.has(id);
  const mirrored = { queue, links, standing, results, inbox };
  const outcomes = new Map<string, Report>();
  const attend = () => attention.update({ ...mirrored, attempts, isArchived }, nowMs);
  attend();
  const needs = conditionsIn(attention).map(needsOf);
  const stamps = await world.stampsOf([...new Set(needs.flatMap(({ paths }) => paths))]);
  const isMoving = (path: string) => world.isMoving?.(path) === true;
  const rests = needs.flatMap((each) => each.rests);
  const hasSettled = attention.rests.look(rests, stamps, isMoving, nowMs);
  for (const taskId of new Set(needs.flatMap(({ tasks }) => tasks))) {
    const result = results.get(taskId) ?? (await archivedResult(taskId, mirror));
    if (result !== undefined) outcomes.set(taskId, reportOf(result));
  }
  const decisions = await readDecisions(mirror);
  const heard = new Map<string, ReadonlySet<string>>();
  for (const taskId of new Set([...signals.values()].map((signal) => signal.taskId))) {
    const result = results.get(taskId) ?? (await archivedResult(taskId, mirror));
    if (result !== undefined) heard.set(taskId, new Set(result.steers?.map((steer) => steer.id)));
  }
  const ended = new Map<string, Result>();
  for (const wish of inbox.values()) {
    if (wish.kind !== "again") continue;
    const result = results.get(wish.taskId) ?? (await archivedResult(wish.taskId, mirror));
    if (result !== undefined) ended.set(wish.taskId, result);
  }
  const closed = await closedQuestions(mirror, attention, outcomes);
  const evaluation = await lastEvaluation(mirror);
  const memory = await world.memory.look(mirror);
  const { ceiling, spentByTrigger } = world.spending();
  const answer = await lastAnswer(mirror);
  const silentAway = await silentTasks(mirror, world);
  const improving = await improvingOf(mirror, world.selfImprove(), spentByTrigger(SELF_IMPROVE));
  // Of some names it was found out only now that they are in the archive.
  attend();
  return {
    ...mirrored,
    attention,
    dropped,
    unreadable: mirror.unreadable(),
    staleVersions,
    questions,
    closedQuestion: (id) => closed.get(id),
    stampOf: (path) => stamps.get(path),
    hasSettled,
    timeZone: world.timeZone,
    evaluation,
    memory,
    ceiling,
    spentByTrigger,
    signals,
    changes,
    queuedOf: (...kinds) => mirror.queuedOf(...kinds),
    queuedBy: (triggerId) => mirror.queuedBy(triggerId),
    childrenOf: (parentId) => mirror.childrenOf(parentId),
    attempts,
    silentAway,
    isArchived,
    outcomeOf: (taskId) => outcomes.get(taskId),
    resultOf: (taskId) => ended.get(taskId),
    heardBy: (taskId) => heard.get(taskId),
    decisionOf: (wishId) => decisions.get(wishId),
    lastAnswer: answer,
    settledTurn: ledger.settledTurn,
    improving,
  };
}

const NONE: ReadonlySet<string> = new Set();

async function silentTasks({ unaccounted }: Mirror, world: World): Promise<ReadonlySet<string>> {
  const away = new Map<string, Attempt>();
  for (const [id, attempts] of unaccounted) {
    const last = attempts.at(-1);
    if (last?.pool !== undefined && last.failed === undefined) away.set(id, last);
  }
  return away.size === 0 ? NONE : ((await world.silentAway?.(away)) ?? NONE);
}

/** The conditions of everything that may get what it waits for. */
function conditionsIn({ links, standing }: Attended): Condition[] {
  const conditional = [...standing.values()].flatMap((trigger) => (trigger.type === "conditional" ? [trigger] : []));
  return [...links.values(), ...conditional].map(({ condition }) => condition);
}

/** Batches that are looked back upon to see how many have failed in a row. */
const EVALUATIONS_LOOKED_AT = 5;

/** The last batch of semantic conditions, wherever it is. */
async function lastEvaluation(mirror: Mirror): Promise<LastEvaluation | null> {
  const { queue, results, ledger } = mirror;
  const open = [...mirror.queuedOf("evaluation").map(({ id }) => id), ...results.keys()].map(evaluationNumber);
  const number = Math.max(ledger.highestEvaluation, ...open);
  if (number === 0) return null;
  const known = settledEvaluations.get(ledger);
  if (known?.number === number) return known;
  const id = evaluationId(number);
  const isOpen = !(await ledger.confirm(id));
  const task = queue.get(id) ?? results.get(id)?.task;
  if (isOpen && task !== undefined) return { number, at: task.createdAt, isOpen, failures: 0 };
  let failures = 0;
  let at: string | undefined;
  for (let n = number; n > 0 && n > number - EVALUATIONS_LOOKED_AT; n--) {
    const result = await ledger.readResult(evaluationId(n));
    at ??= result?.completedAt;
    if (result?.status !== "failed") break;
    failures++;
  }
  const last = { number, at: at ?? new Date(0).toISOString(), isOpen: false, failures };
  settledEvaluations.set(ledger, last);
  return last;
}

/** An applied batch never changes: it is read once. */
const settledEvaluations = new WeakMap<Ledger, LastEvaluation>();

/** The decisions about steers and stops that are archived and may not be carried out yet. */
async function readDecisions({ inbox, ledger }: Mirror): Promise<Map<string, Decision>> {
  const decisions = new Map<string, Decision>();
  for (const { id, kind } of inbox.values()) {
    if ((kind !== "steer" && kind !== "stop") || !(await ledger.confirm(id))) continue;
    const record = await ledger.read(id);
    if (record !== null && "wish" in record) decisions.set(id, { taskId: record.taskId ?? null });
  }
  return decisions;
}

/** Turns that are looked back upon for the last one that answers the user: the others only report. */
const REPORTS_LOOKED_BACK_MAX = 200;

/** Read only if a command wants it answered again. */
async function lastAnswer({ inbox, ledger }: Mirror): Promise<Result | null> {
  const isWanted = [...inbox.values()].some(({ kind, id }) => kind === "retry" && !ledger.has(id));
  for (let n = ledger.settledTurn; isWanted && n > Math.max(0, ledger.settledTurn - REPORTS_LOOKED_BACK_MAX); n--) {
    const turn = await ledger.readResult(turnId(n));
    if (turn?.task.turn !== undefined && hasUserWords(turn.task.turn)) return turn;
  }
  return null;
}

/** A task that is in no directory any more may have been archived since; only the disk knows for certain. */
async function archivedResult(taskId: string, { queue, links, ledger }: Mirror) {
  if (queue.has(taskId) && !ledger.has(taskId)) return undefined;
  if (links.has(taskId) && !ledger.has(taskId)) return undefined;
  return (await ledger.confirm(taskId)) ? ((await ledger.readResult(taskId)) ?? undefined) : undefined;
}
