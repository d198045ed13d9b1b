/** The disk as facts for `decide`: the mirror, who is alive, and the outcomes that triggers ask about. */
import type { Ceiling, Spending } from "@mimikit/core/base/budget";
import type { Decision, LastEvaluation, MemoryFacts, Snapshot } from "@mimikit/core/base/snapshot";
import { needsOf } from "@mimikit/core/conditions/index";
import { evaluationId, evaluationNumber } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import { SELF_IMPROVE } from "@mimikit/protocol/records/improvement";
import { reportOf } from "@mimikit/protocol/records/result";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { Ledger } from "@mimikit/store/mirror/ledger";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import { type ImproveSettings, improvingOf } from "./improving.ts";
import { closedQuestions } from "./questions.ts";

/** What decisions need to know of the world beyond the state directory. */
export interface World {
  /** What is at these paths and globs, as texts that change whenever it does; "" where there is nothing. */
  stampsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The IANA zone of the server. */
  timeZone: string;
  /** What the settings say of self-improvement. */
  selfImprove(): ImproveSettings;
  /** What has been spent, and whether that is all that may be. */
  spending(): { ceiling: Ceiling | null; spentByTrigger(id: string): Spending };
  /** What of the conversation is in memory, and what is to go there. */
  memory: { look(records: Pick<Mirror, "queue" | "results" | "ledger">): Promise<MemoryFacts> };
}

/** Call after `mirror.refresh()`. */
export async function observe(mirror: Mirror, world: World): Promise<Snapshot> {
  const { inbox, dropped, links, standing, questions, staleVersions, signals, changes, queue, results, ledger } =
    mirror;
  const outcomes = new Map<string, Report>();
  const needs = conditionsIn(mirror).map(needsOf);
  const stamps = await world.stampsOf([...new Set(needs.flatMap(({ paths }) => paths))]);
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
  const closed = await closedQuestions(mirror, outcomes);
  const evaluation = await lastEvaluation(mirror);
  const memory = await world.memory.look({ queue, results, ledger });
  const { ceiling, spentByTrigger } = world.spending();
  return {
    inbox,
    dropped,
    unreadable: mirror.unreadable(),
    links,
    standing,
    staleVersions,
    questions,
    closedQuestion: (id) => closed.get(id),
    stampOf: (path) => stamps.get(path),
    timeZone: world.timeZone,
    evaluation,
    memory,
    ceiling,
    spentByTrigger,
    signals,
    changes,
    queue,
    attempts: mirror.attemptFacts,
    results,
    isArchived: (id) => ledger.has(id),
    outcomeOf: (taskId) => outcomes.get(taskId),
    heardBy: (taskId) => heard.get(taskId),
    decisionOf: (wishId) => decisions.get(wishId),
    settledTurn: ledger.settledTurn,
    improving: await improvingOf(mirror, world.selfImprove(), spentByTrigger(SELF_IMPROVE)),
  };
}

/** The conditions of everything that waits for one. */
function conditionsIn({ links, standing }: Mirror): Condition[] {
  const conditional = [...standing.values()].flatMap((trigger) => (trigger.type === "conditional" ? [trigger] : []));
  return [...links.values(), ...conditional].map(({ condition }) => condition);
}

/** Batches that are looked back upon to see how many have failed in a row. */
const EVALUATIONS_LOOKED_AT = 5;

/** The last batch of semantic conditions, wherever it is. */
async function lastEvaluation({ queue, results, ledger }: Mirror): Promise<LastEvaluation | null> {
  const open = [...queue.keys(), ...results.keys()].map(evaluationNumber);
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

/** A settled batch never changes: it is read once. */
const settledEvaluations = new WeakMap<Ledger, LastEvaluation>();

/** What was decided about steers and stops that are archived and may not be carried out yet. */
async function readDecisions({ inbox, ledger }: Mirror): Promise<Map<string, Decision>> {
  const decisions = new Map<string, Decision>();
  for (const { id, kind } of inbox.values()) {
    if ((kind !== "steer" && kind !== "stop") || !(await ledger.confirm(id))) continue;
    const record = await ledger.read(id);
    if (record !== null && "wish" in record) decisions.set(id, { taskId: record.taskId ?? null });
  }
  return decisions;
}

/** A task that is in no directory any more may have been archived since; only the disk knows for certain. */
async function archivedResult(taskId: string, { queue, links, ledger }: Mirror) {
  if (queue.has(taskId) && !ledger.has(taskId)) return undefined;
  if (links.has(taskId) && !ledger.has(taskId)) return undefined;
  return (await ledger.confirm(taskId)) ? ((await ledger.readResult(taskId)) ?? undefined) : undefined;
}
