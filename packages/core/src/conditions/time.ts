/**
 * Holds within a span of time: after and before a moment or a time of day, and on some weekdays. A span from a later to an
 * earlier time of day goes over midnight (`after: "22:00", before: "06:00"`). The weekday is that of the clock, not of
 * the evening before.
 */
import { sentence } from "@mimikit/protocol/texts/coded";
import { isTimeOfDay } from "@mimikit/protocol/triggers/condition";
import { localTime } from "../schedule/schedule.ts";
import { type ConditionRule, forEver, forNow } from "./condition.ts";

export const time: ConditionRule<"time"> = {
  judge: ({ after, before, weekdays, timezone }, { nowMs, timeZone }) => {
    if (before !== undefined && !isTimeOfDay(before) && nowMs >= Date.parse(before)) return forEver(false);
    const { weekday, hhmm } = localTime(nowMs, timezone ?? timeZone);
    if (weekdays !== undefined && !weekdays.includes(weekday)) return forNow(false);
    const isAfter = after === undefined || (isTimeOfDay(after) ? hhmm >= after : nowMs >= Date.parse(after));
    const isBefore = before === undefined || (isTimeOfDay(before) ? hhmm < before : nowMs < Date.parse(before));
    const isOverMidnight =
      after !== undefined && before !== undefined && isTimeOfDay(after) && isTimeOfDay(before) && after > before;
    return forNow(isOverMidnight ? isAfter || isBefore : isAfter && isBefore);
  },
  explain: (params, facts) => {
    const zone = params.timezone ?? facts.timeZone;
    const { weekday, hhmm, date } = localTime(facts.nowMs, zone);
    return { text: sentence("evidence_time", { weekday, date, time: hhmm, zone }) };
  },
};
