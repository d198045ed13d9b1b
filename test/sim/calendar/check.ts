/** Checks a world at rest: each occurrence has exactly one outcome, and it is the right one. */

import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { Role } from "@mimikit/protocol/base/role";
import type { Archived } from "@mimikit/protocol/records/archive";
import type { Recurring, Scheduled, Skip, Trigger } from "@mimikit/protocol/records/trigger";
import { MISSED_MAX, type Missed, type When } from "@mimikit/protocol/triggers/trigger-order";
import { queueOf, resultsOf, runningOf } from "@mimikit/store/disk/state";
import type { Machine } from "./machine.ts";
import { occurrencesOf } from "./occurrences.ts";
import type { Decided, Witness } from "./witness.ts";

const ON_TIME_MS = 60_000;
const AHEAD_MS = 600_000;

interface Outcomes {
  fired: Set<string>;
  skips: Skip[];
}

export function check(machine: Machine, witness: Witness): { occurrences: number; fired: number } {
  const { disk, violations } = machine;
  const violate = (what: string) => violations.push(what);
  for (const dir of ["inbox", ...Role.options.flatMap((role) => [queueOf(role), resultsOf(role), runningOf(role)])])
    for (const name of disk.names(dir)) violate(`${dir}/${name} is left over`);
  // A power loss may have torn a task that is not to be run any more, and nothing else is set aside.
  for (const name of disk.names("quarantine"))
    if (!/-queue-/.test(name) || disk.read(`quarantine/${name}`)?.endsWith("}\n")) violate(`${name} is set aside`);
  const archive = disk.names("archive").flatMap((name): Archived[] => {
    const text = disk.read(`archive/${name}`);
    return name.endsWith(".json") && text !== null ? [JSON.parse(text)] : [];
  });
  const outcomes = outcomesIn(archive);
  const ended = new Set(archive.flatMap((each) => ("kind" in each && each.kind === "trigger" ? [each.id] : [])));
  checkCommands(archive, witness, outcomes, violate);
  const files = disk.names("triggers");
  let occurrences = 0;
  let fired = 0;
  for (const id of witness.triggerIds) {
    const versions = witness.versionsOf(id);
    const last = versions.at(-1)?.trigger;
    if (last === undefined) continue;
    const left = files.filter((name) => name.startsWith(`${id}.v`));
    if (left.join() !== (ended.has(id) ? "" : `${id}.v${last.version}.json`))
      violate(`${id} is left as ${left.join()}`);
    const its = outcomes.get(id) ?? { fired: new Set(), skips: [] };
    const expected =
      last.type === "recurring"
        ? checkRecurring(versions, witness, machine.nowMs, violate)
        : [checkScheduled(versions, witness, machine.nowMs, violate)];
    for (const [epoch, moments] of expected.entries()) {
      checkOutcomes(epoch, id, moments, ofEpoch(epoch, its), violate);
      occurrences += moments.length;
    }
    for (const each of its.fired) if (epochOf(each) >= expected.length) violate(`${each} is of no beginning`);
    fired += its.fired.size;
  }
  return { occurrences, fired };
}

function outcomesIn(archive: readonly Archived[]): Map<string, Outcomes> {
  const all = new Map<string, Outcomes>();
  const of = (triggerId: string): Outcomes => {
    const its = all.get(triggerId) ?? { fired: new Set(), skips: [] };
    all.set(triggerId, its);
    return its;
  };
  for (const record of archive) {
    if ("task" in record && record.task.occurrence !== undefined) of(record.task.triggerId ?? "").fired.add(record.id);
    if (!("kind" in record)) continue;
    if (record.kind === "event" && record.name === "cron_trigger")
      of(String(record.data.triggerId)).fired.add(record.id);
    if (record.kind === "skipped") of(record.triggerId).skips.push(record);
  }
  return all;
}

/** Every command has an answer, and whoever asked for a run got one. */
function checkCommands(
  archive: readonly Archived[],
  witness: Witness,
  outcomes: ReadonlyMap<string, Outcomes>,
  violate: (what: string) => void,
): void {
  const answers = new Map(
    archive.flatMap((each) => ("kind" in each && each.kind === "wish" ? [[each.id, each.outcome] as const] : [])),
  );
  const started = new Set<string>();
  for (const command of witness.commands.values()) {
    const answer = answers.get(command.id);
    if (answer === undefined) violate(`${command.id} has no answer`);
    if (command.kind === "trigger-put" && witness.versionsOf(triggerIdOf(command.id)).length === 0)
      violate(`the trigger of ${command.id} is gone`);
    if (command.kind === "trigger-run" && answer === "started") started.add(`${command.triggerId}--${command.id}`);
  }
  const runs = [...outcomes.values()].flatMap(({ fired }) => [...fired].filter((id) => id.includes("--run-")));
  for (const id of runs) if (!started.delete(id)) violate(`${id} ran, and nobody was told`);
  for (const id of started) violate(`${id} was started, and never ran`);
}

/** How often its trigger had begun anew when an occurrence was decided; 0 for a run that was asked for. */
function epochOf(id: string): number {
  return Number(/--e(\d+)-/.exec(id)?.[1] ?? 0);
}

function ofEpoch(epoch: number, { fired, skips }: Outcomes): Outcomes {
  return {
    fired: new Set([...fired].filter((id) => epochOf(id) === epoch)),
    skips: skips.filter(({ id }) => epochOf(id) === epoch),
  };
}

/** Every occurrence has exactly one outcome, and nothing else has one. */
function checkOutcomes(
  epoch: number,
  id: string,
  expected: readonly number[],
  { fired, skips }: Outcomes,
  violate: (what: string) => void,
) {
  const ids = new Map(expected.map((ms) => [occurrenceId(epoch, id, ms), ms]));
  for (const each of fired) if (!ids.has(each) && !each.includes("--run-")) violate(`${each} fired, and was never due`);
  const times = new Map(expected.map((ms) => [ms, fired.has(occurrenceId(epoch, id, ms)) ? 1 : 0]));
  for (const { id: skipId, from, to, count } of skips) {
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
    if (!times.has(fromMs) || !times.has(toMs)) violate(`${skipId} begins or ends where nothing was due`);
    const within = expected.filter((ms) => ms >= fromMs && ms <= toMs);
    for (const ms of within) times.set(ms, (times.get(ms) ?? 0) + 1);
    if (count !== null && count !== within.length) violate(`${skipId} counts ${count} of ${within.length}`);
  }
  for (const [ms, count] of times) if (count !== 1) violate(`${occurrenceId(epoch, id, ms)} has ${count} outcomes`);
}

function occurrenceId(epoch: number, triggerId: string, ms: number): string {
  return `${triggerId}--${epoch === 0 ? "" : `e${epoch}-`}${new Date(ms)
    .toISOString()
    .slice(0, 19)
    .replace(/\D/g, "")
    .replace(/^(.{8})/, "$1t")}z`;
}

type Violate = (what: string) => void;

/** @returns every moment that must have an outcome, of each beginning. */
function checkRecurring(versions: readonly Decided[], witness: Witness, nowMs: number, violate: Violate): number[][] {
  let expected: number[] = [];
  const all = [expected];
  let before: Recurring | undefined;
  let fromMs = 0;
  for (const { trigger, atMs } of versions) {
    if (trigger.type !== "recurring") continue;
    if (before === undefined) fromMs = Date.parse(trigger.last);
    else if (trigger.epoch !== before.epoch) {
      const lastMs = Date.parse(before.last);
      expected.push(...occurrencesOf(before.schedule, fromMs, lastMs));
      if (lastMs <= atMs + AHEAD_MS || trigger.epoch !== all.length) violate(`${trigger.id} begins anew without need`);
      if (Date.parse(trigger.last) !== atMs) violate(`${trigger.id} begins anew at ${trigger.last}`);
      fromMs = atMs;
      expected = [];
      all.push(expected);
    } else if (newWhen(trigger, before, witness) !== undefined) {
      // Each occurrence due under the old schedule has an outcome; the new one counts from now.
      const endMs = Math.max(atMs, Date.parse(before.last));
      expected.push(...occurrencesOf(before.schedule, fromMs, endMs));
      if (Date.parse(trigger.last) !== endMs) violate(`${trigger.id} counts from ${trigger.last}`);
      fromMs = endMs;
    } else checkDecision(trigger, before, atMs, violate);
    before = trigger;
  }
  if (before === undefined) return all;
  const lastMs = Date.parse(before.last);
  expected.push(...occurrencesOf(before.schedule, fromMs, lastMs));
  if (lastMs !== fromMs && expected.at(-1) !== lastMs)
    violate(`${before.id} has decided ${before.last}, which is none`);
  const isAwake = !before.paused && before.over === undefined;
  if (isAwake && occurrencesOf(before.schedule, lastMs, nowMs).length > 0)
    violate(`${before.id} has left something undone`);
  return all;
}

/** Checks that all due occurrences are decided at once, as the policy wants it. */
function checkDecision(trigger: Recurring, before: Recurring, atMs: number, violate: Violate): void {
  const { decision, id, version, last } = trigger;
  if (last === before.last) return;
  if (before.paused && (trigger.paused || decision.fire.length > 0))
    violate(`${id} v${version} decides while it is paused`);
  const due = occurrencesOf(before.schedule, Date.parse(before.last), atMs);
  if (Date.parse(last) !== due.at(-1)) violate(`${id} v${version} has decided up to ${last}`);
  const isOfPolicy = decision.skip.every(({ reason }) => reason.startsWith("missed"));
  const wanted = isOfPolicy ? wantedOf(before.missed, due, atMs) : [];
  const fired = decision.fire.map(({ at }) => Date.parse(at));
  if (fired.join() !== wanted.join()) violate(`${id} v${version} fires ${fired.length} of ${wanted.length}`);
}

function wantedOf(missed: Missed, due: readonly number[], atMs: number): readonly number[] {
  const onTime = due.filter((ms) => atMs - ms <= ON_TIME_MS);
  if (missed === "all") return due.slice(-MISSED_MAX);
  return missed === "latest" && onTime.length === 0 ? due.slice(-1) : onTime;
}

/** @returns every moment that must have an outcome. */
function checkScheduled(versions: readonly Decided[], witness: Witness, nowMs: number, violate: Violate): number[] {
  const expected: number[] = [];
  let before: Scheduled | undefined;
  for (const { trigger, atMs } of versions) {
    if (trigger.type !== "scheduled") continue;
    const runAtMs = Date.parse(trigger.runAt);
    if (before !== undefined && newWhen(trigger, before, witness) !== undefined) {
      const oldMs = Date.parse(before.runAt);
      if (oldMs <= atMs && oldMs !== runAtMs) expected.push(oldMs);
    } else if (trigger.over === "spent" && before?.over === undefined) {
      expected.push(runAtMs);
      const isMissed = trigger.missed === "none" && atMs - runAtMs > ON_TIME_MS;
      const isOfPolicy = trigger.decision.skip.every(({ reason }) => reason.startsWith("missed"));
      if (isOfPolicy && isMissed === trigger.decision.fire.length > 0) violate(`${trigger.id} makes wrongly up for it`);
      if (before?.paused === true) violate(`${trigger.id} decides while it is paused`);
      if (runAtMs > atMs) violate(`${trigger.id} was decided before its time`);
    }
    before = trigger;
  }
  const isAwake = before !== undefined && !before.paused && before.over === undefined;
  if (isAwake && Date.parse(before?.runAt ?? "") <= nowMs) violate(`${before?.id} has left something undone`);
  return expected;
}

/** The new schedule of the patch that made this version; undefined if no patch changed it. */
function newWhen(version: Trigger, before: Trigger, witness: Witness): When | undefined {
  const command = witness.commands.get(version.applied.find((id) => !before.applied.includes(id)) ?? "");
  return command?.kind === "trigger-patch" ? command.patch.when : undefined;
}
