/**
 * Orders that were given while processes were killed: is each there once, did each of its commands run, is anything left? For
 * an instance of its own that has come to rest, whose orders are all known.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ancestorsOf, cancelMark, turnNumber } from "@mimikit/protocol/base/id";
import type { Result } from "@mimikit/protocol/records/result";
import { RECENT_MAX, type Recurring, type Trigger } from "@mimikit/protocol/records/trigger";
import { type HomePlace, homeHash } from "@mimikit/runtime/home/home";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { QUARANTINE } from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { findViolations } from "../checks/find-violations.ts";
import { t } from "../i18n/language.ts";
import { withState } from "../instance/state.ts";
import { DRAINED } from "../instance/trial.ts";

/** Each command of an order adds a line to this file of the workspace. */
export const RAN_FILE = "ran.txt";

/** Adds the mark to RAN_FILE: which commands ran, and how often, is read from there. */
export const commandOf = (mark: string) => `echo ${mark} >> ${RAN_FILE}`;

/** An order that was acknowledged. */
export interface Order {
  /** The id of its message. */
  id: string;
  /** One for each of its commands: a word that stands in the prompts of its plan and of one task, and in no other. */
  marks: readonly string[];
}

export interface AfterKills {
  turns: number;
  tasks: number;
  /** Commands that ran, and how many of the runs were another attempt after a kill (at-least-once). */
  ran: number;
  ranAgain: number;
  /** Tasks that ended without a result, by their reason. */
  failed: Record<string, number>;
  /** Firings of triggers, and those that were skipped or made up for. */
  fired: number;
  skipped: number;
  /** One sentence for each promise that was not kept. */
  violations: string[];
}

/** Looks at everything once it rests. Throws what the disk throws. */
export async function lookAfterKills(place: HomePlace, orders: readonly Order[]): Promise<AfterKills> {
  const { turns, results: tasks, violations: broken } = await findViolations((look) => withState(look, place));
  const records = await withState(({ cache }) => readAll(cache.archiveIndex), place);
  const ran = linesIn(join(place.workDir, RAN_FILE));
  const left = await findMarked(homeHash(place.home));
  const occurrences = records.triggers.map(occurrencesOf);
  const violations = [
    ...broken,
    ...orders.flatMap((order) => problemsOf(order, records, ran)),
    ...occurrences.flatMap(({ problems }) => problems),
    ...firingsWithout(records),
    ...DRAINED.flatMap((dir) =>
      namesIn(join(place.home, dir)).map((name) => t("{dir}/{name} is still open", { dir, name })),
    ),
    ...namesIn(join(place.home, QUARANTINE)).map((name) => t("{name} is in quarantine", { name })),
    ...left.map(({ pid, mark }) => t("process {pid} of {mark} is left over", { pid, mark })),
  ];
  const times = [...ran.values()];
  return {
    turns,
    tasks,
    ran: times.length,
    ranAgain: times.reduce((sum, n) => sum + n - 1, 0),
    failed: countBy(records.results, ({ failureReason }) => failureReason),
    fired: occurrences.reduce((sum, { fired }) => sum + fired, 0),
    skipped: occurrences.reduce((sum, { skipped }) => sum + skipped, 0),
    violations,
  };
}

interface Records {
  results: readonly Result[];
  triggers: readonly Trigger[];
  has: (id: string) => boolean;
  isCancelled: (id: string) => boolean;
}

async function readAll(archiveIndex: ArchiveIndex): Promise<Records> {
  const results: Result[] = [];
  const triggers: Trigger[] = [];
  for (const id of archiveIndex.names()) {
    const record = await archiveIndex.read(id);
    if (record === null) continue;
    if ("task" in record) results.push(record);
    else if (record.kind === "trigger") triggers.push(record.trigger);
  }
  const names = new Set(archiveIndex.names());
  const has = (id: string) => names.has(id);
  return {
    results,
    triggers,
    has,
    isCancelled: (id) => [id, ...ancestorsOf(id)].some((each) => has(cancelMark(each))),
  };
}

/** @param ran how often each mark was written. */
function problemsOf({ id, marks }: Order, records: Records, ran: ReadonlyMap<string, number>): string[] {
  const { results, has, isCancelled } = records;
  if (!has(id)) return [t("the acknowledged message {id} was lost", { id })];
  const turn = results.find(
    ({ id: each, task }) => turnNumber(each) > 0 && task.turn?.messages.some((m) => m.id === id),
  );
  // That it is in no turn, or in two, is found by the protocol's own check.
  if (turn === undefined) return [];
  const problems: string[] = [];
  for (const mark of marks) {
    const named = results.filter(({ id: each, task }) => turnNumber(each) === 0 && hasWord(task.prompt, mark));
    const plans = named.filter(({ task }) => task.kind === "plan");
    const tasks = named.filter(({ task }) => task.kind === "work");
    const [plan] = plans;
    const isPlanned = turn.status === "done";
    if (plans.length > 1 || (plans.length === 0 && isPlanned))
      problems.push(
        t("{mark} of {id}, which {turn} answered, became {count} plans", {
          mark,
          id,
          turn: turn.id,
          count: plans.length,
        }),
      );
    const isBound = plan?.status === "done" && !isCancelled(plan.id);
    if (tasks.length > 1 || (tasks.length === 0 && isBound))
      problems.push(
        t("{mark} of {id}, which {plan} planned, became {count} tasks", {
          mark,
          id,
          plan: plan?.id ?? turn.id,
          count: tasks.length,
        }),
      );
    const times = ran.get(mark) ?? 0;
    for (const { id: taskId, status, attempts, failureReason } of tasks) {
      if (times === 0 && status === "done") problems.push(t("{taskId} is done, and its command never ran", { taskId }));
      // A result that the supervisor made at a cancellation counts no attempts.
      if (times > attempts && failureReason !== "cancelled")
        problems.push(
          t("the command of {taskId} ran {times} times in {attempts} attempts", { taskId, times, attempts }),
        );
    }
    if (tasks.length === 0 && times > 0) problems.push(t("{mark} ran, and is no task", { mark }));
  }
  return problems;
}

/** As a whole word: `ran-1` is not in `ran-12`. */
function hasWord(text: string, word: string): boolean {
  return text.split(/[^\w-]+/).includes(word);
}

/** Every moment of an interval, from its making to the last that was decided, has one outcome (file-protocol I5). */
export function occurrencesOf(trigger: Trigger): { fired: number; skipped: number; problems: string[] } {
  const problems: string[] = [];
  const skips = trigger.recent.flatMap((past) => (past.outcome === "skipped" ? [past] : []));
  const skipped = skips.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const fired = trigger.recent.length - skips.length;
  // The oldest are forgotten.
  if (isInterval(trigger) && trigger.recent.length < RECENT_MAX) {
    const stepMs = trigger.schedule.interval * 1_000;
    // A run that was asked for, by hand or by a delivery, is at no moment of the schedule.
    const planned = trigger.recent.filter((past) => past.outcome === "skipped" || !past.id.includes("--run-"));
    const decided = planned.map((past) =>
      past.outcome === "skipped"
        ? { from: Date.parse(past.from), to: Date.parse(past.to) }
        : { from: Date.parse(past.at), to: Date.parse(past.at) },
    );
    let expected = Date.parse(trigger.createdAt) + stepMs;
    for (const { from, to } of decided.sort((a, b) => a.from - b.from)) {
      if (from !== expected)
        problems.push(
          from < expected
            ? t("{id}: {moment} has two outcomes", { id: trigger.id, moment: new Date(expected).toISOString() })
            : t("{id}: {moment} has no outcome", { id: trigger.id, moment: new Date(expected).toISOString() }),
        );
      expected = to + stepMs;
    }
  }
  return { fired, skipped, problems };
}

function isInterval(trigger: Trigger): trigger is Recurring & { schedule: { interval: number } } {
  return trigger.type === "recurring" && "interval" in trigger.schedule;
}

/** Each firing that was decided is one task, and each such task was decided. */
function firingsWithout({ results, triggers, has, isCancelled }: Records): string[] {
  return triggers.flatMap((trigger) => {
    const decided = new Set(trigger.recent.flatMap((past) => (past.outcome === "fired" ? [past.id] : [])));
    const made = results.filter(({ task }) => task.triggerId === trigger.id && task.occurrence !== undefined);
    const missing = [...decided].filter((id) => !has(id) && !isCancelled(id));
    const others = trigger.recent.length < RECENT_MAX ? made.filter(({ id }) => !decided.has(id)) : [];
    return [
      ...missing.map((id) => t("{id} was decided and never fired", { id })),
      ...others.map(({ id }) => t("{id} fired and was never decided", { id })),
    ];
  });
}

function linesIn(path: string): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(path)) return counts;
  for (const line of readFileSync(path, "utf8").split("\n"))
    if (line !== "") counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

const namesIn = (dir: string) => (existsSync(dir) ? readdirSync(dir) : []);

function countBy<T>(all: readonly T[], key: (each: T) => string | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of all) {
    const name = key(each);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
