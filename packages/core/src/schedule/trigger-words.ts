/** Triggers in words: when one fires, what a condition waits for, how long something takes. One line each. */

import type { Trigger } from "@mimikit/protocol/records/trigger";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { type ConditionField, ROWS, saidOf } from "@mimikit/protocol/triggers/atoms";
import { type Condition, isAtom, partsOf } from "@mimikit/protocol/triggers/condition";
import { localTime } from "./schedule.ts";

const PROMPT_SHOWN_CHARS = 60;
const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** `90` → `1 min 30 s`; the two largest units that there are. @param sec whole seconds. */
export function durationText(sec: number): string {
  let rest = Math.max(0, Math.round(sec));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0 s" : parts.join(" ");
}

/** A moment on the clock of a zone: `2026-12-01 09:00`. */
export function momentText(ms: number, timeZone: string): string {
  const { date, hhmm } = localTime(ms, timeZone);
  return `${date} ${hhmm}`;
}

/** When a trigger fires. @param timeZone of the moments that are shown. */
export function whenText(trigger: Trigger, timeZone: string): string {
  switch (trigger.type) {
    case "recurring": {
      const { schedule } = trigger;
      if ("interval" in schedule) return `every ${durationText(schedule.interval)}`;
      return `cron ${schedule.cron} in ${schedule.timezone}`;
    }
    case "scheduled":
      return `once, ${momentText(Date.parse(trigger.runAt), timeZone)}`;
    case "conditional":
      return `when ${conditionText(trigger.condition)}${trigger.stableSec === undefined ? "" : `, for ${durationText(trigger.stableSec)}`}`;
  }
}

/** Describes the condition that a task waits for: `src/a.ts changes and not (t-000001.0 has failed)`. */
export function conditionText(condition: Condition): string {
  if (condition.type === "not") return `not (${conditionText(condition.condition)})`;
  if (!isAtom(condition)) return condition.conditions.map(partText).join(` ${condition.type} `);
  const { en, line } = ROWS[condition.type];
  const said = saidOf(condition, valueText);
  return line?.(said) ?? en(said)[0];
}

function partText(part: Condition): string {
  return partsOf(part).length > 1 ? `(${conditionText(part)})` : conditionText(part);
}

function valueText(kind: ConditionField["kind"], value: unknown): string {
  if (kind === "question") return `"${shortened(String(value))}"`;
  return Array.isArray(value) ? value.join(" ") : String(value);
}

/** A text as one line that leaves room beside it. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > PROMPT_SHOWN_CHARS ? `${beginningOf(line, PROMPT_SHOWN_CHARS - 1)}…` : line;
}
