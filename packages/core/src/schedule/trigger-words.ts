/** Triggers in words: when one fires, what a condition waits for, how long something takes. One line each. */

import type { Standing } from "@mimikit/protocol/records/trigger";
import type { Condition } from "@mimikit/protocol/triggers/condition";
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

/** When a standing trigger fires. @param timeZone of the moments that are shown. */
export function whenText(trigger: Standing, timeZone: string): string {
  switch (trigger.type) {
    case "recurring": {
      const { schedule } = trigger;
      if ("interval" in schedule) return `every ${durationText(schedule.interval)}`;
      return `cron ${schedule.cron} in ${schedule.timezone}`;
    }
    case "scheduled":
      return `once, ${momentText(Date.parse(trigger.runAt), timeZone)}`;
    case "conditional":
      return `when ${conditionText(trigger.condition)}`;
  }
}

/** What a condition waits for: `src/a.ts changes and not (t-000001.0 has failed)`. */
export function conditionText(condition: Condition): string {
  switch (condition.type) {
    case "file_changed":
      return `${condition.params.path} changes`;
    case "file_exists":
      return `${condition.params.path} is there`;
    case "task_done":
      return `${condition.params.taskId} is done`;
    case "task_failed":
      return `${condition.params.taskId} has failed`;
    case "llm_eval":
      return `a model says yes to "${shortened(condition.params.prompt)}"`;
    case "time":
      return timeText(condition.params);
    case "not":
      return `not (${conditionText(condition.condition)})`;
    case "and":
    case "or":
      return condition.conditions.map(partText).join(` ${condition.type} `);
  }
}

function partText(part: Condition): string {
  const isCombined = (part.type === "and" || part.type === "or") && part.conditions.length > 1;
  return isCombined ? `(${conditionText(part)})` : conditionText(part);
}

function timeText({ after, before, weekdays, timezone }: Extract<Condition, { type: "time" }>["params"]): string {
  const parts = [
    after === undefined ? [] : [`after ${after}`],
    before === undefined ? [] : [`before ${before}`],
    weekdays === undefined ? [] : [`on ${weekdays.join(" ")}`],
    timezone === undefined ? [] : [`in ${timezone}`],
  ].flat();
  return `it is ${parts.join(" ")}`;
}

/** A text as one line that leaves room beside it. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > PROMPT_SHOWN_CHARS ? `${line.slice(0, PROMPT_SHOWN_CHARS - 1)}…` : line;
}
