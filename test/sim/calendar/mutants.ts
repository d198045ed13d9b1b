/**
 * Each mutant breaks one rule of triggers in the real code (SPEC D5); the calendar must notice it. A break that
 * shows only once in many thousand seeds has a test of its own instead, in calendar.test.ts or test/core/rules/change.test.ts;
 * so has the pause, which two places keep: test/core/rules/stand.test.ts and test/core/triggers/explain.test.ts.
 */
import type { Mutant } from "../mutant-list.ts";

const STAND = "packages/core/src/rules/stand.ts";
const CHANGE = "packages/core/src/rules/change.ts";
const TRIGGERS = "packages/core/src/triggers/triggers.ts";
const SCHEDULE = "packages/core/src/schedule/schedule.ts";

const LIST: readonly Omit<Mutant, "simulation">[] = [
  {
    name: "decides-anew-before-it-is-done",
    rule: "a version is carried out before the next is decided",
    file: STAND,
    find: "if (undone.fire.length + undone.skip.length > 0) return [carryOut(trigger, undone, snapshot, nowMs)];",
    replace: "if (trigger.decision.fire.length > 9) return [carryOut(trigger, undone, snapshot, nowMs)];",
  },
  {
    name: "skips-are-not-waited-for",
    rule: "a skipped range is durable before the next version is decided",
    file: "packages/core/src/triggers/undone.ts",
    find: "skip: decision.skip.filter(({ id }) => !snapshot.isArchived(id)),",
    replace: "skip: [],",
  },
  {
    name: "last-is-now",
    rule: "next = f(schedule, last), never f(now)",
    file: STAND,
    find: "return advanced(trigger, { last: new Date(last).toISOString() }, decision);",
    replace: "return advanced(trigger, { last: new Date(nowMs).toISOString() }, decision);",
  },
  {
    name: "the-oldest-for-the-latest",
    rule: "missed: latest makes up for the newest",
    file: STAND,
    find: 'missed === "latest" && onTime.length === 0 ? due.slice(-1)',
    replace: 'missed === "latest" && onTime.length === 0 ? due.slice(0, 1)',
  },
  {
    name: "skips-one-too-few",
    rule: "fired and skipped are all that was due",
    file: STAND,
    find: "occurrences.slice(0, occurrences.length - firing.length)",
    replace: "occurrences.slice(1, occurrences.length - firing.length)",
  },
  {
    name: "all-but-the-newest",
    rule: "missed: all makes up for the newest hundred",
    file: STAND,
    find: 'if (missed === "all") return due.slice(-MISSED_MAX);',
    replace: 'if (missed === "all") return due.slice(0, MISSED_MAX);',
    seed: 10,
  },
  {
    name: "anew-under-the-old-ids",
    rule: "a moment that a wrong clock used up is due again, under another id",
    file: TRIGGERS,
    find: "epoch: epoch + 1 }",
    replace: "epoch: 1 }",
    seed: 531,
  },
  {
    name: "anew-though-nothing-is-ahead",
    rule: "a schedule that goes on as it should does not begin anew",
    file: CHANGE,
    find: "if (!isAheadOfClock(trigger, nowMs))",
    replace: 'if (trigger.type !== "recurring")',
  },
  {
    name: "early-by-a-minute",
    rule: "nothing fires before its time",
    file: STAND,
    find: "if (next === null || next > nowMs) return null;",
    replace: "nowMs += 60_000;\n  if (next === null || next > nowMs) return null;",
  },
  {
    name: "a-moment-again-and-again",
    rule: "a moment is decided once",
    file: STAND,
    find: 'return advanced(trigger, { over: "spent" }, decision);',
    replace: "return advanced(trigger, {}, decision);",
  },
  {
    name: "resumed-without-a-word",
    rule: "what passed in a pause has an outcome",
    file: TRIGGERS,
    find: "return advanced(trigger, change, { fire: [], skip });",
    replace: "return advanced(trigger, change);",
  },
  {
    name: "a-new-schedule-looks-back",
    rule: "what is decided is not decided again under another schedule",
    file: TRIGGERS,
    find: 'trigger.type === "recurring" ? Math.max(nowMs, Date.parse(trigger.last)) : nowMs',
    replace: "nowMs",
  },
  {
    name: "wishes-are-granted-over-a-decision",
    rule: "a command waits until what was decided is done",
    file: CHANGE,
    find: "if (hasUndone(trigger, snapshot) || trigger.over !== undefined) return [];",
    replace: "if (trigger.over !== undefined) return [];",
    seed: 10,
  },
  {
    name: "wishes-are-not-noted",
    rule: "a command that comes again changes nothing",
    file: TRIGGERS,
    find: "applied: [...trigger.applied, commandId].slice(-APPLIED_MAX)",
    replace: "applied: trigger.applied.slice(-APPLIED_MAX)",
  },
  {
    name: "intervals-one-short",
    rule: "an interval counts from the last",
    file: SCHEDULE,
    find: "lastMs + (count - kept + i + 1) * intervalMs",
    replace: "lastMs + (count - kept + i + 1) * (intervalMs + 1)",
  },
  {
    name: "times-of-day-twice",
    rule: "a fixed time happens once on its day",
    file: SCHEDULE,
    find: 'fixedTimeRule: "no-wildcard"',
    replace: 'fixedTimeRule: "single-value"',
  },
  {
    name: "of-many-the-first-is-forgotten",
    rule: "of more than anybody counts, the range begins with the first",
    file: SCHEDULE,
    find: "older: { fromMs: first, count: null }",
    replace: "older: null",
    seed: 105,
  },
  {
    name: "a-lost-version-is-believed",
    rule: "R1: a version is durable before it is carried out",
    file: "packages/store/src/state-cache/collection.ts",
    find: "await makeDurable(fs, paths, foreign);",
    replace: "void [makeDurable, paths, foreign];",
    seed: 142,
  },
  {
    name: "a-torn-task-stays",
    rule: "R1: who creates a record again puts a whole one in the place of a torn one",
    file: "packages/store/src/disk/record.ts",
    find: 'if (there === "torn") return replaceView(fs, path, text);',
    replace: 'if (there === "torn") return false;',
    seed: 102,
  },
];

export const CALENDAR_MUTANTS: readonly Mutant[] = LIST.map((mutant) => ({ ...mutant, simulation: "calendar" }));
