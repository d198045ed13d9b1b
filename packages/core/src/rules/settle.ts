/**
 * A result's effects become records, each under its derived id; then the result itself is history
 * (docs/file-protocol.md#the-life-of-a-message step 5).
 */

import { childId, evaluationNumber, improvementId, resultSummaryId } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import { Report } from "@mimikit/protocol/base/report";
import type { ResultSummary } from "@mimikit/protocol/records/archive";
import type { EffectOf } from "@mimikit/protocol/records/effect";
import type { Event, InboxCommand } from "@mimikit/protocol/records/inbox";
import { entryName } from "@mimikit/protocol/records/memory-entry";
import {
  ANSWER_CHARS_MAX,
  QUESTION_TIMEOUT_SEC,
  QUESTIONS_MAX,
  type Question,
} from "@mimikit/protocol/records/question";
import { RESULT_SCHEMAS, type Result, reportOf, Verdicts } from "@mimikit/protocol/records/result";
import { blankTask, isTurn, PRIORITY_DEFAULT, type Task } from "@mimikit/protocol/records/task";
import {
  type ConditionEvidence,
  NO_DECISION,
  NO_EVIDENCE,
  type Trigger,
  type TriggerRecord,
} from "@mimikit/protocol/records/trigger";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { leavesOf } from "@mimikit/protocol/triggers/condition";
import { TRIGGER_DEPTH_MAX, TRIGGERS_MAX } from "@mimikit/protocol/triggers/trigger-order";
import type { Action, DocumentEdit, Settlement } from "../base/action.ts";
import { forgettingEntry, forgettingSaid } from "../base/forget.ts";
import { isCancelled, openResults, openTriggers, type Snapshot } from "../base/snapshot.ts";
import { titleOf } from "../base/title.ts";
import { droppedBy } from "../memory/roll-up.ts";
import { scheduleProblem } from "../schedule/schedule.ts";
import { landedEvent, mergeOf, nextStep } from "../tasks/improvement.ts";
import { isPermitted } from "../tasks/permissions.ts";
import { ownQuestion } from "../tasks/question.ts";
import { creationOf, deletionOf, type Origin } from "../triggers/take-back-trigger.ts";
import { triggerOf } from "../triggers/triggers.ts";
import { hasUndone } from "../triggers/undone.ts";
import { restartWords } from "../views/notices.ts";

export function settle(snapshot: Snapshot, nowMs: number): Action[] {
  return openResults(snapshot)
    .filter(
      (result) =>
        isSettledAtOnce(result) &&
        !waitsForTriggers(result, snapshot) &&
        !waitsForNote(result, snapshot) &&
        !waitsForAnswer(result, snapshot),
    )
    .map((result) => ({ type: "settle", settlement: settlementOf(result, snapshot, nowMs) }));
}

/**
 * Turns apply themselves; plans that succeeded are the supervisor's, and so are batches of conditions, roll-ups and the
 * steps of self-improvement, which are not reported. Everything else waits for the Teller's report.
 */
export function isSettledAtOnce(result: Result): boolean {
  const { reported } = KINDS[result.task.kind];
  return reported === "never" || (reported === "unless done" && result.status === "done");
}

/** The verdicts of a batch make new versions: what the ones before have decided must be done by then. */
function waitsForTriggers({ task }: Result, snapshot: Snapshot): boolean {
  return (task.evaluation ?? []).some(({ triggerId }) => {
    const trigger = snapshot.triggers.get(triggerId);
    return trigger !== undefined && !snapshot.isArchived(triggerId) && hasUndone(trigger, snapshot);
  });
}

/**
 * A note that is not known to be in its file would be written again when the file has become a summary, and an edit that was made,
 * and whose command is not answered yet, would no longer be found there.
 */
function waitsForNote({ task }: Result, snapshot: Snapshot): boolean {
  if (task.kind !== "roll-up") return false;
  const { memory, inbox, isArchived } = snapshot;
  if (memory.note?.isKept === false) return true;
  return [...inbox.values()].some((command) => editsNote(command, snapshot) && !isArchived(command.id));
}

/** Is it about a note that is there? Only such a document becomes a summary: an entry that this result drops is of memory.md. */
function editsNote(command: InboxCommand, { changes }: Snapshot): boolean {
  if (command.kind === "memory-edit") return command.document.startsWith("memory/");
  const change = command.kind === "undo" ? changes.get(command.changeId) : undefined;
  return change?.what === "memory" && change.document.startsWith("memory/");
}

/** The user who asked to undo a merge is answered with its outcome, as long as that is there to be seen (SPEC J3). */
function waitsForAnswer({ task }: Result, snapshot: Snapshot): boolean {
  if (task.kind !== "improve-undo") return false;
  const changeId = improvementId(task.improve.number);
  return [...snapshot.inbox.values()].some(
    (command) => command.kind === "undo" && command.changeId === changeId && !snapshot.isArchived(command.id),
  );
}

/** The effects and records that follow from applying `result`. A cancelled plan starts nothing any more, but still says so. */
export function settlementOf(result: Result, snapshot: Snapshot, nowMs: number): Settlement {
  const { task } = result;
  const cancelled = isCancelled(snapshot, result.id);
  const settlement: Settlement = {
    result,
    tasks: [],
    triggers: [],
    questions: [],
    changes: [],
    versions: cancelled ? [] : judged(result, snapshot),
    edits: [],
    summaries: [],
    cancels: [],
    events: [],
    messages: task.turn?.messages.map((message) => message.id) ?? [],
    commands: [task.turn?.clear ?? [], task.turn?.again ?? []].flat(),
    consumedEvents: task.turn?.events.map((event) => event.id) ?? [],
    reports: task.turn?.results.map((report) => report.id) ?? [],
  };
  let isFirst = true;
  if (!cancelled)
    for (const [k, effect] of result.effects.entries()) {
      if (!isPermitted(task.role, effect)) continue;
      const id = childId(result.id, k);
      switch (effect.type) {
        case "reply":
        case "notify":
          break;
        case "delegate": {
          const own = ownOrder(task, settlement.tasks.length + settlement.triggers.length, snapshot);
          const child = { ...childTask(id, effect, result, snapshot), ...own, ...(isFirst && handedOn(result)) };
          isFirst = false;
          if (effect.condition === undefined) settlement.tasks.push(child);
          else settlement.triggers.push(dependentOf(child, effect.condition));
          break;
        }
        case "schedule": {
          const refusal = refusalOf(effect, settlement, snapshot, result);
          if (refusal === null) {
            const trigger = scheduledBy(id, effect, result);
            settlement.triggers.push(trigger);
            settlement.changes.push(creationOf(trigger, originOf(id, result)));
          } else settlement.events.push(unscheduled(id, effect, refusal, result));
          break;
        }
        case "ask_user":
          if (snapshot.questions.size + settlement.questions.length < QUESTIONS_MAX)
            settlement.questions.push(questionOf(id, effect, result, nowMs));
          else settlement.events.push(unasked(id, effect, result));
          break;
        case "restart_server":
          settlement.questions.push(restartQuestion(id, result, nowMs));
          break;
        case "remember":
          settlement.edits.push(rememberedBy(effect, id, result));
          break;
        case "forget":
          settlement.edits.push(forgottenBy(effect, id, result.completedAt));
          break;
        case "update_backlog":
          settlement.edits.push({ document: "backlog", id, op: effect.op, item: effect.item });
          break;
        case "cancel_task": {
          const trigger = snapshot.triggers.get(effect.id);
          if (trigger !== undefined && trigger.over === undefined && !snapshot.isArchived(effect.id))
            settlement.changes.push(deletionOf(trigger, originOf(id, result)));
          settlement.cancels.push(effect.id);
          break;
        }
        case "compress_context":
          // The archived turn says it all: contexts read it from there.
          break;
        case "summarize_task_result":
          if (hasEnded(effect.taskId, task, snapshot)) settlement.summaries.push(summaryOf(effect, result));
          break;
        default:
          effect satisfies never;
      }
    }
  if (task.kind === "roll-up")
    for (const [k, entry] of droppedBy(result, task.rollUp).entries())
      settlement.edits.push({
        document: "entry",
        id: childId(result.id, k),
        path: "memory.md",
        entry: entryName({ text: entry }),
        to: undefined,
      });
  // A merge stands, also if the task was cancelled meanwhile.
  const merge = mergeOf(result);
  if (merge !== null) settlement.changes.push(merge);
  if (!cancelled) {
    const next = nextStep(result);
    if (next !== null) settlement.tasks.push(next);
    const event = landedEvent(result);
    if (event !== null) settlement.events.push(event);
  }
  const dependents = settlement.triggers.filter(({ type }) => type === "link").length;
  const triggers = settlement.triggers.length - dependents;
  if (task.kind === "plan" && settlement.tasks.length + dependents === 0)
    settlement.events.push(planWithoutTasks(result, cancelled, triggers));
  return settlement;
}

function rememberedBy(effect: EffectOf<"remember">, id: string, { completedAt: at }: Result): DocumentEdit {
  const { content, longTerm, target, replaces } = effect;
  const added = { document: "memory" as const, id, at, content, longTerm, ...(target !== undefined && { target }) };
  if (replaces === undefined) return added;
  return { document: "entry", id, path: replaces.document, entry: replaces.entry, to: content, otherwise: added };
}

function forgottenBy({ document, entry, said = "" }: EffectOf<"forget">, id: string, at: string): DocumentEdit {
  if (document === undefined || entry === undefined) return forgettingSaid(id, at, said);
  return forgettingEntry({ id, at, path: document, entry });
}

/**
 * A summary made of a task that still runs would hide what comes of it. The tool has said the same. A task that the turn reports has
 * ended, wherever another supervisor may have moved its result meanwhile.
 */
function hasEnded(taskId: string, { turn }: Task, snapshot: Snapshot): boolean {
  const isReported = turn?.results.some(({ id }) => id === taskId) ?? false;
  return isReported || snapshot.results.has(taskId) || snapshot.isArchived(taskId);
}

function summaryOf({ taskId, summary }: EffectOf<"summarize_task_result">, { completedAt: at }: Result): ResultSummary {
  return { kind: "result-summary", id: resultSummaryId(taskId), at, taskId, summary };
}

/** An empty plan has no result to trigger a report, so it reports itself. */
function planWithoutTasks(result: Result, cancelled: boolean, triggers: number): Event {
  const { title } = result.task;
  const note = cancelled ? undefined : noteOf(result);
  const made = triggers === 0 ? "needed no tasks" : `has set up ${triggers} trigger${triggers === 1 ? "" : "s"}`;
  return {
    kind: "event",
    id: `${result.id}.report`,
    at: result.completedAt,
    name: "task_result",
    text: `The plan "${title}" ${cancelled ? "was cancelled" : made}.${note === undefined ? "" : ` ${note}`}`,
    data: { ...reportOf(result), cancelled, ...triggerOver(result) },
  };
}

/** A plan that went well has no report of its own: its first task hands on what the user said to it, and its note. */
function handedOn(result: Result): Pick<Task, "steers" | "planNote"> {
  const { task, steers } = result;
  if (task.kind !== "plan") return {};
  const planNote = noteOf(result);
  return { ...(steers !== undefined && { steers }), ...(planNote !== undefined && { planNote }) };
}

/** The note of a plan, beside its tasks. */
function noteOf({ result }: Result): string | undefined {
  return RESULT_SCHEMAS.plan.safeParse(result).data?.note;
}

/** The place of a task in the row of plans that came of reports alone; what comes of a plan that asks begins a new row. */
function ownOrder(
  { kind, ownOrders, asksOwner }: Task,
  before: number,
  { ownOrdersMax }: Snapshot,
): Pick<Task, "ownOrders" | "asksOwner"> {
  if (ownOrders === undefined || asksOwner === true) return {};
  if (kind === "plan") return { ownOrders };
  const number = ownOrders + before;
  return { ownOrders: number, ...(number > ownOrdersMax && { asksOwner: true as const }) };
}

function childTask(id: string, effect: EffectOf<"delegate">, parent: Result, snapshot: Snapshot): Task {
  const { title = titleOf(effect.prompt), prompt, timeoutSec = null, skill } = effect;
  const { priority, traceId } = parent.task;
  const order = { id, title, prompt, timeoutSec, createdAt: parent.completedAt, traceId, parentId: parent.id };
  const common = { ...order, priority: effect.priority ?? PRIORITY_DEFAULT, ...triggerOver(parent) };
  // The machine that the user has named; else the one that the plan names.
  const pool = parent.task.pool ?? parent.task.turn?.messages[0]?.pool ?? effect.pool;
  const where = pool === undefined ? {} : { pool };
  if (parent.task.kind !== "plan")
    return { ...blankTask("plan"), ...common, ...where, upstream: answeredReports(parent, snapshot) };
  return {
    ...blankTask("work"),
    ...common,
    ...where,
    priority: effect.priority ?? priority,
    onInterrupt: effect.onInterrupt ?? "rerun",
    ...(skill !== undefined && { skill }),
  };
}

function dependentOf(task: Task, condition: NonNullable<EffectOf<"delegate">["condition"]>): TriggerRecord {
  return { id: task.id, version: 1, type: "link", condition, task, evidence: NO_EVIDENCE };
}

/** Work that could not go on without an answer, with the answer: what this turn hands on goes on from there (SPEC C7). */
function answeredReports({ task, effects }: Result, { questions }: Snapshot): Report[] {
  const answered = (task.turn?.events ?? []).flatMap(({ name, data }) => {
    if (name !== "question_answered" && name !== "question_expired") return [];
    const about = Report.safeParse(data.about).data;
    return about === undefined ? [] : [{ ...about, ...(data.answer != null && { answer: data.answer }) }];
  });
  // The Teller takes its question back where a message has answered it in other words than an option's.
  const said = (task.turn?.messages ?? []).map(({ text }) => text).join("\n");
  const inOtherWords = effects.flatMap((effect) => {
    const purpose = effect.type === "cancel_task" ? questions.get(effect.id)?.purpose : undefined;
    if (said === "" || purpose?.type !== "teller" || purpose.about === undefined) return [];
    return [{ ...purpose.about, answer: beginningOf(said, ANSWER_CHARS_MAX) }];
  });
  return [...answered, ...inOtherWords];
}

/** The trigger that a result comes from, and how many stand over it: what it starts comes from there, too (SPEC D8). */
function triggerOver({ task: { triggerId, triggerDepth } }: Result): Pick<Task, "triggerId" | "triggerDepth"> {
  return { ...(triggerId !== undefined && { triggerId }), ...(triggerDepth !== undefined && { triggerDepth }) };
}

/** Why no trigger may be made; null when it may. The tool has said the same: this is for a result that was made otherwise. */
function refusalOf(effect: EffectOf<"schedule">, made: Settlement, snapshot: Snapshot, result: Result): string | null {
  const triggers = openTriggers(snapshot).length + made.triggers.filter(({ type }) => type !== "link").length;
  if (triggers >= TRIGGERS_MAX) return `there are ${TRIGGERS_MAX} triggers already: delete some first`;
  if ((result.task.triggerDepth ?? 0) > TRIGGER_DEPTH_MAX)
    return `triggers make triggers at most ${TRIGGER_DEPTH_MAX} deep`;
  return effect.when.type === "recurring"
    ? scheduleProblem(effect.when.schedule, Date.parse(result.completedAt))
    : null;
}

/** Whose change it is that a result makes. */
function originOf(id: string, { task, completedAt: at }: Result): Origin {
  return { id, at, by: task.role };
}

function scheduledBy(id: string, { order, when }: EffectOf<"schedule">, { task, completedAt }: Result): Trigger {
  const target = isTurn(task) ? "teller" : "worker";
  const { id: parentId, traceId, triggerDepth: depth = 0 } = task;
  return triggerOf(id, { order, when }, { createdAt: completedAt, traceId, parentId, depth, target });
}

function unscheduled(id: string, { order }: EffectOf<"schedule">, reason: string, result: Result): Event {
  const text = `The trigger "${order.title ?? titleOf(order.prompt)}" was not made: ${reason}.`;
  return refused(id, "schedule", reason, text, result);
}

function unasked(id: string, { question }: EffectOf<"ask_user">, result: Result): Event {
  const reason = `${QUESTIONS_MAX} questions are open already`;
  return refused(id, "ask_user", reason, `"${titleOf(question)}" was not asked: ${reason}.`, result);
}

/** The Teller hears of what it wanted and did not get. */
function refused(id: string, tool: string, reason: string, text: string, result: Result): Event {
  const data = { tool, reason, ...triggerOver(result) };
  return { kind: "event", id: `${id}.refused`, at: result.completedAt, name: "action_feedback", text, data };
}

/** Its time begins when it is put to the user, however long ago the turn ended. */
function questionOf(id: string, effect: EffectOf<"ask_user">, result: Result, nowMs: number): Question {
  const { task } = result;
  const { question, options = [], timeoutSec = QUESTION_TIMEOUT_SEC } = effect;
  const waiting = (task.turn?.results ?? []).filter(({ status }) => status === "needs_input");
  const about =
    waiting.find((report) => report.question === question) ?? (waiting.length === 1 ? waiting[0] : undefined);
  return {
    id,
    at: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + timeoutSec * 1_000).toISOString(),
    question,
    options,
    ...(effect.default !== undefined && { default: effect.default }),
    purpose: { type: "teller", ...(about !== undefined && { about }) },
    traceId: task.traceId,
    ...triggerOver(result),
  };
}

function restartQuestion(id: string, { task }: Result, nowMs: number): Question {
  const at = new Date(nowMs).toISOString();
  return ownQuestion(id, { type: "restart" }, restartWords(task.turn), { at, traceId: task.traceId });
}

/**
 * The next version of each trigger that a batch of semantic conditions was about, with the answers in it (SPEC D3). The
 * absence of one is noted as well, so that an explanation can say why nothing fires.
 */
function judged({ id, task, status, result, completedAt }: Result, snapshot: Snapshot): TriggerRecord[] {
  const verdicts = status === "done" ? (Verdicts.safeParse(result).data ?? []) : [];
  const number = evaluationNumber(id);
  const versions = new Map<string, TriggerRecord>();
  for (const { id: name, triggerId, leaf, prompt } of task.evaluation ?? []) {
    const verdict = verdicts.find((each) => each.id === name);
    const current = versions.get(triggerId) ?? snapshot.dependents.get(triggerId) ?? snapshot.triggers.get(triggerId);
    if (current === undefined || !("evidence" in current) || snapshot.isArchived(triggerId)) continue;
    const { evaluations, unanswered = {} } = current.evidence;
    const { [leaf]: before, ...others } = unanswered;
    if (number <= Math.max(evaluations[leaf]?.number ?? 0, before?.number ?? 0)) continue;
    // The condition was replaced meanwhile: the new one was not asked.
    const atom = leavesOf(current.condition)[leaf];
    if (atom?.type !== "llm_eval" || atom.params.prompt !== prompt) continue;
    const count = (before?.count ?? 0) + 1;
    const evidence: ConditionEvidence =
      verdict === undefined
        ? {
            ...current.evidence,
            unanswered: {
              ...unanswered,
              [leaf]: { number, count, since: before?.since ?? completedAt, at: completedAt },
            },
          }
        : {
            ...current.evidence,
            evaluations: { ...evaluations, [leaf]: { number, result: verdict.result, at: completedAt } },
            unanswered: Object.keys(others).length === 0 ? undefined : others,
          };
    const version = versions.has(triggerId) ? current.version : current.version + 1;
    versions.set(
      triggerId,
      current.type === "link"
        ? { ...current, version, evidence }
        : { ...current, version, evidence, decision: NO_DECISION },
    );
  }
  return [...versions.values()];
}
