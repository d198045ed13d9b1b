/** The invariants of the protocol, looked for when everything has come to rest (docs/file-protocol.md#invariants). */

import { summaryIn } from "@mimikit/core/memory/roll-up";
import { editedId } from "@mimikit/core/tasks/answer-anew";
import { POISON_DEATHS } from "@mimikit/core/tasks/poison";
import { compressedAfter, messagesOf } from "@mimikit/core/views/history";
import {
  ancestorsOf,
  cancelMark,
  childId,
  keptId,
  noteId,
  resultSummaryId,
  runAgainPermit,
  turnNumber,
} from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { Archived, CompactedHeader } from "@mimikit/protocol/records/archive";
import { HISTORY_MESSAGES_MAX, History } from "@mimikit/protocol/records/history";
import { type Result, reportOf } from "@mimikit/protocol/records/result";
import { isImprovement } from "@mimikit/protocol/records/task";
import { RECENT_MAX, type Recurring } from "@mimikit/protocol/records/trigger";
import { HISTORY_PATH, queueOf, resultsOf, runningOf } from "@mimikit/store/disk/state";
import { editMark } from "@mimikit/store/documents/document";
import { itemOf } from "../../apps/supervisor/src/execute/notes.ts";
import { checkApprovals } from "./approvals.ts";
import { checkChanges } from "./check-changes.ts";
import { checkImprovements } from "./improvements.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import type { Outside } from "./outside.ts";
import { BOUNDS, isSameTask } from "./scenario.ts";

/** @returns one sentence for each invariant that does not hold. */
export function check(disk: MemoryDisk, outside: Outside, powerLosses: number): string[] {
  const violations: string[] = [];
  const violate = (what: string) => violations.push(what);
  const archive = readArchive(disk, violate);
  const results = [...archive.values()].filter((record): record is Result => "task" in record);
  const turns = results
    .filter((result) => turnNumber(result.id) > 0)
    .sort((a, b) => turnNumber(a.id) - turnNumber(b.id));
  const isCancelled = (id: string) => [id, ...ancestorsOf(id)].some((each) => archive.has(cancelMark(each)));

  // I1: every message is in exactly one settled turn; I4: so is every reported result.
  const consumed = new Map<string, number>();
  for (const turn of turns) {
    const { messages = [], events = [], results: reports = [], clear, again } = turn.task.turn ?? {};
    const taken = again === undefined ? [...messages, ...events, ...reports] : [];
    for (const { id } of [...taken, clear ?? [], again ?? []].flat()) consumed.set(id, (consumed.get(id) ?? 0) + 1);
    if (messages.some((message) => message.mode === "next") && messages.length + events.length + reports.length > 1)
      violate(`${turn.id} answers a message that wants a turn of its own, and something else`);
    if (new Set(messages.map(({ via }) => JSON.stringify(via ?? null))).size > 1)
      violate(`${turn.id} answers what was said by several ways, with one reply`);
    const order = messages.map(({ at, id }) => `${at} ${id}`);
    if (order.join() !== order.toSorted().join()) violate(`${turn.id} takes its messages in another order`);
    if (clear !== undefined && messages.length + events.length + reports.length + turn.effects.length > 0)
      violate(`${turn.id} begins a new conversation, and does something else`);
    if (again !== undefined) {
      const answered = results.find(({ id }) => id === again.turnId)?.task.turn?.messages.map(({ id }) => id) ?? [];
      const before = again.edit === undefined ? answered : [...answered.slice(0, -1), editedId(again)];
      if (JSON.stringify(before) !== JSON.stringify(messages.map(({ id }) => id)))
        violate(`${turn.id} answers something else than ${again.turnId} did`);
      if (turns.some((other) => other !== turn && other.task.turn?.again?.turnId === again.turnId))
        violate(`${again.turnId} was answered anew twice`);
    }
    // I2: a turn has at most one reply, and one that a user began has one.
    const replies = turn.effects.filter((effect) => effect.type === "reply").length;
    if (replies > 1 || (replies === 0 && messages.length > 0)) violate(`${replies} replies in ${turn.id}`);
  }
  for (const id of outside.acknowledged) if (!consumed.has(id)) violate(`the acknowledged message ${id} is in no turn`);
  for (const [id, times] of consumed) {
    if (times > 1) violate(`${id} was consumed ${times} times`);
    if (!archive.has(id)) violate(`${id} was consumed and is not in the archive`);
  }
  // A turn that answers anew repeats the messages of an earlier one: they count once.
  const first = turns.filter((turn) => turn.task.turn?.again === undefined);
  const texts = first.flatMap((turn) => turn.task.turn?.messages.map((message) => message.text) ?? []);
  for (const text of outside.dropped) {
    const times = texts.filter((each) => each === text).length;
    if (times > 1) violate(`the dropped file "${text}" was answered ${times} times`);
    // A file that was just dropped need not survive a power loss.
    if (times === 0 && powerLosses === 0) violate(`the dropped file "${text}" was not answered`);
  }

  for (const id of outside.clears) if (!consumed.has(id)) violate(`the new conversation ${id} was never begun`);
  // Each steer was taken by exactly one task, or became a message.
  for (const id of outside.steers) {
    const heard = results.filter((result) => result.steers?.some((steer) => steer.id === id)).length;
    const said = heard + (consumed.get(`m-${id}`) ?? 0);
    if (said !== 1) violate(`the steer ${id} was taken ${said} times`);
  }

  /** The tasks that a stop found. */
  const stopped = new Set(
    [...archive.values()].flatMap((record) =>
      "wish" in record && record.wish.kind === "stop" && record.taskId !== undefined ? [record.taskId] : [],
    ),
  );

  // A turn that told of an outage still does, with the same start.
  for (const turn of turns) {
    const told = outside.told.get(turn.id);
    const isForgotten = told !== undefined && !told.isContested && turn.outage?.since !== told.since;
    if (isForgotten) violate(`${turn.id} forgot the outage since ${told.since}`);
  }

  // SPEC C5: only a task that alone took its pool down, after it had shared that with others, is poison.
  for (const { id, failureReason } of results) {
    const deaths = outside.deaths.get(id) ?? [];
    if (failureReason === "poison" && (deaths.length < POISON_DEATHS || deaths.at(-1) !== "alone"))
      violate(`${id} was given up as poison, after these deaths of its pool: ${deaths}`);
  }
  const greedy = results.find(({ task }) => isSameTask(task, outside.greedy));
  if (greedy?.status === "done") violate(`${greedy.id} takes its pool down whenever it runs, and is done`);

  // I3: staged effects are children; I4: every worker's result is reported once.
  for (const result of results) {
    const staged = result.status === "done" || turnNumber(result.id) > 0 ? result.effects : [];
    for (const [k, effect] of staged.entries()) {
      const id = childId(result.id, k);
      if (effect.type === "delegate" && !archive.has(id) && !isCancelled(id))
        violate(`${id} was delegated and never ended`);
      const asks = effect.type === "ask_user" || effect.type === "restart_server";
      if (asks && !archive.has(id) && !isCancelled(id) && !archive.has(`${id}.refused`))
        violate(`${id} was asked, and is nowhere`);
      if (effect.type === "schedule" && !archive.has(id) && !isCancelled(id) && !archive.has(`${id}.refused`))
        violate(`${id} was scheduled, and is nowhere`);
      if (effect.type === "summarize_task_result" && !isCancelled(result.id)) {
        const isReported = result.task.turn?.results.some((report) => report.id === effect.taskId) === true;
        const record = archive.get(resultSummaryId(effect.taskId));
        if (isReported && record === undefined) violate(`${effect.taskId} was summed up, and its summary is nowhere`);
      }
    }
    for (const report of result.task.upstream) {
      const upstream = archive.get(report.id);
      if (
        upstream === undefined ||
        !("task" in upstream) ||
        JSON.stringify(reportOf(upstream)) !== JSON.stringify(report)
      )
        violate(`${result.id} was told something else than the outcome of ${report.id}`);
    }
    const isQuietPlan =
      result.task.role === "planner" &&
      result.status === "done" &&
      !result.effects.some((effect) => effect.type === "delegate");
    if (isQuietPlan && !consumed.has(`${result.id}.report`)) violate(`nobody was told of the plan ${result.id}`);
    const isOrdered = KINDS[result.task.kind].part === "order";
    if (result.task.role === "worker" && isOrdered && !consumed.has(result.id))
      violate(`the result of ${result.id} was never reported`);
    const { parentId } = result.task;
    if (parentId === undefined || isImprovement(result.task)) continue;
    // A child is what the accepted result of its parent says, not what some lost attempt said.
    const parent = archive.get(parentId);
    const effects = parent !== undefined && "task" in parent ? parent.effects : [];
    const effect = effects[Number(result.id.slice(parentId.length + 1))];
    if (effect?.type !== "delegate" || effect.prompt !== result.task.prompt)
      violate(`${result.id} is not what ${parentId} delegated`);
    const isLink = effect?.type === "delegate" && effect.condition !== undefined;
    const isUnrun = result.failureReason === "cancelled" || isCancelled(result.id);
    if (isLink && result.task.upstream.length === 0 && !isUnrun)
      violate(`${result.id} ran before the task it waits for`);
  }
  for (const [plan, members] of groupByPlan(
    results.filter((result) => result.status === "done" && result.task.role === "worker"),
  )) {
    // A turn that answers anew is told once more what the one before was told.
    const reporting = turns.filter(
      ({ task: { turn } }) => turn?.again === undefined && turn?.results.some(({ id }) => members.includes(id)),
    );
    if (reporting.length > 1) violate(`the plan ${plan} was reported in ${reporting.length} turns`);
  }

  // Every command that was durable has been answered, and a cancellation has left its mark.
  for (const id of outside.commands) if (!archive.has(id)) violate(`the command ${id} was not answered`);
  for (const record of archive.values()) {
    if (!("kind" in record) || record.kind !== "wish") continue;
    if (record.wish.kind === "cancel" && record.outcome === "cancelled" && !archive.has(cancelMark(record.wish.taskId)))
      violate(`${record.wish.taskId} was said to be cancelled and is not`);
  }
  for (const { id, error } of turns)
    if (error === "stopped by the user" && !stopped.has(id)) violate(`${id} was stopped, and nobody wanted it`);
  const unwanted = new Set(
    [...archive.values()].flatMap((record) => ("taskId" in record && record.kind === "mark" ? [record.taskId] : [])),
  );
  for (const taskId of stopped) unwanted.delete(taskId);
  for (const record of archive.values()) {
    if ("wish" in record && record.wish.kind === "cancel") unwanted.delete(record.wish.taskId);
    if (!("task" in record)) continue;
    for (const effect of record.effects) if (effect.type === "cancel_task") unwanted.delete(effect.id);
  }
  for (const taskId of unwanted) violate(`${taskId} was cancelled, and nobody wanted it`);
  for (const result of results) {
    for (const effect of result.status === "done" && !isCancelled(result.id) ? result.effects : []) {
      if (effect.type === "cancel_task" && !archive.has(cancelMark(effect.id)))
        violate(`${result.id} did not cancel ${effect.id}`);
    }
  }

  const read = checkMemory(turns, archive, disk, outside, violate);
  checkChanges({ disk, archive, results, isCancelled, violate }, read);
  checkImprovements(archive, disk, consumed, isCancelled, violate);
  checkTriggers(archive, outside, consumed, isCancelled, violate);
  checkQuestions(archive, consumed, violate);
  if (outside.approvals !== undefined) checkApprovals(archive, disk, violate);

  // R11: a restart command ends the processes at most once.
  const restartCommands = [...archive.values()].filter((record) => "wish" in record && record.wish.kind === "restart");
  if (outside.restarts > restartCommands.length)
    violate(`${outside.restarts} restarts of ${restartCommands.length} commands`);

  // I7: every directory drains; what is no record is in quarantine.
  const dirs = [
    "inbox",
    "triggers",
    "signals",
    "questions",
    ...Role.options.flatMap((role) => [queueOf(role), runningOf(role), resultsOf(role)]),
  ];
  for (const dir of dirs)
    if (disk.names(dir).length > 0) violate(`${dir} does not drain: ${disk.names(dir).slice(0, 3)}`);

  // I10: history is the settled turns in their order; gaps in their numbers would be lost turns.
  turns.forEach((turn, i) => {
    if (turnNumber(turn.id) !== i + 1) violate(`turn ${i + 1} is missing`);
  });
  const text = disk.read(HISTORY_PATH);
  if (text !== null) {
    const view = History.parse(JSON.parse(text));
    const said = turns.slice(0, view.throughTurn).flatMap(messagesOf);
    const expected = view.messages.length === 0 ? [] : said.slice(-view.messages.length);
    if (JSON.stringify(view.messages) !== JSON.stringify(expected)) violate("history.json is not what was said");
    let compressed: number | undefined;
    for (const turn of turns.slice(0, view.throughTurn)) compressed = compressedAfter(turn, compressed);
    if (view.compressed !== compressed) violate(`history.json begins at turn ${view.compressed}, not ${compressed}`);
    if (
      view.messages.length <
      Math.min(said.length, view.flushed === undefined ? HISTORY_MESSAGES_MAX : BOUNDS.windowKept)
    )
      violate(`history.json holds only ${view.messages.length} messages`);
  }
  return violations;
}

/**
 * SPEC E2, E3: what was said stands once in memory, or in what a summary was made of; a summary is there, or in another.
 * @returns what summaries were made of.
 */
function checkMemory(
  turns: readonly Result[],
  archive: ReadonlyMap<string, Archived>,
  disk: MemoryDisk,
  outside: Outside,
  violate: (what: string) => void,
): string[] {
  const textsIn = (dir: string) => disk.visibleNames(dir).map((name) => disk.read(`${dir}/${name}`) ?? "");
  const ended = [...archive.values()].flatMap((record) =>
    "task" in record && record.task.rollUp !== undefined ? [record] : [],
  );
  const seen = [...textsIn("memory/summary"), ...ended.map(({ task }) => task.prompt)].join("\n");
  // Where a source was changed meanwhile, nothing became of it.
  const summed = ended.filter(({ id }) => seen.includes(editMark(id)));
  const read = summed.flatMap(({ task }) => task.prompt.split(/^(?=# memory\/)/m));
  const notes = [...textsIn("memory"), ...read];
  const summaries = [...textsIn("memory/summary"), ...read];
  const standsOnce = (part: string, texts: readonly string[], what: string) => {
    const times = texts.reduce((sum, text) => sum + text.split(part).length - 1, 0);
    if (times !== 1) violate(`${what} stands ${times} times in memory`);
  };
  for (const turn of turns)
    for (const message of messagesOf(turn)) standsOnce(itemOf(message), notes, `${message.id} of ${turn.id}`);
  let through = 0;
  const kept = [...archive.values()].flatMap((record) => ("kind" in record && record.kind === "note" ? [record] : []));
  for (const { id, number, fromTurn, throughTurn } of kept.sort((a, b) => a.number - b.number)) {
    if (id !== noteId(number)) continue;
    if (fromTurn !== through + 1) violate(`${id} begins with turn ${fromTurn}, after ${through}`);
    if (!archive.has(keptId(id))) violate(`${id} was decided and is not kept`);
    const said = turns.slice(fromTurn - 1, throughTurn).flatMap(messagesOf).length;
    if (said > 0) standsOnce(editMark(id), notes, `the mark of ${id}`);
    through = throughTurn;
  }
  for (const result of summed) standsOnce(`${summaryIn(result)}\n`, summaries, `what came of ${result.id}`);
  for (const line of outside.scribbles)
    if (![...notes, ...summaries].some((text) => text.includes(`${line}\n`)))
      violate(`what a person wrote is lost: ${line}`);
  return read;
}

/** A question is closed one way; its answer is told once, and an answer that came too late is a message. */
function checkQuestions(
  archive: ReadonlyMap<string, Archived>,
  consumed: ReadonlyMap<string, number>,
  violate: (what: string) => void,
): void {
  const records = [...archive.values()].flatMap((record) => ("kind" in record ? [record] : []));
  const answered = new Map<string, string>();
  for (const record of records) {
    if (record.kind !== "question") continue;
    const { id, question, outcome, wishId: commandId } = record;
    if (commandId !== undefined) answered.set(commandId, id);
    const { purpose } = question;
    if (purpose.type === "run_again" && archive.has(runAgainPermit(purpose.taskId, purpose.attempt))) {
      if (record.answer !== question.options[0])
        violate(`${purpose.taskId} may run again, and ${id} was not answered yes`);
    }
    if (purpose.type !== "teller" || outcome === "cancelled") continue;
    const told = ["answered", "expired"].filter((each) => consumed.has(`${id}.${each}`));
    if (told.join() !== outcome) violate(`the question ${id} was ${outcome}, and the Teller was told ${told}`);
  }
  for (const record of records) {
    if (record.kind !== "wish" || record.wish.kind !== "answer") continue;
    const { id, outcome } = record;
    const isMessage = consumed.has(`m-${id}`);
    if (answered.has(id) && isMessage) violate(`${id} answered a question, and is a message too`);
    if (!answered.has(id) && !isMessage && !outcome.startsWith("refused")) violate(`the answer ${id} got lost`);
  }
}

/** I5: one task or event per occurrence, and no occurrence without an outcome, or with two. */
function checkTriggers(
  archive: ReadonlyMap<string, Archived>,
  outside: Outside,
  consumed: ReadonlyMap<string, number>,
  isCancelled: (id: string) => boolean,
  violate: (what: string) => void,
): void {
  const records = [...archive.values()];
  const ended = records.flatMap((record) => ("kind" in record && record.kind === "trigger" ? [record] : []));
  for (const id of outside.triggers) if (!archive.has(id)) violate(`the trigger ${id} is nowhere`);
  const fired = new Map<string, Set<string>>();
  for (const record of records) {
    const triggerId =
      "task" in record && record.task.occurrence !== undefined
        ? record.task.triggerId
        : "kind" in record && record.kind === "event" && record.name === "cron_trigger"
          ? String(record.data.triggerId)
          : undefined;
    if (triggerId === undefined) continue;
    if (!fired.has(triggerId)) fired.set(triggerId, new Set());
    fired.get(triggerId)?.add(record.id);
    if ("kind" in record && !consumed.has(record.id)) violate(`the Teller was never told of ${record.id}`);
  }
  for (const { id, trigger } of ended) {
    const decided = new Set(trigger.recent.flatMap((past) => (past.outcome === "fired" ? [past.id] : [])));
    const ranges = trigger.recent.flatMap((past) => (past.outcome === "skipped" ? [past] : []));
    for (const each of decided)
      if (!fired.get(id)?.has(each) && !isCancelled(each)) violate(`${each} was decided and never fired`);
    for (const { id: each } of ranges) if (!archive.has(each)) violate(`${each} was skipped without a record`);
    if (trigger.recent.length >= RECENT_MAX) continue;
    for (const each of fired.get(id) ?? []) if (!decided.has(each)) violate(`${each} fired and was never decided`);
    for (const record of records)
      if (
        "kind" in record &&
        record.kind === "skipped" &&
        record.triggerId === id &&
        !ranges.some((range) => range.id === record.id)
      )
        violate(`${record.id} was skipped and never decided`);
    if (trigger.type === "recurring") checkInterval(trigger, violate);
    if (trigger.type === "conditional")
      for (let n = 1; n <= trigger.fired; n++)
        if (!decided.has(`${id}--${n}`) && !ranges.some((range) => range.id === `${id}--${n}-skipped`))
          violate(`${id}--${n} has no outcome`);
  }
}

/** Every moment of an interval, from its making to the last that was decided, has one outcome. */
function checkInterval(trigger: Recurring, violate: (what: string) => void): void {
  if (!("interval" in trigger.schedule)) return;
  const stepMs = trigger.schedule.interval * 1_000;
  const scheduled = trigger.recent.flatMap((past) => {
    if (past.outcome === "skipped") return [{ from: Date.parse(past.from), to: Date.parse(past.to) }];
    return past.id.startsWith(`${trigger.id}--run-`) ? [] : [{ from: Date.parse(past.at), to: Date.parse(past.at) }];
  });
  let expected = Date.parse(trigger.createdAt) + stepMs;
  for (const { from, to } of scheduled.sort((a, b) => a.from - b.from)) {
    if (from !== expected)
      violate(`${trigger.id}: ${new Date(expected).toISOString()} has ${from < expected ? "two outcomes" : "none"}`);
    expected = to + stepMs;
  }
  if (expected - stepMs !== Math.max(Date.parse(trigger.last), Date.parse(trigger.createdAt)))
    violate(`${trigger.id}: not everything up to ${trigger.last} has an outcome`);
}

/** I8: every record parses, compacted ones included, and a compacted file and a name never disagree. */
function readArchive(disk: MemoryDisk, violate: (what: string) => void): Map<string, Archived> {
  const archive = new Map<string, Archived>();
  const note = (id: string, text: string, where: string) => {
    try {
      const record = Archived.parse(JSON.parse(text));
      if (record.id !== id) violate(`${where} holds ${record.id} under the name ${id}`);
      archive.set(id, record);
    } catch {
      violate(`${where} does not parse`);
    }
  };
  for (const name of disk.names("archive/folded")) {
    const [first = "", ...lines] = (disk.read(`archive/folded/${name}`, Number.MAX_SAFE_INTEGER) ?? "").split("\n");
    for (const [i, id] of idsOf(first, name, violate).entries()) {
      if (archive.has(id) && disk.read(`archive/${id}.json`) === null) violate(`${id} is compacted twice`);
      note(id, lines[i] ?? "", name);
    }
  }
  for (const name of disk.names("archive")) {
    if (name.endsWith(".json")) note(name.slice(0, -".json".length), disk.read(`archive/${name}`) ?? "", name);
  }
  return archive;
}

function idsOf(header: string, name: string, violate: (what: string) => void): string[] {
  try {
    return CompactedHeader.parse(JSON.parse(header)).ids;
  } catch {
    violate(`${name} does not parse`);
    return [];
  }
}

function groupByPlan(results: Result[]): Map<string, string[]> {
  const plans = new Map<string, string[]>();
  for (const { id, task } of results) {
    if (task.parentId !== undefined) plans.set(task.parentId, [...(plans.get(task.parentId) ?? []), id]);
  }
  return plans;
}
