/**
 * Actions become writes. Each step is create-once under a derived id, in the order "successor first", so an action
 * that was cut off anywhere is completed by doing it again (PROTOCOL R1 to R4).
 */
import type { Action, DocumentEdit, Removal, Settlement } from "@mimikit/core/action";
import { messageOf } from "@mimikit/core/rules/steer";
import { EndedTrigger, Mark, SkippedOccurrences, WishOutcome } from "@mimikit/protocol/archive";
import type { AuditEvent } from "@mimikit/protocol/audit";
import { ancestorsOf, cancelMark, turnNumber } from "@mimikit/protocol/id";
import { Event, Message, Wish } from "@mimikit/protocol/inbox";
import { BadJson } from "@mimikit/protocol/json";
import { Question } from "@mimikit/protocol/question";
import { Result } from "@mimikit/protocol/result";
import { Signal } from "@mimikit/protocol/signal";
import { Task } from "@mimikit/protocol/task";
import { Trigger } from "@mimikit/protocol/trigger";
import type { DocumentLock } from "@mimikit/store/document";
import { directoryOf, type FileSystem } from "@mimikit/store/file-system";
import type { Ledger } from "@mimikit/store/ledger";
import { createRecord } from "@mimikit/store/record";
import { seal } from "@mimikit/store/seal";
import {
  ARCHIVE,
  archivePath,
  claimPath,
  failedAttemptPath,
  inboxPath,
  QUARANTINE,
  questionPath,
  queuePath,
  resultPath,
  runningOf,
  signalPath,
  streamPath,
  triggerPath,
} from "@mimikit/store/state";
import { applyBacklogEdit, applyMemoryEdit, pathOf } from "./documents.ts";

export interface Hands {
  fs: FileSystem;
  ledger: Ledger;
  token: string;
  nowMs(): number;
  lock: DocumentLock;
  audit(event: AuditEvent): void;
  /** Ends all processes, so that PM2 starts them anew. */
  restart(): Promise<void>;
}

/** Does one action. Errors of the disk go to the caller: the next tick tries again. */
export async function execute(action: Action, hands: Hands): Promise<void> {
  switch (action.type) {
    case "adopt":
      return adopt(action.path, action.wish, hands);
    case "quarantine":
      return quarantine(action.path, action.reason, hands);
    case "cancel":
      return cancel(action, hands);
    case "steer":
      return steer(action, hands);
    case "unheard":
      return tellLater(action, hands);
    case "stop":
      return stop(action, hands);
    case "finish":
      return finish(action.result, hands);
    case "settle":
      return settle(action.settlement, hands);
    case "fire":
      return queueTask(action.task, "task_fired", hands);
    case "create-trigger":
      return createTrigger(action.trigger, hands);
    case "advance":
      await advance(action.trigger, hands);
      return;
    case "carry-out":
      return carryOut(action, hands);
    case "end-trigger":
      return endTrigger(action, hands);
    case "evaluate":
      return queueTask(action.task, "evaluation_queued", hands);
    case "answer-wish":
      return answerWish(action, hands);
    case "wake":
      return wake(action.turn, hands);
    case "restart":
      return restart(action.wish, hands);
    case "remove":
      return remove(action.removals, hands);
    default:
      action satisfies never;
  }
}

async function adopt(path: string, wish: Wish, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  if (!(await ledger.confirm(wish.id)) && (await createRecord(fs, Wish, inboxPath(wish.id), wish)))
    audit({ event: "wish_adopted", detail: { path, id: wish.id, kind: wish.kind } });
  await drop(path, hands);
}

/** A source goes only after what became of it is durable (PROTOCOL R3). */
async function drop(path: string, { fs, ledger }: Hands): Promise<void> {
  await ledger.makeDurable();
  await fs.unlink(path);
}

async function quarantine(path: string, reason: string, { fs, nowMs, audit }: Hands): Promise<void> {
  // The path is in the name, so that files of one name in several directories do not meet here.
  const name = `${QUARANTINE}/${nowMs()}-${path.replaceAll("/", "-")}`;
  let aside = name;
  for (let n = 2; await fs.exists(aside); n++) aside = `${name}.${n}`;
  if (await fs.rename(path, aside)) audit({ event: "quarantined", detail: { path, reason, aside } });
}

async function cancel({ wish, taskId, outcome }: Extract<Action, { type: "cancel" }>, hands: Hands): Promise<void> {
  if (taskId !== null) await markCancelled(taskId, wish.at, hands);
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome };
  if (await archive(record, WishOutcome, hands))
    hands.audit({ event: "cancel_answered", taskId: wish.taskId, detail: { outcome } });
  await drop(inboxPath(wish.id), hands);
}

/** The decision is archived before anything follows from it; whoever comes later follows the decision that is there. */
async function decide(
  { wish, taskId, outcome }: Extract<Action, { type: "steer" | "stop" }>,
  hands: Hands,
): Promise<boolean> {
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome, ...(taskId && { taskId }) };
  if (await archive(record, WishOutcome, hands)) {
    hands.audit({ event: `${wish.kind}_answered`, ...(taskId && { taskId }), detail: { outcome } });
    return true;
  }
  const decided = await hands.ledger.read(wish.id);
  return decided === null || !("wish" in decided) || (decided.taskId ?? null) === taskId;
}

async function steer(action: Extract<Action, { type: "steer" }>, hands: Hands): Promise<void> {
  const { wish, taskId } = action;
  // Another supervisor saw another task: the next look finds what it decided.
  if (!(await decide(action, hands))) return;
  const { id, at, text } = wish;
  if (taskId === null) await createMessage(messageOf(wish), hands);
  else await createRecord(hands.fs, Signal, signalPath(id), { id, at, text, taskId });
  await drop(inboxPath(id), hands);
}

async function tellLater({ signal, message }: Extract<Action, { type: "unheard" }>, hands: Hands): Promise<void> {
  await createMessage(message, hands);
  await hands.fs.unlink(signalPath(signal.id));
}

/** A message of our own making, durable when this returns; one that was there before, or was answered, stays as it is. */
async function createMessage(message: Message, { fs, ledger, audit }: Hands): Promise<void> {
  if (await ledger.confirm(message.id)) return ledger.makeDurable();
  if (await createRecord(fs, Message, inboxPath(message.id), message))
    audit({ event: "steer_unheard", detail: { id: message.id } });
  else await fs.syncDir(directoryOf(inboxPath(message.id)));
}

async function stop(action: Extract<Action, { type: "stop" }>, hands: Hands): Promise<void> {
  const { wish, taskId, result } = action;
  if (!(await decide(action, hands))) return;
  if (result !== null) await finish(result, hands);
  else if (taskId !== null && turnNumber(taskId) === 0) await markCancelled(taskId, wish.at, hands);
  await drop(inboxPath(wish.id), hands);
}

async function markCancelled(taskId: string, at: string, hands: Hands): Promise<void> {
  const id = cancelMark(taskId);
  if (await archive({ kind: "mark", id, at, taskId }, Mark, hands)) hands.audit({ event: "task_cancelled", taskId });
}

async function archive<T extends { id: string }>(
  record: T,
  schema: Parameters<typeof createRecord<T>>[1],
  { fs, ledger }: Hands,
): Promise<boolean> {
  if (await ledger.confirm(record.id)) {
    // What comes next relies on it, and whoever made it may not have got as far as the sync (PROTOCOL R4).
    await ledger.makeDurable();
    return false;
  }
  const created = await createRecord(fs, schema, archivePath(record.id), record);
  ledger.add(record.id);
  return created;
}

async function finish(result: Result, { fs, ledger, audit }: Hands): Promise<void> {
  const { id, task, status, failureReason, attempts } = result;
  if (await ledger.confirm(id)) return;
  if (await createRecord(fs, Result, resultPath(task.role, id), result))
    audit({
      event: status === "failed" ? "task_failed" : "task_ended",
      taskId: id,
      traceId: task.traceId,
      attempts,
      ...(failureReason && { failureReason }),
    });
}

async function settle(settlement: Settlement, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  const { result } = settlement;
  if (await ledger.confirm(result.id)) return;
  await Promise.all(settlement.tasks.map((task) => queueTask(task, "task_queued", hands)));
  for (const trigger of settlement.triggers) await createTrigger(trigger, hands);
  for (const question of settlement.questions) await ask(question, hands);
  // Another version came first: what it says must be seen before the verdicts are put on top of it.
  for (const version of settlement.versions) if (!(await advance(version, hands))) return;
  for (const edit of settlement.edits) await editOnce(edit, hands);
  for (const taskId of settlement.cancels) await markCancelled(taskId, result.completedAt, hands);
  for (const event of settlement.events) await tellTeller(event, hands);
  await ledger.makeDurable();
  await consume(settlement, hands);
  await moveToArchive(resultPath(result.task.role, result.id), result.id, hands);
  await fs.syncDir(ARCHIVE);
  ledger.add(result.id);
  const { id, task, attempts, failureReason, startedAt, completedAt } = result;
  audit({
    event:
      task.turn !== undefined ? "turn_settled" : task.evaluation !== undefined ? "evaluation_settled" : "plan_settled",
    taskId: id,
    traceId: task.traceId,
    attempts,
    ...(task.parentId && { parentId: task.parentId }),
    ...(startedAt && { durationMs: Date.parse(completedAt) - Date.parse(startedAt) }),
    ...(failureReason && { failureReason }),
  });
}

/** Everything that the turn answered is history before the turn is. */
async function consume({ result, messages, clears, consumedEvents, reports }: Settlement, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  for (const id of [...messages, ...consumedEvents]) {
    if (await ledger.confirm(id)) continue;
    if (await moveToArchive(inboxPath(id), id, hands)) continue;
    const copy = [...(result.task.turn?.messages ?? []), ...(result.task.turn?.events ?? [])].find(
      (each) => each.id === id,
    );
    if (copy?.kind === "message") await createRecord(fs, Message, archivePath(id), copy);
    if (copy?.kind === "event") await createRecord(fs, Event, archivePath(id), copy);
  }
  for (const wish of clears) {
    const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome: "a new conversation" };
    if (!(await ledger.confirm(wish.id))) await createRecord(fs, WishOutcome, archivePath(wish.id), record);
  }
  for (const report of result.task.turn?.results ?? []) {
    if (await ledger.confirm(report.id)) continue;
    if (!(await moveToArchive(resultPath(report.role, report.id), report.id, hands)))
      audit({ event: "result_missing", taskId: report.id });
  }
  const consumed = [...messages, ...clears.map((wish) => wish.id), ...consumedEvents, ...reports];
  if (consumed.length === 0) return;
  await fs.syncDir(ARCHIVE);
  for (const id of consumed) ledger.add(id);
}

/** Gives a durable record its name in the archive; the caller syncs. Returns false when there is no such record. */
async function moveToArchive(path: string, id: string, { fs }: Hands): Promise<boolean> {
  return (await fs.link(path, archivePath(id))) !== "missing" || (await fs.exists(archivePath(id)));
}

async function queueTask(task: Task, event: string, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  if ((await ledger.confirm(task.id)) || (await isCancelledOnDisk(task.id, ledger))) return;
  if (await isDurablyThere(resultPath(task.role, task.id), fs)) return;
  const { id, role, traceId, parentId } = task;
  if (await createRecord(fs, Task, queuePath(role, id), task))
    audit({ event, taskId: id, traceId, ...(parentId && { parentId }), detail: { role, title: task.title } });
}

/** What somebody else wrote is relied upon only when it survives a power loss (PROTOCOL R4). */
async function isDurablyThere(path: string, fs: FileSystem): Promise<boolean> {
  if (!(await fs.exists(path))) return false;
  await fs.syncDir(directoryOf(path));
  return true;
}

async function isCancelledOnDisk(id: string, ledger: Ledger): Promise<boolean> {
  for (const each of [id, ...ancestorsOf(id)]) if (await ledger.confirm(cancelMark(each))) return true;
  return false;
}

/** A first version. What is spent, or has become a later version, is not made again. */
async function createTrigger(trigger: Trigger, { fs, ledger, audit }: Hands): Promise<void> {
  const { id, version } = trigger;
  if (await ledger.confirm(id)) return;
  if (trigger.type === "link") {
    const { task, condition } = trigger;
    if (await isDurablyThere(queuePath(task.role, id), fs)) return;
    if (await isDurablyThere(resultPath(task.role, id), fs)) return;
    if (await createRecord(fs, Trigger, triggerPath(id, version), trigger))
      audit({ event: "task_waiting", taskId: id, traceId: task.traceId, detail: { condition } });
    return;
  }
  const { type, title, traceId } = trigger;
  if (await createRecord(fs, Trigger, triggerPath(id, version), trigger))
    audit({ event: "trigger_created", taskId: id, traceId, detail: { type, title } });
}

/** @returns false when somebody else has made this version. */
async function advance(trigger: Trigger, { fs, ledger, audit }: Hands): Promise<boolean> {
  const { id, version } = trigger;
  if (await ledger.confirm(id)) return true;
  if (!(await createRecord(fs, Trigger, triggerPath(id, version), trigger))) return false;
  const { decision, paused } = trigger.type === "link" ? {} : trigger;
  const fired = decision?.fire.map((occurrence) => occurrence.id) ?? [];
  const detail = { version, ...(fired.length > 0 && { fired }), ...(paused === true && { paused }) };
  audit({ event: "trigger_advanced", taskId: id, detail });
  return true;
}

/** Every part of a decision is create-once, so whoever does it twice does it once. */
async function carryOut({ tasks, events, skips }: Extract<Action, { type: "carry-out" }>, hands: Hands): Promise<void> {
  await Promise.all(tasks.map((task) => queueTask(task, "task_fired", hands)));
  for (const event of events) await tellTeller(event, hands);
  for (const skip of skips)
    if (await archive(skip, SkippedOccurrences, hands)) {
      const { triggerId, from, to, count, reason } = skip;
      hands.audit({ event: "occurrences_skipped", taskId: triggerId, detail: { from, to, count, reason } });
    }
}

async function endTrigger({ trigger, outcome }: Extract<Action, { type: "end-trigger" }>, hands: Hands): Promise<void> {
  const { id } = trigger;
  const record: EndedTrigger = { kind: "trigger", id, at: new Date(hands.nowMs()).toISOString(), outcome, trigger };
  if (await archive(record, EndedTrigger, hands)) hands.audit({ event: `trigger_${outcome}`, taskId: id });
}

/** The answer is durable before the wish goes. */
async function answerWish({ wish, outcome }: Extract<Action, { type: "answer-wish" }>, hands: Hands): Promise<void> {
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome };
  if (await archive(record, WishOutcome, hands))
    hands.audit({ event: `${wish.kind}_answered`, detail: { id: wish.id, outcome } });
  await drop(inboxPath(wish.id), hands);
}

/** A system event for the Teller; one that was told before, or is waiting, stays as it is. */
async function tellTeller(event: Event, { fs, ledger, token, audit }: Hands): Promise<void> {
  if (await ledger.confirm(event.id)) return;
  if (await createRecord(fs, Event, inboxPath(event.id), { ...event, mac: seal(token, event) }))
    audit({ event: `event_${event.name}`, detail: { id: event.id } });
}

async function ask(question: Question, { fs, ledger, audit }: Hands): Promise<void> {
  const { id, traceId } = question;
  if (await ledger.confirm(id)) return;
  if (await createRecord(fs, Question, questionPath(id), question))
    audit({ event: "question_asked", taskId: id, traceId, detail: { purpose: question.purpose.type } });
}

async function editOnce(edit: DocumentEdit, hands: Hands): Promise<void> {
  const { fs, lock, audit } = hands;
  const apply = () => (edit.document === "memory" ? applyMemoryEdit(fs, lock, edit) : applyBacklogEdit(fs, lock, edit));
  const path = pathOf(edit);
  const isNew = await apply().catch(async (error: unknown) => {
    if (!(error instanceof BadJson)) throw error;
    // What stands in the place of the document is none (a directory, a huge file): it is set aside, and a new one begins.
    await quarantine(path, error.message, hands);
    return apply();
  });
  if (isNew) audit({ event: "document_edited", taskId: edit.id, detail: { document: path } });
}

/** Creating the turn is the compare-and-swap: of two supervisors one wins, and a late one changes nothing. */
async function wake(turn: Task, { fs, ledger, audit }: Hands): Promise<void> {
  // The turn before is settled, so whatever it consumed is in the archive by now: look for it there by name.
  const input = turn.turn;
  const answered = [...(input?.messages ?? []), ...(input?.events ?? []), ...(input?.results ?? [])];
  for (const { id } of input?.clear === undefined ? answered : [...answered, input.clear])
    if (await ledger.confirm(id)) return;
  if (await ledger.confirm(turn.id)) return;
  await ledger.makeDurable();
  if (await createRecord(fs, Task, queuePath("teller", turn.id), turn)) {
    const detail = { messages: input?.messages.length, events: input?.events.length, results: input?.results.length };
    audit({ event: "teller_woken", taskId: turn.id, traceId: turn.traceId, detail });
  }
}

async function restart(wish: Extract<Wish, { kind: "restart" }>, hands: Hands): Promise<void> {
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome: "restarted" };
  const isFirst = await archive(record, WishOutcome, hands);
  await drop(inboxPath(wish.id), hands);
  if (!isFirst) return;
  hands.audit({ event: "restart" });
  await hands.restart();
}

async function remove(removals: Removal[], { fs, ledger }: Hands): Promise<void> {
  await ledger.makeDurable();
  for (const removal of removals) {
    switch (removal.from) {
      case "inbox":
        await fs.unlink(inboxPath(removal.id));
        break;
      case "signals":
        await fs.unlink(signalPath(removal.id));
        break;
      case "questions":
        await fs.unlink(questionPath(removal.id));
        break;
      case "triggers":
        await fs.unlink(triggerPath(removal.id, removal.version));
        break;
      case "queue":
        await fs.unlink(queuePath(removal.role, removal.id));
        await fs.unlink(streamPath(removal.id));
        break;
      case "results":
        await fs.unlink(resultPath(removal.role, removal.id));
        break;
      case "outages":
        // What is left of such an attempt, whatever is lost on the way, must not look like one that was cut off.
        await fs.unlink(claimPath(removal.role, removal.id, removal.attempt));
        await fs.syncDir(runningOf(removal.role));
        await fs.unlink(failedAttemptPath(removal.role, removal.id, removal.attempt));
        break;
      case "running":
        // A claim whose task came into the queue since it was listed is no orphan.
        if (!ledger.has(removal.id) && (await fs.exists(queuePath(removal.role, removal.id)))) break;
        await fs.unlink(failedAttemptPath(removal.role, removal.id, removal.attempt));
        await fs.unlink(claimPath(removal.role, removal.id, removal.attempt));
        break;
      default:
        removal satisfies never;
    }
  }
}
