/** The disk as facts for `decide`: the state cache, who is alive, and the outcomes that triggers ask about. */
import type { Attention } from "@mimikit/core/attention/attention";
import type { Ceiling, Spending } from "@mimikit/core/base/budget";
import type {
  AttemptFacts,
  Attended,
  LastEvaluation,
  MemoryFacts,
  Snapshot,
  SteeringDecision,
} from "@mimikit/core/base/snapshot";
import { needsOf } from "@mimikit/core/conditions/index";
import { hasUserWords } from "@mimikit/core/tasks/answer-anew";
import { evaluationId, evaluationNumber, turnId } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import { SELF_IMPROVE } from "@mimikit/protocol/records/improvement";
import { type Result, reportOf } from "@mimikit/protocol/records/result";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { type ImproveSettings, improvingOf } from "./improving.ts";
import type { MemoryRecords } from "./memory-watch.ts";
import { closedQuestions, talkAroundQuestions } from "./questions.ts";

/** The default of `ownOrdersMax`. */
const OWN_ORDERS = 10;

/** The facts beyond the state directory for decisions. */
export interface OutsideFacts {
  /** The stamps of these paths and globs, texts that change whenever the files do; "" if nothing is there. */
  stampsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The files of this path or glob that changed after a moment, newest first; of the last call of `stampsOf`. */
  changedSince?(path: string, sinceMs: number): readonly string[];
  /** Is it known that what is at this path or glob changes, though its stamp is still that of an earlier look? */
  isMoving?(path: string): boolean;
  /** The IANA zone of the server. */
  timeZone: string;
  /** The settings of self-improvement. */
  selfImprove(): ImproveSettings;
  /** How many plans one after the other may come of reports alone; OWN_ORDERS where not given. */
  ownOrdersMax?(): number;
  /** The spending, and whether a limit is reached. */
  spending(): { ceiling: Ceiling | null; spentByTrigger(id: string): Spending };
  /** Of the tasks that other machines have, by id, those whose machine has been silent for so long that the owner is asked. */
  silentAway?(away: ReadonlyMap<string, AttemptFacts>): Promise<ReadonlySet<string>>;
  /** The progress of memory: what it holds of the conversation, and what is to go there. */
  memory: { look(records: MemoryRecords): Promise<MemoryFacts> };
}

/**
 * Call after `cache.refresh()`.
 * @param attention hears of what changes in the state cache. @param nowMs milliseconds since the epoch.
 */
export async function observe(
  cache: StateCache,
  world: OutsideFacts,
  attention: Attention,
  nowMs: number,
): Promise<Snapshot> {
  const {
    inbox,
    dropped,
    dependents,
    triggers,
    questions,
    staleVersions,
    signals,
    changes,
    queue,
    results,
    archiveIndex,
  } = cache;
  const attempts = cache.attemptFacts;
  const isArchived = (id: string) => archiveIndex.has(id);
  const cached = { queue, dependents, triggers, results, inbox };
  const outcomes = new Map<string, Report>();
  const attend = () => attention.update({ ...cached, attempts, isArchived }, nowMs);
  attend();
  const needs = conditionsIn(attention).map(needsOf);
  const stamps = await world.stampsOf([...new Set(needs.flatMap(({ paths }) => paths))]);
  const isMoving = (path: string) => world.isMoving?.(path) === true;
  const rests = needs.flatMap((each) => each.rests);
  const hasSettled = attention.rests.look(rests, stamps, isMoving, nowMs);
  for (const taskId of new Set(needs.flatMap(({ tasks }) => tasks))) {
    const result = await resultOf(taskId, cache);
    if (result !== null) outcomes.set(taskId, reportOf(result));
  }
  const decisions = await readDecisions(cache);
  const heard = new Map<string, ReadonlySet<string>>();
  for (const taskId of new Set([...signals.values()].map((signal) => signal.taskId))) {
    const result = await resultOf(taskId, cache);
    if (result !== null) heard.set(taskId, new Set(result.steers?.map((steer) => steer.id)));
  }
  const ended = new Map<string, Result>();
  for (const command of inbox.values()) {
    if (command.kind !== "again") continue;
    const result = await resultOf(command.taskId, cache);
    if (result !== null) ended.set(command.taskId, result);
  }
  const closed = await closedQuestions(cache, attention, outcomes);
  const talk = await talkAroundQuestions(cache);
  const evaluation = await lastEvaluation(cache);
  const memory = await world.memory.look(cache);
  const { ceiling, spentByTrigger } = world.spending();
  const answer = await lastAnswer(cache);
  const silentAway = await silentTasks(cache, world);
  const improving = await improvingOf(cache, world.selfImprove(), spentByTrigger(SELF_IMPROVE));
  // Of some names it was found out only now that they are in the archive.
  attend();
  return {
    ...cached,
    attention,
    dropped,
    unreadable: cache.unreadable(),
    staleVersions,
    questions,
    closedQuestion: (id) => closed.get(id),
    talkAround: (id) => talk.get(id),
    stampOf: (path) => stamps.get(path),
    changedSince: (path, sinceMs) => world.changedSince?.(path, sinceMs) ?? [],
    hasSettled,
    timeZone: world.timeZone,
    evaluation,
    memory,
    ceiling,
    ownOrdersMax: world.ownOrdersMax?.() ?? OWN_ORDERS,
    spentByTrigger,
    signals,
    changes,
    queuedOf: (...kinds) => cache.queuedOf(...kinds),
    queuedBy: (triggerId) => cache.queuedBy(triggerId),
    childrenOf: (parentId) => cache.childrenOf(parentId),
    attempts,
    silentAway,
    isArchived,
    outcomeOf: (taskId) => outcomes.get(taskId),
    resultOf: (taskId) => ended.get(taskId),
    heardBy: (taskId) => heard.get(taskId),
    decisionOf: (commandId) => decisions.get(commandId),
    lastAnswer: answer,
    settledTurn: archiveIndex.settledTurn,
    improving,
  };
}

const NONE: ReadonlySet<string> = new Set();

async function silentTasks({ unaccounted }: StateCache, world: OutsideFacts): Promise<ReadonlySet<string>> {
  const away = new Map<string, AttemptFacts>();
  for (const [id, attempts] of unaccounted) {
    const last = attempts.at(-1);
    if (last?.pool !== undefined && last.failed === undefined) away.set(id, last);
  }
  return away.size === 0 ? NONE : ((await world.silentAway?.(away)) ?? NONE);
}

/** The conditions of everything that may get what it waits for. */
function conditionsIn({ dependents, triggers }: Attended): Condition[] {
  const conditional = [...triggers.values()].flatMap((trigger) => (trigger.type === "conditional" ? [trigger] : []));
  return [...dependents.values(), ...conditional].map(({ condition }) => condition);
}

/** Batches that are looked back upon to see how many have failed in a row. */
const EVALUATIONS_LOOKED_AT = 5;

/** The last batch of semantic conditions, wherever it is. */
async function lastEvaluation(cache: StateCache): Promise<LastEvaluation | null> {
  const { queue, results, archiveIndex } = cache;
  const open = [...cache.queuedOf("evaluation").map(({ id }) => id), ...results.keys()].map(evaluationNumber);
  const number = Math.max(archiveIndex.highestEvaluation, ...open);
  if (number === 0) return null;
  const known = settledEvaluations.get(archiveIndex);
  if (known?.number === number) return known;
  const id = evaluationId(number);
  const isOpen = !(await archiveIndex.confirm(id));
  const task = queue.get(id) ?? results.get(id)?.task;
  if (isOpen && task !== undefined) return { number, at: task.createdAt, isOpen, failures: 0 };
  let failures = 0;
  let at: string | undefined;
  for (let n = number; n > 0 && n > number - EVALUATIONS_LOOKED_AT; n--) {
    const result = await archiveIndex.readResult(evaluationId(n));
    at ??= result?.completedAt;
    if (result?.status !== "failed") break;
    failures++;
  }
  const last = { number, at: at ?? new Date(0).toISOString(), isOpen: false, failures };
  settledEvaluations.set(archiveIndex, last);
  return last;
}

/** An applied batch never changes: it is read once. */
const settledEvaluations = new WeakMap<ArchiveIndex, LastEvaluation>();

/** The decisions about steers and stops that are archived and may not be carried out yet. */
async function readDecisions({ inbox, archiveIndex }: StateCache): Promise<Map<string, SteeringDecision>> {
  const decisions = new Map<string, SteeringDecision>();
  for (const { id, kind } of inbox.values()) {
    if ((kind !== "steer" && kind !== "stop") || !(await archiveIndex.confirm(id))) continue;
    const record = await archiveIndex.read(id);
    if (record !== null && "wish" in record) decisions.set(id, { taskId: record.taskId ?? null });
  }
  return decisions;
}

/** Turns that are looked back upon for the last one that answers the user: the others only report. */
const REPORTS_LOOKED_BACK_MAX = 200;

/** Read only if a command wants it answered again. */
async function lastAnswer({ inbox, archiveIndex }: StateCache): Promise<Result | null> {
  const isWanted = [...inbox.values()].some(({ kind, id }) => kind === "retry" && !archiveIndex.has(id));
  for (
    let n = archiveIndex.settledTurn;
    isWanted && n > Math.max(0, archiveIndex.settledTurn - REPORTS_LOOKED_BACK_MAX);
    n--
  ) {
    const turn = await archiveIndex.readResult(turnId(n));
    if (turn?.task.turn !== undefined && hasUserWords(turn.task.turn)) return turn;
  }
  return null;
}

/** A task that is in no directory any more may have been archived since; only the disk knows for certain. */
async function resultOf(taskId: string, cache: StateCache): Promise<Result | null> {
  const { queue, dependents, results, archiveIndex } = cache;
  const isOpen = (queue.has(taskId) || dependents.has(taskId)) && !results.has(taskId) && !archiveIndex.has(taskId);
  return isOpen ? null : cache.resultOf(taskId);
}
